"""Answers whose fields are of another type, size or kind than a protocol says: an answer or a ProviderError, no bug."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.steps import Usage
from tests.workers.providers.calls import call_of
from tests.workers.providers.readings import Body
from workers.providers import anthropic, gemini, ollama, openai, openai_responses
from workers.providers.calls import Completion
from workers.providers.coding_cli import outputs
from workers.providers.http.converse import Dialect, read_body, read_events
from workers.providers.http.statuses import error_of, read_error

HUGE = 10**400
ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, float("nan"), float("inf"), 10**18, HUGE, -HUGE),
    *("", "NaN", "\u00b2", "4" * 5000, "\x00", "\ud800", [], [[]], [None], {}, {"a": {}}),
)
DETAILS = [{"retryDelay": "3s"}]
ERROR = {"code": "server_error", "type": "t", "message": "m", "param": "p", "details": DETAILS}
CHAT_USAGE = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "cost": 0.1}
BODIES: list[tuple[Dialect[Any], Body]] = [
    (
        openai.DIALECT,
        {
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"content": [{"type": "text", "text": "a"}], "refusal": None},
                    "delta": {"content": "a"},
                }
            ],
            "usage": {**CHAT_USAGE, "prompt_tokens_details": {"cached_tokens": 1}},
        },
    ),
    (openai.DIALECT, {"error": {**ERROR, "metadata": {"raw": "x"}}, "choices": []}),
    (
        openai_responses.DIALECT,
        {
            "type": "response.completed",
            "model": "m",
            "status": "completed",
            "output": [{"type": "message", "content": [{"type": "output_text", "text": "a"}]}],
            "usage": {"input_tokens": 9, "output_tokens": 3},
            "incomplete_details": {"reason": "r"},
        },
    ),
    (openai_responses.DIALECT, {"type": "error", **ERROR}),
    (
        anthropic.DIALECT,
        {
            "type": "message",
            "model": "m",
            "content": [{"type": "text", "text": "a"}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 9, "output_tokens": 3, "cache_read_input_tokens": 1},
        },
    ),
    (
        gemini.DIALECT,
        {
            "modelVersion": "m",
            "candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "a"}]}}],
            "promptFeedback": {"blockReason": None},
            "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 12},
        },
    ),
    (
        ollama.DIALECT,
        {"model": "m", "message": {"content": "a"}, "done": True, "eval_count": 3},
    ),
]
PRICED: dict[str, JsonValue] = {
    "base_url": "https://openrouter.ai/api/v1",
    "price": {"in": 1.0, "out": 2.0},
}
CLAUDE = {
    "type": "result",
    "is_error": False,
    "result": "a",
    "usage": {"input_tokens": 9, "output_tokens": 3},
    "total_cost_usd": 0.1,
    "modelUsage": {"m": {}},
}
GEMINI = {"response": "a", "stats": {"models": {"m": {"tokens": {"prompt": 9}}}}, "error": None}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, one in inner:
        yield (*path, name)
        if isinstance(one, dict | list):
            yield from places(one, (*path, name))


def odd_ones(body: Body) -> Iterator[Body]:
    for path in places(body):
        for value in ODD:
            changed = copy.deepcopy(body)
            at: Any = changed
            for name in path[:-1]:
                at = at[name]
            at[path[-1]] = value
            yield changed


def check(completion: Completion) -> None:
    assert Completion.unpacked(completion.packed()).text == completion.text  # it can be stored
    usage = completion.usage
    for number in (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost_usd):
        assert number is None or 0 <= number < 1e13


@pytest.mark.parametrize(("dialect", "body"), BODIES)
def test_no_odd_field_of_an_answer_is_a_bug(dialect: Dialect[Any], body: Body) -> None:
    calls = (call_of("openai"), call_of("openai", options=copy.deepcopy(PRICED)))
    for changed in odd_ones(body):
        for call in calls:
            with contextlib.suppress(ProviderError):
                check(read_body(dialect, call, json.dumps(changed).encode(), {}))
            with contextlib.suppress(ProviderError):
                check(read_events(dialect, call, [changed]))
        error_of("gpt", 429, {}, read_error(json.dumps(changed).encode()))


@pytest.mark.parametrize(("name", "result"), [("claude", CLAUDE), ("gemini", GEMINI)])
def test_no_odd_field_of_an_agents_result_is_a_bug(name: str, result: Body) -> None:
    for changed in odd_ones(result):
        said = outputs.OUTPUTS[name].read(json.dumps(changed))
        check(Completion(text=said.text, usage=said.usage, model=said.model))


def test_halves_of_a_character_in_two_pieces_are_one_again() -> None:
    assert Completion(text="a\ud83d\ude00b\ud83d", usage=Usage()).text == "a\U0001f600b\ufffd"


def test_an_error_in_a_stream_repeats_no_secret_header() -> None:
    secret = "corporate-value-77"
    event: Body = {"type": "error", "code": "x", "message": f"the header {secret} is not known"}
    with pytest.raises(ProviderError) as caught:
        read_events(openai_responses.DIALECT, call_of("openai"), [event], (secret,))
    assert secret not in str(caught.value)
    assert "the header *** is not known" in str(caught.value)
