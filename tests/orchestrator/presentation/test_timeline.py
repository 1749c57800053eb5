"""`quorate show --rounds`: everything that was said, in the reader's language."""

from datetime import UTC, datetime, timedelta

import pytest

from orchestrator.core.lines import plain
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.timeline import events, rounds
from shared.models.outcomes import Ending
from shared.models.replies import REPLY_MODELS
from tests.support.reports import make_assessment, make_report, make_step

SAID = {
    "verdict": "REVISE",
    "consensus_score": 0.9,
    "should_continue": True,
    "edge_cases": ["none"],
}


def told(language: str) -> str:
    steps = (make_step("moderation/1/mod", reply=SAID), make_step("answer/ada", "failed"))
    report = make_report(steps=steps, assessments=(make_assessment(Ending.CONVERGED),))
    return plain(rounds(report, Translator(language)))


def test_everything_that_was_said_is_shown_numbers_among_it():
    said = told("en")
    assert "moderation/1/mod: done, 0.8 s" in said
    assert "Consensus score: 0.9" in said
    assert "Should continue: true" in said
    assert "## Edge cases\n  - none" in said
    assert "⚠ timeout: no answer within 300 s" in said
    assert "round/1: agreement 0.90, stability 0.70, score 0.82, converged, 3/3 answered." in said


def test_a_fix_is_told_above_its_patch():
    fix = {"findings": ["F1"], "patch": "+a\n-b\n", "source": "ruff", "explanation": "Sort."}
    steps = (make_step("fixes/check", reply={"fixes": [fix, {**fix, "problem": "too late"}]}),)
    said = plain(rounds(make_report(steps=steps), ENGLISH))
    assert (
        "  ## Fixes\n  - F1 — ruff — Sort.\n    +a\n    -b\n  - F1 — ruff — Sort. — too late"
        in said
    )


def test_in_korean_only_what_others_wrote_stays_as_it_is():
    said = told("ko")
    assert "moderation/1/mod: 완료, 0.8초" in said
    assert "합의 점수: 0.9" in said
    assert "## 예외 상황\n  - none" in said
    assert "answer/ada: 실패" in said
    assert "round/1: 동의율 0.90, 안정도 0.70, 점수 0.82, 수렴, 응답 3/3." in said


@pytest.mark.parametrize("model", REPLY_MODELS.values(), ids=lambda one: one.__name__)
def test_every_field_of_every_reply_has_a_korean_name(model):
    assert [name for name in model.model_fields if not ENGLISH.knows(f"field_{name}")] == []


def test_a_field_that_nobody_knows_keeps_its_name():
    assert Translator("ko").field("new_field") == ENGLISH.field("new_field") == "New field"


def test_what_an_analyser_read_is_told_in_words_and_not_as_a_list_of_pythons():
    left_out = [{"path": "c.bin", "reason": "binary", "detail": ""}]
    reply = {"coverage": {"read": ["a.py", "b.py"], "left_out": left_out, "failed": None}}
    step = make_step("critique/1/ruff", reply=reply)
    text = plain(rounds(make_report(steps=(step,))))
    assert "  ## Coverage\n  - read: a.py, b.py\n  - left out: c.bin — binary\n" in text
    assert "[" not in text.partition("## Coverage")[2].partition("round")[0]


def test_events_have_their_times() -> None:
    begun = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)
    log = [
        (number, "step.done", {"key": "a"}, begun + timedelta(seconds=30 * number))
        for number in range(2)
    ]
    head, first, second = plain(events(log)).splitlines()
    assert head.split() == ["#", "time", "event", "what"]
    minutes_and_seconds = [row.split()[1].partition(":")[2] for row in (first, second)]
    assert minutes_and_seconds == ["00:00", "00:30"]
