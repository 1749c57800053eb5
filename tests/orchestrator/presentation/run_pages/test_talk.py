"""What was said, as bubbles: rounds in their order, what matters on top, nothing lost and nothing said twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.run_pages.talk import Bubble, bubble, rounds
from shared.models.outcomes import Ending, RunStatus
from tests.support.reports import make_assessment, make_report, make_step

FINDING = {
    "title": "Shell injection",
    "detail": "A name reaches a shell.",
    "severity": "CRITICAL",
    "category": "security",
    "place": {"path": "app.py", "line": 9},
}
CRITIQUE = {
    "verdict": "NEEDS_FIX",
    "summary": "The name is **not** quoted.",
    "findings": [FINDING],
    "points_of_agreement": ["The retry is sensible."],
    "missing_considerations": ["An empty name?", "A long one?"],
}


def said(key: str = "critique/1/claude", status: str = "done", **changes: Any) -> Bubble:
    report = make_report(RunStatus.RUNNING)
    return bubble(make_step(key, status, **changes), report, ENGLISH)


def test_a_critique_has_its_verdict_its_summary_and_its_findings_on_top() -> None:
    shown = said(reply=CRITIQUE, tokens=1200, cost_usd=0.0123)

    assert (shown.verdict, shown.lead) == ("Needs a fix", "The name is **not** quoted.")
    assert [(p.severity, p.where, p.title) for p in shown.raised] == [
        ("CRITICAL", "app.py:9", "Shell injection")
    ]
    assert [section.entries for section in shown.sections] == [
        ("The retry is sensible.",),
        ("An empty name?", "A long one?"),
    ]
    assert shown.figures == ("0.8 s", "1,200 tokens", "$0.0123")


def test_whoever_takes_part_has_a_voice_and_the_author_stands_opposite() -> None:
    assert [said(f"critique/1/{name}").voice for name in ("ruff", "bandit", "claude")] == [1, 2, 3]
    shown = said("rebuttal/2/rules", reply={"refined_recommendation": "Quote it."})
    assert (shown.author, shown.voice, shown.lead) == (True, 0, "Quote it.")


def test_a_failure_says_why_and_a_turn_that_is_held_back_says_what_for() -> None:
    assert "no answer within 300 s" in said(status="failed").problem
    waits = said(status="pending", note="the limit of requests", finished_at_s=None)
    assert (waits.held_up, waits.is_open) == ("the limit of requests", True)


def report_of(*steps: Any, assessments: tuple[Any, ...] = ()) -> RunReport:
    return replace(
        make_report(RunStatus.RUNNING, ending=None), steps=steps, assessments=assessments
    )


def test_rounds_stand_in_their_order_with_what_they_were_assessed_with() -> None:
    shown = rounds(
        report_of(
            make_step("critique/1/claude", reply=CRITIQUE),
            make_step("critique/1/ruff", kind="tool"),
            make_step("rebuttal/2/rules"),
            make_step("synthesis/chair"),
            assessments=(make_assessment(number=1), make_assessment(Ending.CONVERGED, 2)),
        ),
        ENGLISH,
    )

    assert [part.name for part in shown] == ["Round 1", "Round 2", "Synthesis"]
    assert [part.figures is not None for part in shown] == [True, True, False]
    assert [len(row.bubbles) for row in shown[0].exchanges] == [2]
    assert shown[0].summary == "claude, ruff · 1 finding"


def test_a_second_review_has_rounds_of_its_own() -> None:
    shown = rounds(
        report_of(make_step("critique/1/claude"), make_step("review2/critique/1/claude")), ENGLISH
    )

    assert [part.name for part in shown] == ["Round 1", "review 2, round 1"]


def test_a_round_is_open_while_somebody_of_it_is_at_work() -> None:
    going = make_step("critique/1/claude", "leased")

    assert [part.is_open for part in rounds(report_of(going), ENGLISH)] == [True]


def test_the_whole_result_of_a_child_run_is_not_repeated() -> None:
    shown = said(
        "child", kind="run", role="run", reply={"status": "completed", "outcome": {"a": "b"}}
    )

    assert all("outcome" not in section.name.lower() for section in shown.sections)


def test_a_reply_of_any_shape_is_shown() -> None:
    for reply in (
        {},
        {"verdict": 3},
        {"findings": "x"},
        {"summary": None, "x": [[["y"]]]},
        {"a": {"b": 1}},
    ):
        assert said(reply=reply).who == "claude"


def test_in_a_forum_hands_are_raised_and_the_floor_is_given() -> None:
    bids = [said("bid/1/ada", reply={"action": action}).verdict for action in ("REQUEST", "PASS")]
    given = said("selection/1/chair", reply={"action": "SELECT", "speaker": "gemini"})

    assert bids == ["✋ asks for the floor", "💤 passes"]
    assert given.verdict == "→ gemini"
