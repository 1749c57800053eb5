"""What each protocol is sent, and how its answers' oddities read; no server needed."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from tests.workers.providers.calls import call_of
from workers.providers import anthropic, gemini, ollama, openai, openai_responses
from workers.providers.calls import Completion, Finish, Message, ProviderCall
from workers.providers.http.converse import Dialect, read_body
from workers.providers.http.statuses import ErrorBody

REPAIR = (Message("assistant", "bad"), Message("user", "again"))


def body_of(dialect: Dialect[Any], call: ProviderCall, *quirks: str) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(dialect.build(call, frozenset(quirks)).body)
    return body


def call_for(provider: str, **options: JsonValue) -> ProviderCall:
    call = call_of(provider, options={"base_url": "http://127.0.0.1:9/base", **options})
    return dataclasses.replace(call, repair=REPAIR)


def completion_of(dialect: Dialect[Any], payload: dict[str, Any]) -> Completion:
    return read_body(dialect, call_of("openai"), json.dumps(payload).encode(), {})


@contextmanager
def variable(name: str, value: str) -> Iterator[None]:
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]


def test_anthropic_gets_a_cached_system_prompt_a_schema_and_its_version() -> None:
    call = call_for("anthropic")
    request = anthropic.DIALECT.build(call, frozenset())
    assert request.url == "http://127.0.0.1:9/base/v1/messages"
    assert request.headers["anthropic-version"] == "2023-06-01"
    body = body_of(anthropic.DIALECT, call)
    assert body["system"] == [
        {
            "type": "text",
            "text": "You are a reviewer.",
            "cache_control": {"type": "ephemeral"},
        }
    ]
    assert body["output_config"]["format"]["type"] == "json_schema"
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]
    assert body["max_tokens"] == 8192
    assert "stream" not in body


def test_anthropic_is_told_what_every_turn_begins_with() -> None:
    call = dataclasses.replace(call_for("anthropic"), user="the subject\n\nround 1", stable=13)
    content = body_of(anthropic.DIALECT, call)["messages"][0]["content"]
    assert [block["text"] for block in content] == ["the subject\n\n", "round 1"]
    assert [block.get("cache_control") for block in content] == [{"type": "ephemeral"}, None]
    without = body_of(anthropic.DIALECT, call, "cache_control")
    assert without["messages"][0]["content"] == call.user
    whole = dataclasses.replace(call, stable=len(call.user))
    assert len(body_of(anthropic.DIALECT, whole)["messages"][0]["content"]) == 1


def test_anthropics_temperature_ends_at_one() -> None:
    call = dataclasses.replace(call_for("anthropic"), temperature=1.5)
    assert body_of(anthropic.DIALECT, call)["temperature"] == 1.0


def test_anthropic_without_schemas_is_told_in_words() -> None:
    body = body_of(anthropic.DIALECT, call_for("anthropic"), "output_config", "cache_control")
    assert "output_config" not in body
    assert "JSON schema" in body["messages"][-1]["content"]
    assert "cache_control" not in body["system"][0]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("output_config.format: Extra inputs are not permitted", "output_config"),
        ("'claude-3' does not support structured outputs", "output_config"),
        ("`temperature` is deprecated for this model", "temperature"),
        ("messages: at least one message is required", None),
    ],
)
def test_what_anthropic_refuses_is_recognised(message: str, expected: str | None) -> None:
    assert anthropic.quirk(ErrorBody(message=message)) == expected


def test_anthropics_cached_tokens_are_part_of_the_input() -> None:
    completion = completion_of(
        anthropic.DIALECT,
        {
            "model": "claude-sonnet-5",
            "content": [
                {"type": "thinking", "thinking": "hm"},
                {"type": "text", "text": "a"},
                {"type": "text", "text": "b"},
            ],
            "stop_reason": "end_turn",
            "usage": {
                "input_tokens": 10,
                "cache_read_input_tokens": 20,
                "cache_creation_input_tokens": 30,
                "output_tokens": 5,
            },
        },
    )
    assert completion.text == "ab"
    assert (completion.usage.input_tokens, completion.usage.cached_tokens) == (60, 20)


def test_responses_are_not_stored_and_carry_a_cache_key() -> None:
    call = call_for("openai-responses")
    body = body_of(openai_responses.DIALECT, call)
    assert body["store"] is False
    assert body["instructions"] == "You are a reviewer."
    assert len(body["prompt_cache_key"]) == 32
    assert body["text"]["format"]["strict"] is True
    assert (
        openai_responses.DIALECT.build(call, frozenset()).url == "http://127.0.0.1:9/base/responses"
    )


@pytest.mark.parametrize(
    ("payload", "finish", "said"),
    [
        ({"status": "completed"}, Finish.STOP, "x"),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            Finish.LENGTH,
            "x",
        ),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            Finish.REFUSAL,
            "x",
        ),
        ({"status": "queued"}, Finish.OTHER, "x"),
        (
            {
                "status": "completed",
                "output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}],
            },
            Finish.REFUSAL,
            "no",
        ),
    ],
)
def test_how_a_response_ends(payload: dict[str, Any], finish: Finish, said: str) -> None:
    output = [
        {"type": "reasoning", "summary": []},
        {"type": "message", "content": [{"type": "output_text", "text": "x"}]},
    ]
    completion = completion_of(openai_responses.DIALECT, {"output": output} | payload)
    assert (completion.finish_reason, completion.text) == (finish, said)


def test_a_failed_response_is_the_error_that_it_reports() -> None:
    with pytest.raises(ProviderError, match="too slow today") as caught:
        completion_of(
            openai_responses.DIALECT,
            {
                "status": "failed",
                "error": {"code": "server_error", "message": "too slow today"},
                "output": [],
            },
        )
    assert caught.value.kind is FailureKind.OVERLOADED


def test_gemini_gets_its_key_in_a_header_and_roles_of_its_own() -> None:
    with variable("QUORATE_TEST_GEMINI", "AIzaSy-0123456789"):
        call = call_for("gemini", api_key_env="QUORATE_TEST_GEMINI")
        request = gemini.DIALECT.build(call, frozenset())
        streamed = gemini.DIALECT.build(dataclasses.replace(call, watch=print), frozenset())
    assert request.url == "http://127.0.0.1:9/base/models/stub:generateContent"
    assert streamed.url.endswith("/models/stub:streamGenerateContent?alt=sse")
    assert request.headers["x-goog-api-key"] == "AIzaSy-0123456789"
    body = body_of(gemini.DIALECT, call_for("gemini"))
    assert [content["role"] for content in body["contents"]] == ["user", "model", "user"]
    assert body["generationConfig"]["responseMimeType"] == "application/json"
    assert "verdict" in body["generationConfig"]["responseJsonSchema"]["properties"]
    assert body["systemInstruction"]["parts"] == [{"text": "You are a reviewer."}]
    told = body_of(gemini.DIALECT, call_for("gemini"), "schema")
    assert "responseJsonSchema" not in told["generationConfig"]


def test_gemini_counts_thoughts_as_output_and_leaves_them_out_of_the_text() -> None:
    completion = completion_of(
        gemini.DIALECT,
        {
            "candidates": [
                {
                    "content": {"parts": [{"text": "hm", "thought": True}, {"text": "yes"}]},
                    "finishReason": "STOP",
                }
            ],
            "usageMetadata": {
                "promptTokenCount": 10,
                "candidatesTokenCount": 2,
                "thoughtsTokenCount": 30,
                "cachedContentTokenCount": 4,
                "totalTokenCount": 42,
            },
        },
    )
    assert completion.text == "yes"
    assert completion.usage.output_tokens == 32
    assert completion.usage.cached_tokens == 4


def test_a_prompt_that_gemini_blocks_is_a_refusal() -> None:
    completion = completion_of(gemini.DIALECT, {"promptFeedback": {"blockReason": "SAFETY"}})
    assert completion.finish_reason is Finish.REFUSAL


def test_ollama_is_asked_for_a_window_that_holds_prompt_and_answer() -> None:
    call = dataclasses.replace(call_for("ollama"), user="x" * 60_000)
    assert body_of(ollama.DIALECT, call)["options"]["num_ctx"] >= 20_000 + 8192
    call = call_for("ollama", num_ctx=4096)
    assert body_of(ollama.DIALECT, call)["options"]["num_ctx"] == 4096
    assert body_of(ollama.DIALECT, call)["stream"] is False


def test_ollama_is_asked_for_a_window_that_holds_korean() -> None:
    call = dataclasses.replace(call_for("ollama"), user="한" * 60_000)
    assert body_of(ollama.DIALECT, call)["options"]["num_ctx"] >= 60_000 + 8192


@pytest.mark.parametrize("prompt", ["x" * 60_000, "한" * 10_000])
def test_a_prompt_that_ollama_would_cut_is_not_sent(prompt: str) -> None:
    call = dataclasses.replace(call_for("ollama", num_ctx=4096), user=prompt)
    with pytest.raises(ProviderError) as raised:
        body_of(ollama.DIALECT, call)
    assert raised.value.kind is FailureKind.CONTEXT_OVERFLOW


@pytest.mark.parametrize(
    ("model", "options", "cost"),
    [
        ("llama", {}, 0.0),
        ("gpt-oss:120b-cloud", {}, None),
        ("llama", {"base_url": "http://gpu.example:11434"}, None),
        ("llama", {"price": {"in": 1.0, "out": 2.0}}, 0.000012),
    ],
)
def test_only_ones_own_machine_is_free(
    model: str, options: dict[str, JsonValue], cost: float | None
) -> None:
    payload: dict[str, JsonValue] = {
        "model": model,
        "message": {"content": "x"},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 10,
        "eval_count": 1,
    }
    completion = ollama.read(payload, call_of("ollama", model, options=options))
    assert completion.usage.cost_usd == (None if cost is None else pytest.approx(cost))


@pytest.mark.parametrize(
    ("dialect", "written", "called"),
    [
        (openai.DIALECT, "http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        (openai.DIALECT, "http://h/openai/deployments/d/", "http://h/openai/deployments/d/chat/completions"),
        (openai_responses.DIALECT, "http://h/v1/responses", "http://h/v1/responses"),
        (anthropic.DIALECT, "http://h/v1/messages", "http://h/v1/messages"),
        (anthropic.DIALECT, "http://h/proxy/v1", "http://h/proxy/v1/messages"),
        (anthropic.DIALECT, "http://h/proxy", "http://h/proxy/v1/messages"),
        (gemini.DIALECT, "http://h/v1beta/models/", "http://h/v1beta/models/stub:generateContent"),
        (ollama.DIALECT, "http://h:11434/v1", "http://h:11434/api/chat"),
        (ollama.DIALECT, "http://h:11434/api/chat", "http://h:11434/api/chat"),
    ],
)  # fmt: skip
def test_an_address_may_be_written_as_it_stands_in_the_services_documentation(
    dialect: Dialect[Any], written: str, called: str
) -> None:
    call = call_of(options={"base_url": written})
    assert dialect.build(call, frozenset()).url == called


@pytest.mark.parametrize(
    "dialect",
    [openai.DIALECT, openai_responses.DIALECT, anthropic.DIALECT, gemini.DIALECT, ollama.DIALECT],
)
@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"choices": "x", "content": "x", "output": "x", "candidates": "x", "message": "x"},
        {
            "choices": [7],
            "content": [7],
            "output": [7],
            "candidates": [7],
            "message": {"content": 7},
        },
        {
            "choices": [{"message": {"content": [{"text": 7}, None]}}],
            "content": [{"type": "text", "text": None}],
            "output": [{"type": "message", "content": None}],
            "candidates": [{"content": {"parts": "x"}}],
            "message": {},
            "usage": {"prompt_tokens": "7", "input_tokens": -1, "output_tokens": True},
            "usageMetadata": [],
        },
    ],
)
def test_an_answer_of_another_shape_is_an_error_or_empty_and_its_usage_unknown(
    dialect: Dialect[Any], payload: dict[str, Any]
) -> None:
    try:
        completion = completion_of(dialect, payload)
    except ProviderError as error:
        assert error.kind is FailureKind.UNPARSEABLE  # noqa: PT017
    else:
        assert completion.text == ""
        assert completion.usage.input_tokens is None
        # What runs on one's own machine costs nothing, whatever it counted.
        assert completion.usage.cost_usd == (0.0 if dialect is ollama.DIALECT else None)


def test_an_error_under_status_200_is_an_error() -> None:
    with pytest.raises(ProviderError) as caught:
        completion_of(openai.DIALECT, {"error": {"code": 429, "message": "slow down"}})
    assert caught.value.kind is FailureKind.RATE_LIMITED
