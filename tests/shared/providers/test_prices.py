"""What a call of some size would cost, and for whom nobody knows."""

import pytest
from pydantic import JsonValue

from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.prices import expected_usd, own_cost
from shared.text.amounts import exact_dollars


def of(provider: str, model: str | None = None, **options: JsonValue) -> Participant:
    return Participant(name="p", provider=provider, model=model, options=options)


@pytest.mark.parametrize(
    "participant",
    [
        of("openai", "gpt-5"),
        of("openai-responses", "gpt-5"),
        of("anthropic", "claude-sonnet-4-5"),
        of("gemini", "gemini-2.5-pro"),
        of("command", "claude-sonnet-4-5", agent="claude"),
    ],
)
def test_known_models_have_a_price_that_grows_with_the_answer(participant: Participant) -> None:
    short, long = (expected_usd(participant, 1000, tokens) for tokens in (100, 1000))

    assert short is not None
    assert long is not None
    assert 0 < short < long


@pytest.mark.parametrize(
    "participant",
    [
        of("openai", "nobody-knows-this"),
        of("openai", "gpt-5", base_url="http://127.0.0.1:8000/v1"),
        of("openai"),
        of("command", None, command=["my-agent"]),
        of("ollama", "gpt-oss:120b-cloud"),
    ],
)
def test_an_unknown_price_is_none_and_not_zero(participant: Participant) -> None:
    assert expected_usd(participant, 1000, 1000) is None


def test_what_runs_here_costs_nothing() -> None:
    assert expected_usd(of("scripted"), 1000, 1000) == 0.0
    assert expected_usd(of("ollama", "llama3"), 1000, 1000) == 0.0


def test_ones_own_price_comes_before_the_table() -> None:
    participant = of("openai", "gpt-5", price={"in": 1.0, "out": 2.0})

    assert expected_usd(participant, 1_000_000, 500_000) == pytest.approx(2.0)


def test_cached_tokens_cost_what_the_price_says_of_them() -> None:
    usage = Usage(input_tokens=1000, output_tokens=0, cached_tokens=600)

    assert own_cost(usage, {"in": 10.0, "out": 0.0, "cached": 1.0}) == pytest.approx(0.0046)
    assert own_cost(usage, {"in": 10.0, "out": 0.0}) == pytest.approx(0.01)
    assert own_cost(usage, {"in": 10.0}) is None
    assert own_cost(usage, "cheap") is None


@pytest.mark.parametrize(
    ("usd", "shown"),
    [
        (0.00001, "$0.00001"),
        (0.0, "$0.00"),
        (12.3, "$12.30"),
        (1e6, "$1000000.00"),
        (0.1 + 0.2, "$0.30"),
    ],
)
def test_an_amount_that_was_stated_is_shown_without_an_exponent(usd: float, shown: str) -> None:
    assert exact_dollars(usd) == shown
