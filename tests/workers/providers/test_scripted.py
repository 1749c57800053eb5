"""The scripted participant: what its script says, when it says it, the same every time."""

from __future__ import annotations

import dataclasses
import json
import threading
import time
from pathlib import Path

import pytest
from pydantic import JsonValue

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.providers.scripts import Misbehaviour, load_script
from tests.support.promptness import promptly
from tests.workers.providers.calls import call_of
from workers.providers import scripted
from workers.providers.calls import Completion, Finish, ProviderCall
from workers.turns.replies import obtain

NO_CANCEL = threading.Event()
GOOD: dict[str, JsonValue] = {"verdict": "APPROVED"}


def call(*entries: dict[str, JsonValue], **fields: object) -> ProviderCall:
    options: dict[str, JsonValue] = {"replies": list(entries)}
    return call_of("scripted", None, options=options, **fields)  # type: ignore[arg-type]


def text_of(*entries: dict[str, JsonValue], **fields: object) -> str:
    return scripted.complete(call(*entries, **fields), NO_CANCEL).text


def test_a_reply_is_labelled_scripted_and_costs_nothing() -> None:
    completion = scripted.complete(call({"reply": GOOD}), NO_CANCEL)
    assert json.loads(completion.text) == GOOD
    assert completion.model == "scripted"
    assert completion.usage.cost_usd == 0.0


def test_the_usage_may_be_scripted() -> None:
    entry: dict[str, JsonValue] = {"reply": "x", "usage": {"input_tokens": 7, "cost_usd": 0.5}}
    usage = scripted.complete(call(entry), NO_CANCEL).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (7, None, 0.5)


@pytest.mark.parametrize(
    ("when", "fits"),
    [
        ({}, True),
        ({"participant": "gpt"}, True),
        ({"participant": ["claude", "gpt"]}, True),
        ({"participant": "claude"}, False),
        ({"role": "critique", "round": 1}, True),
        ({"role": ["rebuttal", "critique"], "round": [1, 3]}, True),
        ({"role": "critique", "round": 2}, False),
        ({"call": 1, "attempt": 1}, True),
        ({"call": 2}, False),
        ({"attempt": 2}, False),
        ({"contains": "this change"}, True),
        ({"contains": ["reviewer", "this change"]}, True),
        ({"contains": ["reviewer", "that change"]}, False),
    ],
)
def test_the_first_entry_that_fits_answers(when: dict[str, JsonValue], fits: bool) -> None:
    entries: list[dict[str, JsonValue]] = [
        {"when": when, "reply": "first"},
        {"reply": "second"},
        {"reply": "third"},
    ]
    assert text_of(*entries) == ("first" if fits else "second")


def test_a_missing_entry_says_what_to_add() -> None:
    with pytest.raises(ProviderError, match="no reply for rebuttal in round 2") as caught:
        text_of({"when": {"round": 1}, "reply": "x"}, role="rebuttal", round_number=2)
    assert caught.value.kind is FailureKind.BAD_REQUEST


def test_a_malformed_entry_that_came_inline_is_a_bad_request() -> None:
    with pytest.raises(ProviderError, match=r"Entry 1 of gpt's script.*did you mean `reply`"):
        text_of({"repply": "x"})


class Impatient(threading.Event):
    """A cancel flag that notes how long it was asked to wait, and is set at once."""

    asked_s = 0.0

    def wait(self, timeout: float | None = None) -> bool:
        self.asked_s = timeout or 0.0
        self.set()
        return True


def test_a_drawn_latency_is_the_same_for_the_same_step_and_differs_between_steps() -> None:
    entry: dict[str, JsonValue] = {"reply": "x", "latency_s": [0, 10_000]}
    drawn = []
    for fields in ({}, {}, {"attempt": 2}, {"round_number": 2}):
        impatient = Impatient()
        with pytest.raises(ProviderError):
            scripted.complete(call(entry, deadline_s=20_000, **fields), impatient)
        drawn.append(impatient.asked_s)
    assert abs(drawn[0] - drawn[1]) < 60  # seconds of a machine that stood still
    assert max(drawn[1:]) - min(drawn[1:]) > 60
    assert max(drawn) < 10_000


def test_a_latency_beyond_the_deadline_is_a_timeout_at_the_deadline() -> None:
    began = time.monotonic()
    with pytest.raises(ProviderError) as caught:
        text_of({"reply": "x", "latency_s": 60}, deadline_s=0.2)
    assert caught.value.kind is FailureKind.TIMEOUT
    assert 0.15 < time.monotonic() - began < 30


