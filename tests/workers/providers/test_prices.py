"""Costs: from the table by the address that is called, overridable, unknown and never zero."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from pydantic import JsonValue

from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE
from shared.providers.prices import cost_usd
from tests.workers.providers.calls import call_of
from workers.providers import openai
from workers.providers.http.converse import read_body

OPENAI = "https://api.openai.com/v1"
USAGE = Usage(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=0)


def cost(
    model: str, url: str | None = None, usage: Usage = USAGE, **options: JsonValue
) -> float | None:
    if url is not None:
        options["base_url"] = url
    participant = Participant(name="gpt", provider="openai", model=model, options=options)
    return cost_usd(usage, participant, model, CATALOGUE["openai"])


def test_a_known_model_has_its_price() -> None:
    assert cost("gpt-4o-mini") == pytest.approx(0.15 + 0.06)


def test_cached_tokens_are_cheaper() -> None:
    cached = USAGE.model_copy(update={"cached_tokens": 1_000_000})
    dear, cheap = cost("gpt-4o-mini"), cost("gpt-4o-mini", usage=cached)
    assert dear is not None
    assert cheap is not None
    assert cheap < dear


@pytest.mark.parametrize(
    ("model", "url"),
    [
        ("no-such-model", OPENAI),
        ("gpt-4o-mini", "http://127.0.0.1:8000/v1"),
        ("", OPENAI),
    ],
)
def test_an_unknown_price_is_unknown(model: str, url: str) -> None:
    assert cost(model, url) is None


@pytest.mark.parametrize(
    "usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5, cached_tokens=1)]
)
def test_unknown_usage_has_an_unknown_cost(usage: Usage) -> None:
    assert cost("gpt-4o-mini", usage=usage) is None


def test_ones_own_price_overrides_the_table() -> None:
    assert cost("gpt-4o-mini", price={"in": 10, "out": 20}) == pytest.approx(12.0)
    cached = USAGE.model_copy(update={"cached_tokens": 500_000})
    assert cost("x", usage=cached, price={"in": 10, "out": 20, "cached": 1}) == pytest.approx(7.5)
    assert cost("gpt-4o-mini", price={"in": "dear"}) is None


def test_the_table_is_loaded_only_when_something_is_priced() -> None:
    program = "import sys, workers.providers.openai; print('genai_prices' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("address", "said", "options", "expected"),
    [
        ("https://openrouter.ai/api/v1", {"cost": 0.0123}, {}, 0.0123),
        ("https://openrouter.ai/api/v1", {"cost": 0}, {}, 0.0),
        ("https://openrouter.ai/api/v1", {"cost": 0.01, "is_byok": True}, {}, None),
        ("https://openrouter.ai/api/v1", {"cost": True}, {}, None),
        ("https://openrouter.ai/api/v1", {"cost": -1}, {}, None),
        ("https://openrouter.ai/api/v1", {"cost": 9}, {"price": {"in": 1.0, "out": 0.0}}, 0.001),
        ("https://elsewhere.example/v1", {"cost": 0.0123}, {}, None),
    ],
)
def test_what_openrouter_says_that_it_charged_wins_over_the_table_and_not_over_ones_own_price(
    address: str, said: dict[str, JsonValue], options: dict[str, JsonValue], expected: float | None
) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, **said}
    choices = [{"message": {"content": "x"}, "finish_reason": "stop"}]
    call = call_of(model="of/nobody", options={"base_url": address, **options})
    body = json.dumps({"choices": choices, "usage": usage}).encode()
    assert read_body(openai.DIALECT, call, body, {}).usage.cost_usd == expected
