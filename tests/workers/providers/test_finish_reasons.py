"""Words are a whole answer only when their provider says so: every protocol, every reason, known and unknown."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from shared.errors import ProviderError
from shared.models.deliberation import Answer
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Usage
from tests.workers.providers.calls import call_of
from tests.workers.providers.readings import Body, streamed, whole
from workers.providers import anthropic, gemini, ollama, openai, openai_responses
from workers.providers.calls import Cancelled, Completion, Finish, ProviderCall
from workers.providers.coding_cli.outputs import read_claude, read_codex
from workers.turns.replies import obtain

HALF = "The first half of an answer that goes on"
CHAT, CLAUDE, GEMINI = openai.DIALECT, anthropic.DIALECT, gemini.DIALECT
RESPONSES, OLLAMA = openai_responses.DIALECT, ollama.DIALECT

# What each service calls a whole answer and a cut one; everything else must not pass for an answer in words.
WHOLE: dict[str, tuple[object, ...]] = {
    "chat": ("stop", "end_turn", "eos", "eos_token", "stop_sequence", "STOP", "stop: done"),
    "anthropic": ("end_turn", "stop_sequence"),
    "gemini": ("STOP",),
    "responses": ("completed",),
    "ollama": ("stop", "", None),  # older servers give no reason beside `done`
}
ODD: tuple[object, ...] = (
    *(
        "",
        None,
        "other",
        "OTHER",
        "unknown",
        "tool_calls",
        "function_call",
        "tool_use",
        "pause_turn",
    ),
    *(
        "MALFORMED_FUNCTION_CALL",
        "FINISH_REASON_UNSPECIFIED",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
    ),
    *("cancelled", "in_progress", "incomplete", "queued", "unload", "load", "a word of next year"),
    *("max_tokens", "length", "MAX_TOKENS", "content_filter", "refusal", "SAFETY", "stop_"),
    *(0, 1, True, [], ["stop"], {"reason": "stop"}),
)


def chat(reason: object) -> Body:
    return {"choices": [{"index": 0, "message": {"content": HALF}, "finish_reason": reason}]}


def chat_events(reason: object) -> list[Body]:
    return [
        {"choices": [{"index": 0, "delta": {"content": HALF}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
    ]


def claude(reason: object) -> Body:
    return {"type": "message", "content": [{"type": "text", "text": HALF}], "stop_reason": reason}


def claude_events(reason: object) -> list[Body]:
    return [
        {"type": "message_start", "message": {}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": HALF}},
        {"type": "message_delta", "delta": {"stop_reason": reason}},
        {"type": "message_stop"},
    ]


def candidate(reason: object) -> Body:
    return {"candidates": [{"content": {"parts": [{"text": HALF}]}, "finishReason": reason}]}


def response(reason: object) -> Body:
    content = [{"type": "output_text", "text": HALF}]
    return {"status": reason, "output": [{"type": "message", "content": content}]}


def response_events(reason: object) -> list[Body]:
    return [
        {"type": "response.output_text.delta", "delta": HALF},
        {"type": "response.incomplete", "response": response(reason)},
    ]


def line(reason: object) -> Body:
    return {"message": {"content": HALF}, "done": True, "done_reason": reason}


FORMS: dict[str, tuple[Any, Any, Any]] = {
    "chat": (CHAT, chat, chat_events),
    "anthropic": (CLAUDE, claude, claude_events),
    "gemini": (GEMINI, candidate, lambda reason: [candidate(reason)]),
    "responses": (RESPONSES, response, response_events),
    "ollama": (OLLAMA, line, lambda reason: [line(reason)]),
}


class Saying:
    """A provider that answers with one completion."""

    def __init__(self, completion: Completion) -> None:
        self._completion = completion

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        """What it was made with."""
        return self._completion

    def structured(self, participant: Participant) -> bool:
        """Nothing is held to a schema."""
        return False


def judged(completion: Completion) -> str:
    """`whole`, or why the answer in words is none."""
    call = call_of("openai", reply_model="answer")
    try:
        obtained = obtain(Saying(completion), call, threading.Event(), lambda _: None, most=1)
    except ProviderError as error:
        return error.kind.value
    assert isinstance(obtained.reply, Answer)
    return "whole"


def readings(name: str, reason: object) -> Iterator[str]:
    dialect, body, events = FORMS[name]
    reads: tuple[Callable[[], Completion], ...] = (
        lambda: whole(dialect, body(reason)),
        lambda: streamed(dialect, events(reason)),
    )
    for read in reads:
        try:
            yield judged(read())
        except ProviderError as error:
            yield error.kind.value


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("reason", ODD, ids=repr)
def test_no_other_end_passes_for_a_whole_answer(name: str, reason: object) -> None:
    assert reason in WHOLE[name] or "whole" not in list(readings(name, reason))


@pytest.mark.parametrize(("name", "reason"), [(n, r) for n, all_ in WHOLE.items() for r in all_])
def test_a_whole_answer_is_one(name: str, reason: object) -> None:
    dialect, body, _ = FORMS[name]
    assert judged(whole(dialect, body(reason))) == "whole"


@pytest.mark.parametrize("name", FORMS)
def test_a_missing_reason_is_no_end(name: str) -> None:
    dialect, body, _ = FORMS[name]
    fields = body("x")
    target = fields["choices"][0] if name == "chat" else fields
    target = fields["candidates"][0] if name == "gemini" else target
    for field in ("finish_reason", "stop_reason", "finishReason", "status", "done_reason", "done"):
        target.pop(field, None)
    assert judged(whole(dialect, fields)) == FailureKind.TRUNCATED.value


@pytest.mark.parametrize("name", FORMS)
def test_a_stream_without_its_end_is_cut_off(name: str) -> None:
    dialect, _, events = FORMS[name]
    begun = events("stop")[:-1]
    if name == "gemini":
        begun = [candidate(None)]
    if name == "ollama":
        begun = [line(None) | {"done": False}]
    if name == "chat":
        begun = events(None)
    with pytest.raises(ProviderError, match="cut off in the middle"):
        streamed(dialect, begun)


@pytest.mark.parametrize(
    "error", [{"message": "upstream died", "code": 502}, {"code": "x"}, "gone", {"message": "late"}]
)
@pytest.mark.parametrize("name", FORMS)
def test_an_error_beside_half_an_answer_is_an_error(name: str, error: object) -> None:
    dialect, body, events = FORMS[name]
    ending = WHOLE[name][0]
    with pytest.raises(ProviderError):
        whole(dialect, body(ending) | {"error": error})
    *begun, last = events(ending)
    with pytest.raises(ProviderError):
        streamed(dialect, [*begun, last | {"error": error}])


@pytest.mark.parametrize("error", [None, {}, {"message": "", "code": None}])
def test_an_error_field_without_an_error_is_none(error: object) -> None:
    assert judged(whole(CHAT, chat("stop") | {"error": error})) == "whole"


def test_a_message_that_says_that_it_is_not_whole_is_not() -> None:
    body = response("completed")
    body["output"][0]["status"] = "incomplete"
    assert judged(whole(RESPONSES, body)) == FailureKind.TRUNCATED.value


def test_a_closed_object_is_whole_whatever_the_reason() -> None:
    text = json.dumps({"answer": "all of it"})
    assert judged(Completion(text, Usage(), Finish.OTHER)) == "whole"


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        (None, Finish.STOP),
        ("end_turn", Finish.STOP),
        ("max_tokens", Finish.LENGTH),
        ("refusal", Finish.REFUSAL),
        ("tool_use", Finish.OTHER),
        ("pause_turn", Finish.OTHER),
        ("something new", Finish.OTHER),
    ],
)
def test_how_claude_code_ends(stop: str | None, finish: Finish) -> None:
    result = {"type": "result", "subtype": "success", "result": HALF, "stop_reason": stop}
    assert read_claude(json.dumps(result)).finish is finish


@pytest.mark.parametrize("subtype", ["error_max_turns", "error_during_execution", "new"])
def test_a_failed_run_of_claude_code_is_an_error(subtype: str) -> None:
    assert read_claude(json.dumps({"type": "result", "subtype": subtype, "result": HALF})).error


MESSAGE = {"type": "item.completed", "item": {"type": "agent_message", "text": HALF}}
DONE = {"type": "turn.completed", "usage": {}}
FAILED = {"type": "turn.failed", "error": {"message": "stream disconnected"}}
RETRIED = {"type": "error", "message": "Reconnecting... 1/5"}


@pytest.mark.parametrize(
    ("events", "finish", "error"),
    [
        ([MESSAGE, DONE], Finish.STOP, ""),
        ([RETRIED, MESSAGE, DONE], Finish.STOP, ""),
        ([MESSAGE], Finish.OTHER, ""),
        ([MESSAGE, FAILED], Finish.OTHER, "stream disconnected"),
        ([MESSAGE, RETRIED], Finish.OTHER, "Reconnecting... 1/5"),
        ([DONE, {"type": "turn.started"}, MESSAGE], Finish.OTHER, ""),
    ],
)
def test_how_codex_ends(events: list[Body], finish: Finish, error: str) -> None:
    said = read_codex("\n".join(map(json.dumps, events)))
    assert (said.text, said.finish, said.error) == (HALF, finish, error)