class Flag:
    """A cancel flag that is no threading.Event."""

    def __init__(self) -> None:
        self.up = False

    def is_set(self) -> bool:
        return self.up

    def set(self) -> None:
        self.up = True


@pytest.mark.parametrize("kind_of_flag", [Flag, threading.Event])
def test_a_hanging_participant_can_be_cancelled_within_a_second(
    kind_of_flag: type[Flag | threading.Event],
) -> None:
    def cancelled() -> ProviderError:
        flag = kind_of_flag()
        threading.Timer(0.1, flag.set).start()
        with pytest.raises(ProviderError) as caught:
            scripted.complete(call({"fault": "hang"}, deadline_s=60.0), flag)
        return caught.value

    assert promptly(1.0, cancelled).kind is FailureKind.CANCELLED


def test_a_hanging_participant_is_a_timeout_at_the_deadline() -> None:
    with pytest.raises(ProviderError) as caught:
        text_of({"fault": "hang"}, deadline_s=0.1)
    assert caught.value.kind is FailureKind.TIMEOUT


ANSWERS = {FailureKind.EMPTY, FailureKind.TRUNCATED, FailureKind.REFUSAL, FailureKind.UNPARSEABLE}


@pytest.mark.parametrize("kind", list(FailureKind))
def test_every_failure_kind_can_be_scripted_and_ends_as_itself(kind: FailureKind) -> None:
    stored: list[Completion] = []
    scripted_call = call({"reply": GOOD, "fault": kind.value})
    with pytest.raises(ProviderError) as caught:
        obtain(scripted, scripted_call, NO_CANCEL, stored.append)
    assert caught.value.kind is kind
    assert bool(stored) == (kind in ANSWERS)


def test_a_limit_passes_its_retry_after_on() -> None:
    with pytest.raises(ProviderError) as caught:
        text_of({"fault": "rate_limited", "retry_after_s": 7})
    assert caught.value.retry_after_s == 7
    assert caught.value.retryable


def test_an_answer_that_is_unparseable_once_is_repaired() -> None:
    got = obtain(
        scripted, call({"reply": GOOD, "fault": "unparseable_once"}), NO_CANCEL, lambda _: None
    )
    assert got.repaired


def test_garbage_is_never_repaired() -> None:
    with pytest.raises(ProviderError) as caught:
        obtain(scripted, call({"fault": Misbehaviour.GARBAGE.value}), NO_CANCEL, lambda _: None)
    assert caught.value.kind is FailureKind.UNPARSEABLE


def test_a_truncated_answer_says_so() -> None:
    completion = scripted.complete(call({"reply": GOOD, "fault": "truncated"}), NO_CANCEL)
    assert completion.finish_reason is Finish.LENGTH


def test_a_script_may_be_a_file_that_the_worker_can_read(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text("- reply: from a file\n")
    completion = scripted.complete(
        call_of("scripted", None, options={"script": str(file)}), NO_CANCEL
    )
    assert completion.text == "from a file"


def test_a_loaded_script_travels_inline(tmp_path: Path) -> None:
    file = tmp_path / "script.yaml"
    file.write_text("replies:\n  - when: {round: [1, 2]}\n    reply: {verdict: APPROVED}\n")
    assert json.loads(text_of(*load_script(file))) == GOOD


# ---- watched ------------------------------------------------------------------------------------


def watched(into: list[str], entry: dict[str, JsonValue]) -> ProviderCall:
    return dataclasses.replace(call(entry), watch=into.append)


def test_who_watches_sees_the_reply_come_in_pieces_and_in_the_same_time() -> None:
    pieces: list[str] = []
    began = time.monotonic()
    asked = watched(pieces, {"reply": "word " * 20, "latency_s": 0.5})
    text = scripted.complete(asked, NO_CANCEL).text
    assert time.monotonic() - began >= 0.5
    assert "".join(pieces) == text
    assert len(pieces) == 5


def test_a_watched_reply_without_latency_comes_at_once() -> None:
    pieces: list[str] = []
    scripted.complete(watched(pieces, {"reply": GOOD}), NO_CANCEL)
    assert [json.loads(one) for one in pieces] == [GOOD]


def test_a_fault_shows_nothing_to_who_watches() -> None:
    pieces: list[str] = []
    with pytest.raises(ProviderError):
        scripted.complete(watched(pieces, {"fault": "overloaded"}), NO_CANCEL)
    assert pieces == []


@pytest.mark.parametrize("text", ["", "a", "ab", "한글 🎤" * 7])
def test_no_character_is_lost_on_the_way(text: str) -> None:
    pieces: list[str] = []
    scripted.complete(watched(pieces, {"reply": text, "latency_s": 0.3}), NO_CANCEL)
    assert "".join(pieces) == text
