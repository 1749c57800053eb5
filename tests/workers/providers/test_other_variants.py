"""What Anthropic, Gemini, OpenAI's responses and Ollama send beside the plain case, as their documentation says."""

from __future__ import annotations

import pytest

from tests.workers.providers.readings import Body, streamed, told, whole
from workers.providers import anthropic, gemini, ollama, openai_responses
from workers.providers.calls import Finish

CLAUDE, GEMINI = anthropic.DIALECT, gemini.DIALECT
RESPONSES, OLLAMA = openai_responses.DIALECT, ollama.DIALECT


def message(*content: Body, stop: str | None = "end_turn", **usage: object) -> Body:
    counts = {"input_tokens": 3, "output_tokens": 5, **usage}
    return {"type": "message", "content": list(content), "stop_reason": stop, "usage": counts}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (message(stop="tool_use"), ("", "other", (3, 5, None))),
        (message({"type": "text", "text": "a"}, stop="pause_turn"), ("a", "other", (3, 5, None))),
        (message(stop="refusal"), ("", "refusal", (3, 5, None))),
        (message(stop="model_context_window_exceeded"), ("", "length", (3, 5, None))),
        (message(stop=None), ("", "other", (3, 5, None))),
        (
            message(
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "redacted_thinking", "data": "z"},
                {"type": "server_tool_use", "name": "web_search", "input": {}},
                {"type": "web_search_tool_result", "content": [{"title": "t"}]},
                {"type": "text", "text": "a ", "citations": [{"cited_text": "c"}]},
                {"type": "tool_use", "name": "f", "input": {"text": "not this"}},
                {"type": "text", "text": "b"},
                cache_read_input_tokens=100,
                cache_creation_input_tokens=20,
                cache_creation={"ephemeral_5m_input_tokens": 20},
                server_tool_use={"web_search_requests": 1},
            ),
            ("a b", "stop", (123, 5, 100)),
        ),
    ],
)
def test_messages_read_whole(body: Body, expected: tuple[object, ...]) -> None:
    assert told(whole(CLAUDE, body)) == expected


def test_a_streamed_message_holds_its_text_and_its_last_counts() -> None:
    events: list[Body] = [
        {"type": "message_start", "message": message(stop=None, output_tokens=1)},
        {"type": "ping"},
        {"type": "content_block_start", "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "s"}},
        {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "한"}},
        {"type": "content_block_delta", "delta": {"type": "citations_delta", "citation": {}}},
        {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": "{"}},
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "max_tokens"},
            "usage": {"output_tokens": 9, "input_tokens": None, "cache_read_input_tokens": 2},
        },
        {"type": "a_kind_of_tomorrow"},
        {"type": "message_stop"},
    ]
    assert told(streamed(CLAUDE, events)) == ("한", "length", (5, 9, 2))


def candidate(finish: str | None, *parts: Body, **more: object) -> Body:
    one: Body = {"content": {"role": "model", "parts": list(parts)}, **more}
    return {"candidates": [one | ({"finishReason": finish} if finish else {})]}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (candidate("MAX_TOKENS") | {"usageMetadata": {"promptTokenCount": 4}}, ("", "length")),
        ({"candidates": [{"finishReason": "MAX_TOKENS", "index": 0}]}, ("", "length")),
        (candidate("SAFETY"), ("", "refusal")),
        (candidate("RECITATION", {"text": "a"}), ("a", "refusal")),
        (candidate("PROHIBITED_CONTENT"), ("", "refusal")),
        (candidate("MALFORMED_FUNCTION_CALL"), ("", "other")),
        (candidate(None, {"text": "a"}), ("a", "other")),
        ({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}, ("", "refusal")),
        ({"promptFeedback": {"blockReason": "SAFETY"}, "candidates": []}, ("", "refusal")),
        (
            candidate(
                "STOP",
                {"text": "hm", "thought": True},
                {"executableCode": {"code": "1"}},
                {"codeExecutionResult": {"output": "1"}},
                {"functionCall": {"name": "f", "args": {}}},
                {"inlineData": {"data": "AA=="}},
                {"text": "a", "thoughtSignature": "s"},
                {"text": "b"},
            ),
            ("ab", "stop"),
        ),
    ],
)
def test_gemini_reads_whole(body: Body, expected: tuple[str, str]) -> None:
    assert told(whole(GEMINI, body))[:2] == expected


def test_gemini_streams_keep_to_the_first_candidate_and_the_last_counts() -> None:
    second = {"index": 1, "content": {"parts": [{"text": "no"}]}, "finishReason": "SAFETY"}
    events: list[Body] = [
        candidate(None, {"text": "hm", "thought": True}),
        {"candidates": [second]},
        candidate(None, {"text": "한"}, index=0) | {"usageMetadata": {"promptTokenCount": 4}},
        candidate("STOP", {"text": ""})
        | {
            "usageMetadata": {
                "promptTokenCount": 4,
                "candidatesTokenCount": 2,
                "thoughtsTokenCount": 7,
                "toolUsePromptTokenCount": 3,
                "cachedContentTokenCount": 1,
                "totalTokenCount": 16,
            }
        },
    ]
    assert told(streamed(GEMINI, events)) == ("한", "stop", (7, 9, 1))


def test_a_response_that_closes_empty_is_what_was_streamed() -> None:
    closing = {"status": "completed", "output": [], "usage": {"input_tokens": 1}}
    events: list[Body] = [
        {"type": "response.created", "response": {"status": "in_progress", "output": []}},
        {"type": "response.reasoning_summary_text.delta", "delta": "hm"},
        {"type": "response.output_text.delta", "delta": "한"},
        {"type": "response.function_call_arguments.delta", "delta": "{"},
        {"type": "response.output_text.delta", "delta": "é"},
        {"type": "response.completed", "response": closing},
    ]
    assert told(streamed(RESPONSES, events)) == ("한é", "stop", (1, None, None))


def test_an_incomplete_response_keeps_its_text_and_says_why_it_ends() -> None:
    text = {"type": "output_text", "text": "half", "annotations": [{"type": "url_citation"}]}
    output = [
        {"type": "web_search_call", "action": {"type": "search", "query": "q"}},
        {"type": "message", "status": "incomplete", "content": [text]},
    ]
    usage = {
        "input_tokens": 5,
        "output_tokens": 6,
        "input_tokens_details": {"cached_tokens": 2},
        "output_tokens_details": {"reasoning_tokens": 4},
    }
    details = {"reason": "max_output_tokens"}
    body = {
        "status": "incomplete",
        "output": output,
        "usage": usage,
        "incomplete_details": details,
        "error": None,
    }
    assert told(whole(RESPONSES, body)) == ("half", "length", (5, 6, 2))
    event = {"type": "response.incomplete", "response": body}
    assert told(streamed(RESPONSES, [event])) == ("half", "length", (5, 6, 2))


@pytest.mark.parametrize(
    ("last", "finish"),
    [
        ({"done_reason": "stop"}, Finish.STOP),
        ({"done_reason": "length"}, Finish.LENGTH),
        ({"done_reason": "load"}, Finish.OTHER),
        ({}, Finish.STOP),
    ],
)
def test_ollama_streams_end_with_their_reason(last: Body, finish: Finish) -> None:
    events: list[Body] = [
        {"message": {"content": "", "thinking": "hm"}, "done": False},
        {"message": {"content": "한"}, "done": False},
        {"message": {"content": ""}, "done": True, "prompt_eval_count": 3, "eval_count": 4} | last,
    ]
    assert told(streamed(OLLAMA, events)) == ("한", finish.value, (3, 4, None))
