"""What services that speak OpenAI's chat completions really send, and the errors of all protocols in mid-stream.

The shapes follow the documentation of OpenAI, Azure, OpenRouter, xAI, Groq, Mistral, DeepSeek, Moonshot and vLLM.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from tests.workers.providers.calls import call_of
from tests.workers.providers.readings import Body, streamed, told, whole
from workers.providers import anthropic, gemini, ollama, openai, openai_responses
from workers.providers.http.converse import Dialect, read_body

CHAT, RESPONSES = openai.DIALECT, openai_responses.DIALECT
CLAUDE, GEMINI, OLLAMA = anthropic.DIALECT, gemini.DIALECT, ollama.DIALECT


def chat(message: Body, finish: str | None = "stop", usage: Body | None = None) -> Body:
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}


def chunk(delta: Body, finish: str | None = None, index: int = 0) -> Body:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}], "usage": None}


def usage_of(read: int, written: int, **more: object) -> Body:
    return {"prompt_tokens": read, "completion_tokens": written, **more}


NOTHING = (None, None, None)


@pytest.mark.parametrize(
    ("message", "finish", "usage", "expected"),
    [
        (
            {"content": None, "tool_calls": [{"id": "1", "function": {"name": "f"}}]},
            "tool_calls",
            None,
            ("", "other", NOTHING),
        ),
        ({"content": "half", "refusal": None}, "length", None, ("half", "length", NOTHING)),
        ({"content": None}, "content_filter", None, ("", "refusal", NOTHING)),
        ({"content": ""}, "content_filter: SAFETY", None, ("", "refusal", NOTHING)),
        ({"content": None, "refusal": "I won't."}, "stop", None, ("I won't.", "refusal", NOTHING)),
        ({"content": "x"}, None, None, ("x", "other", NOTHING)),
        ({"content": "x"}, "STOP", None, ("x", "stop", NOTHING)),
        ({"content": "x"}, "model_length", None, ("x", "length", NOTHING)),
        (
            {"content": "x", "reasoning_content": "hm", "reasoning": "hm"},
            "stop",
            None,
            ("x", "stop", NOTHING),
        ),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "x"},
                    {"type": "reference", "reference_ids": [1]},
                ]
            },
            "stop",
            None,
            ("x", "stop", NOTHING),
        ),
        (
            {"content": "x"},
            "stop",
            usage_of(
                10,
                9,
                total_tokens=19,
                prompt_tokens_details={"cached_tokens": 4, "audio_tokens": 2},
                completion_tokens_details={"reasoning_tokens": 5, "audio_tokens": 1},
            ),
            ("x", "stop", (10, 9, 4)),
        ),
        (  # xAI counts the reasoning apart
            {"content": "x"},
            "stop",
            usage_of(32, 9, total_tokens=135, completion_tokens_details={"reasoning_tokens": 94}),
            ("x", "stop", (32, 103, None)),
        ),
        (
            {"content": "x"},
            "stop",
            usage_of(10, 9, prompt_cache_hit_tokens=8, prompt_cache_miss_tokens=2),
            ("x", "stop", (10, 9, 8)),
        ),
        ({"content": "x"}, "stop", usage_of(10, 9, cached_tokens=3), ("x", "stop", (10, 9, 3))),
        ({"content": "\ud55c\u00e9\u2028"}, "stop", None, ("\ud55c\u00e9\u2028", "stop", NOTHING)),
    ],
)
def test_chat_completions_read_whole(
    message: Body, finish: str | None, usage: Body | None, expected: tuple[object, ...]
) -> None:
    assert told(whole(CHAT, chat(message, finish, usage))) == expected


def test_of_several_choices_the_first_by_number_is_the_answer_whole_and_streamed() -> None:
    choices = [
        {"index": index, "message": {"content": text}, "finish_reason": "stop"}
        for index, text in ((1, "b"), (0, "a"))
    ]
    assert whole(CHAT, {"choices": choices}).text == "a"
    events = [chunk({"content": "b1"}, index=1), chunk({"content": "a1"})]
    events += [chunk({}, "length", index=1), chunk({"content": "a2"}, "stop")]
    assert told(streamed(CHAT, events)) == ("a1a2", "stop", NOTHING)


def test_chat_streams_read_through_filters_thoughts_tools_and_usage_at_the_end() -> None:
    events: list[Body] = [
        {"choices": [], "prompt_filter_results": [{"prompt_index": 0}]},  # Azure
        chunk({"role": "assistant", "content": "", "refusal": None}),
        chunk({"reasoning_content": "hm", "content": None}),
        chunk({"content": "한"}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "{"}}]}),
        chunk({"content": "é"}),
        {"choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {}}]},  # Azure
        chunk({}, "stop"),
        {"choices": [], "usage": usage_of(7, 3, prompt_tokens_details={"cached_tokens": 2})},
    ]
    assert told(streamed(CHAT, events)) == ("한é", "stop", (7, 3, 2))
    assert told(streamed(CHAT, events, "\n\n")) == ("한é", "stop", (7, 3, 2))
    assert told(streamed(CHAT, events, "\r\r")) == ("한é", "stop", (7, 3, 2))


def test_groqs_usage_stands_where_groq_puts_it() -> None:
    events = [chunk({"content": "x"}), chunk({}, "stop") | {"x_groq": {"usage": usage_of(7, 3)}}]
    assert told(streamed(CHAT, events)) == ("x", "stop", (7, 3, None))


FAULTS: list[tuple[Dialect[Any], Body, FailureKind, str]] = [
    (CHAT, {"error": {"message": "m", "type": "server_error"}}, FailureKind.OVERLOADED, "m"),
    (CHAT, {"error": {"code": 429, "message": "m"}}, FailureKind.RATE_LIMITED, "m"),
    (
        CHAT,
        {
            "error": {
                "code": 502,
                "message": "Provider returned error",
                "metadata": {"raw": "upstream is down", "provider_name": "X"},
            }
        },
        FailureKind.OVERLOADED,
        "upstream is down",
    ),
    (
        CHAT,
        {"object": "error", "message": "too long context window", "type": "x", "code": 400},
        FailureKind.CONTEXT_OVERFLOW,
        "too long",
    ),
    (
        CHAT,
        chunk({"content": ""}, "error") | {"error": {"code": "server_error", "message": "gone"}},
        FailureKind.OVERLOADED,
        "gone",
    ),
    (
        CHAT,
        {"choices": [{"index": 0, "error": {"code": 503, "message": "none free"}}]},
        FailureKind.OVERLOADED,
        "none free",
    ),
    (CHAT, chunk({}, "abort"), FailureKind.OVERLOADED, "broke its answer off"),
    (CHAT, chunk({}, "insufficient_system_resource"), FailureKind.OVERLOADED, "broke"),
    (
        RESPONSES,
        {"type": "error", "code": "rate_limit_exceeded", "message": "m", "param": None},
        FailureKind.RATE_LIMITED,
        "m",
    ),
    (
        RESPONSES,
        {"type": "error", "error": {"type": "server_error", "message": "m"}},
        FailureKind.OVERLOADED,
        "m",
    ),
    (
        RESPONSES,
        {
            "type": "response.failed",
            "response": {"status": "failed", "error": {"code": "invalid_prompt", "message": "m"}},
        },
        FailureKind.BAD_REQUEST,
        "m",
    ),
    (
        CLAUDE,
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
        FailureKind.OVERLOADED,
        "HTTP 529",
    ),
    (
        CLAUDE,
        {"type": "error", "error": {"type": "rate_limit_error", "message": "m"}},
        FailureKind.RATE_LIMITED,
        "m",
    ),
    (
        GEMINI,
        {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}},
        FailureKind.OVERLOADED,
        "overloaded",
    ),
    (OLLAMA, {"error": "model runner has stopped"}, FailureKind.OVERLOADED, "runner"),
]


@pytest.mark.parametrize(("dialect", "event", "kind", "said"), FAULTS)
def test_an_error_in_the_middle_of_a_stream_is_that_error(
    dialect: Dialect[Any], event: Body, kind: FailureKind, said: str
) -> None:
    with pytest.raises(ProviderError, match=said) as raised:
        streamed(dialect, [event])
    assert raised.value.kind is kind


def test_an_error_beside_half_an_answer_hides_the_keys_and_may_have_been_charged() -> None:
    body = chat({"content": "half"}, "error") | {"error": {"message": "no to hidden-key-1"}}
    with pytest.raises(ProviderError) as raised:
        read_body(CHAT, call_of("openai"), json.dumps(body).encode(), {}, ["hidden-key-1"])
    assert "hidden" not in str(raised.value)
    assert raised.value.charged is None
