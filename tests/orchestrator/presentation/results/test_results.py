"""What people read when a run of ask, forum, plan or panel is over, or while it is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.lines import plain
from orchestrator.core.replay.commands import Turn
from orchestrator.presentation.formats import markdown
from orchestrator.presentation.formats.text import question_lines, result_lines
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.outcomes import RunStatus
from shared.models.rows import UsageRow
from shared.models.steps import StepResult
from tests.support import debates
from tests.support.finished_runs import HELD, Held, asked, discussed, judged, planned
from tests.support.plan_cast import PlanCast
from tests.support.reports import make_decision, make_finding, make_report
from tests.support.seen_runs import report_of
from tests.support.snapshots import check_text

CHANGE = {
    "participant": "bob",
    "finding": "F1",
    "round": 3,
    "from": "agree",
    "to": "disagree",
    "evidence": "none",
}
SNAPSHOTS = Path(__file__).parent.parent / "snapshots"


def text_of(held: Held, *, everything: bool = False, brief: bool = False) -> str:
    report = report_of(held.run, held.simulation, held.outcome)
    limit = None if everything else 5
    return plain(result_lines(report, words=ENGLISH, max_findings=limit, brief=brief))


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("workflow", HELD)
def test_a_result_reads_as_it_was_written_down(workflow: str, language: str) -> None:
    held = HELD[workflow](language)
    report = report_of(held.run, held.simulation, held.outcome)
    text = plain(result_lines(report, words=Translator(language), max_findings=5))
    brief = plain(result_lines(report, words=Translator(language), max_findings=5, brief=True))
    everything = plain(result_lines(report, words=Translator(language), max_findings=None))
    parts = {"text": text, "brief": brief, "everything": everything}
    written = "".join(f"======== {name}\n{part}" for name, part in parts.items())
    check_text(SNAPSHOTS / f"{workflow}.{language}.txt", written)
    check_text(
        SNAPSHOTS / f"{workflow}.{language}.md", markdown.render(report, Translator(language))
    )


@pytest.mark.parametrize("workflow", HELD)
def test_every_stage_of_a_run_that_goes_on_can_be_shown(workflow: str) -> None:
    held = HELD[workflow]()
    for stages in range(len(held.simulation.stages) + 1):
        report = report_of(held.run, held.simulation, None, stages=stages)
        shown = plain(result_lines(report, words=ENGLISH, max_findings=None))
        assert shown.startswith("still running")
        assert markdown.render(report, Translator("ko"))


def test_the_answers_that_came_are_shown_while_others_are_still_at_it() -> None:
    held = asked()
    report = report_of(held.run, held.simulation, None, stages=1)
    steps = [replace(one, status="leased", reply=None) for one in report.steps[2:]]
    report = replace(report, steps=(*report.steps[:2], *steps))
    shown = plain(result_lines(report, words=ENGLISH, max_findings=5))
    assert "Start with **one process**." in shown
    assert "2 of 4 answered" in shown
    assert "still working: codex, qwen" in shown


def test_a_quiet_answer_is_the_answer_and_nothing_else() -> None:
    held = asked()
    answers: Any = held.outcome.detail["answers"]
    shown = text_of(held.with_result(synthesis=None, answers=answers[:1]), brief=True)
    assert shown == (
        "Start with **one process**.\n\n```python\nif users < 10_000:\n    keep(monolith)\n```\n"
    )


def test_a_quiet_synthesis_stands_for_the_answers() -> None:
    assert text_of(asked(), brief=True) == "One process with modules.\n"


def test_an_unknown_cost_is_said_to_be_unknown() -> None:
    shown = text_of(asked())
    assert "120 tokens · $0.0021" in shown
    assert "cost unknown" in shown


def test_a_conclusion_that_the_ballots_reject_is_not_called_a_consensus() -> None:
    shown = text_of(discussed(claude="disagree", gemini="disagree"))
    assert "📋 Conclusion (not agreed): One process." in shown
    assert "Consensus:" not in shown
    assert "claude: disagrees — disagree, for a reason" in shown


def test_who_was_not_heard_is_named() -> None:
    held = discussed()
    assert "⚠ claude still wanted to speak" in text_of(held)
    assert "Still wanted to speak\n  claude: claude has a point" in text_of(held, brief=True)


def test_without_a_conclusion_the_speeches_are_the_result() -> None:
    held = discussed()
    report = report_of(held.run, held.simulation, None, stages=9)
    shown = plain(result_lines(report, words=ENGLISH, max_findings=5, brief=True))
    assert "A monolith is the simplest thing" in shown


def test_a_plan_is_shown_in_full_with_what_stands_against_it() -> None:
    shown = text_of(planned())
    assert "1. stop the shop\n2. copy the data\n3. start the shop\n" in shown
    assert "MAJOR: No way back is described" in shown
    assert "keep it short" in shown


def test_the_question_about_a_plan_shows_the_plan() -> None:
    held = planned()
    row = make_decision()
    shown = {"plan": "# Do it", "version": 1, "synthesis": {"summary": "Mend it first."}}
    decision = replace(row, kind="plan", question={**row.question, "shown": shown})
    report = report_of(held.run, held.simulation, None, stages=2)
    report = replace(report, decisions=(decision,))
    text = plain(question_lines(report, ENGLISH))
    assert "# Do it" in text
    assert "Mend it first." in text
    assert "No way back is described" in text


def test_a_receipt_says_who_changed_their_mind_on_what() -> None:
    shown = text_of(judged())
    assert "Did the debate help?" in shown
    assert "cyd: P2 → P1" in shown
    assert "on a quotation that exists" in shown


@pytest.mark.parametrize("votes", [[], None])
def test_a_change_of_mind_has_a_price_only_where_one_is_shown(votes: list[object] | None) -> None:
    # Reviews and plans have no votes: their changes are those on findings.
    held = judged() if votes is not None else planned()
    priced = {"cost_per_changed_vote": None, "cost_per_changed_finding": 0.5}
    changes = {"changed_votes": []} if votes is not None else {"changes": [CHANGE]}
    shown = text_of(held.with_result(receipt={**priced, **changes}))
    assert ("for each changed mind" in shown) is (votes is None)
    assert ("changed their mind: nobody" in shown) is (votes is not None)


def test_silence_about_a_plan_is_not_shown_as_the_absence_of_objections() -> None:
    class Silent(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            return debates.fail()

    run = debates.submitted(PlanOptions())
    held = Held(run, *debates.hold(run, Silent(), debates.decides("accept")))
    shown = text_of(held)
    assert "too few were there to object" in shown
    assert "No objection stands.\n" not in shown


def test_hostile_answers_steer_neither_the_terminal_nor_the_document() -> None:
    held = asked()
    hostile = "\x1b[2Jx ![](https://evil.test/a.png) <script>"
    answers: Any = held.outcome.detail["answers"]
    held = held.with_result(answers=[{**answers[0], "answer": hostile}, *answers[1:]])
    report = report_of(held.run, held.simulation, held.outcome)
    assert "\x1b" not in plain(result_lines(report, words=ENGLISH, max_findings=5))
    written = markdown.render(report, ENGLISH)
    assert "![" not in written
    assert "<script>" not in written.replace("\\<script\\>", "")


def test_a_workflow_that_nobody_knows_shows_what_all_have() -> None:
    report = make_report(verdict="DONE", usage=UsageRow(1, 10, 5, 0, 0.5, 0))
    assert report.run.outcome is not None
    run = replace(
        report.run, workflow="errand", outcome={**report.run.outcome, "summary": "It is done."}
    )
    shown = plain(result_lines(replace(report, run=run), words=ENGLISH, max_findings=5))
    assert shown.startswith("DONE · ")
    assert "It is done." in shown
    assert "$0.5000" in shown


def test_a_run_that_failed_says_so() -> None:
    held = asked()
    report = report_of(held.run, held.simulation, None, stages=0)
    run = replace(report.run, status=RunStatus.CANCELLED)
    shown = plain(result_lines(replace(report, run=run), words=ENGLISH, max_findings=5))
    assert "The run was cancelled." in shown
    assert "Nobody answered." in shown


def test_a_vote_for_none_of_the_positions_is_told_in_the_readers_language() -> None:
    held = judged()
    opinion = {
        "by": "vote",
        "participant": "cyd",
        "position": None,
        "text": "none of the positions",
    }
    held = held.with_result(dissenting_opinions=[opinion])
    report = report_of(held.run, held.simulation, held.outcome)
    assert "cyd: 해당 입장 없음" in plain(
        result_lines(report, words=Translator("ko"), max_findings=5)
    )
    assert "cyd: none of the positions" in text_of(held)


def test_votes_of_one_family_are_not_passed_off_as_many() -> None:
    held = discussed()
    assert "independent voice" not in text_of(held)
    assert "this is 1 independent voice" in text_of(held.with_result(effective_votes=1))


def test_a_forums_receipt_shows_first_opinions_towards_the_conclusion_and_its_support() -> None:
    vote = {"position": "two processes", "on_conclusion": "disagree", "confidence": None}
    receipt = {"first_votes": {"claude": vote}, "first_support": 0.33, "final_support": 1.0}
    shown = text_of(discussed().with_result(receipt=receipt))
    assert "first votes: claude: two processes (disagrees)" in shown
    assert "support for the conclusion: 0.33 → 1.00" in shown


def test_a_verdict_against_the_first_vote_that_persuaded_nobody_is_not_praised() -> None:
    shown = text_of(judged().with_result(receipt={"helped": "changed", "changed_votes": []}))
    assert "Hardly: the verdict is not the first vote's, but nobody changed their mind." in shown
    assert "it changed the answer" not in shown


def test_votes_that_changed_are_not_followed_by_nobody_changed_their_mind() -> None:
    first = {"ada": "REVISE", "bob": "ACCEPT"}
    receipt = {"helped": "settled", "first_votes": first, "changes": []}
    shown = text_of(planned().with_result(receipt=receipt))
    assert (
        "  first votes: ada: REVISE; bob: ACCEPT (before anyone had heard anyone else)\n" in shown
    )
    assert "last votes: ada: REVISE; bob: REVISE; cyd: REVISE" in shown
    assert "nobody" not in shown.partition("Did the debate help?")[2].partition("cost")[0].replace(
        "before anyone had heard anyone else", ""
    )


def test_contributions_one_after_another_are_no_synthesis() -> None:
    held = planned().with_result(synthesised_by="fallback", synthesis={"summary": "# ada, again"})
    assert "# ada, again" not in text_of(held)
    assert "# ada, again" in text_of(held, everything=True)


def test_the_panels_first_answer_stands_first_and_no_ranking_is_no_table() -> None:
    held = asked()
    detail: Any = held.outcome.detail
    answers, ranking = detail["answers"], detail["ranking"]
    placed = [{**one, "place": place} for one, place in zip(answers, (3, 1, 2), strict=False)]
    shown = text_of(held.with_result(answers=placed))
    assert shown.index("── gemini") < shown.index("── codex") < shown.index("── claude")
    unplaced = [[{**one, "place": None} for one in rows] for rows in (answers, ranking["places"])]
    shown = text_of(
        held.with_result(answers=unplaced[0], ranking={**ranking, "places": unplaced[1]})
    )
    assert "None" not in shown
    assert "Ranking by the panel" not in shown


def test_nobodys_votes_are_no_list() -> None:
    held = judged()
    votes: Any = held.outcome.detail["votes"]
    silent = held.with_result(votes=[{**one, "voted": False} for one in votes])
    assert "── Votes" not in text_of(silent)


def test_who_is_waited_for_is_named_in_every_workflow() -> None:
    held = judged()
    report = report_of(held.run, held.simulation, None, stages=1)
    steps = [replace(one, status="leased", reply=None) for one in report.steps[1:]]
    report = replace(report, steps=(*report.steps[:1], *steps))
    shown = plain(result_lines(report, words=Translator("ko"), max_findings=5))
    assert "작업 중: bob, cyd" in shown


def test_a_review_tells_what_its_sections_say_and_the_findings_do_not() -> None:
    feedback = {
        "points_of_agreement": ["The test is | good"],
        "security_risks": [
            {
                "severity": "CRITICAL",
                "description": "Shell injection",
            },  # as the store gives it back
            {"severity": "MINOR", "description": "Names are logged"},
        ],
        "edge_cases": ["None."],
        "accepted_challenges": ["Shell injection"],
        "refined_recommendation": "Mend it first.",
        "revised_solution": None,
    }
    report = make_report(
        findings=(make_finding(),), verdict="NEEDS_FIX", detail={"feedback": feedback}
    )
    written = markdown.render(report, ENGLISH).partition("## What the debate produced\n\n")[2]
    assert written.partition("\n\n")[0].splitlines() == [
        "- **security risk:** Names are logged — MINOR",
        "- **agreed:** The test is \\| good",
        "- **conceded:** Shell injection",
        "- **recommendation:** Mend it first.",
    ]
    everything = plain(result_lines(report, words=Translator("ko"), max_findings=None))
    assert "다듬은 권고: Mend it first." in everything
    assert "Mend it" not in plain(result_lines(report, words=Translator("ko"), max_findings=5))


@pytest.mark.parametrize(
    ("language", "decision", "warning"),
    [
        ("en", "Decision about version 1: revise", "version 2 of the plan was not decided on"),
        ("ko", "버전 1에 대한 결정: revise", "계획 버전 2에 대한 결정이 없음: 수정 한도 1회에"),
    ],
)
def test_at_the_bound_of_revisions_the_last_answer_is_not_taken_for_the_last_versions(
    language: str, decision: str, warning: str
) -> None:
    run = debates.submitted(PlanOptions(max_revisions=1), language=language)
    held = Held(run, *debates.hold(run, PlanCast(), debates.decides("revise")))
    report = report_of(held.run, held.simulation, held.outcome)
    shown = plain(result_lines(report, words=Translator(language), max_findings=5))
    assert decision in shown
    assert warning in shown
