"""A run that reviewed its own fix: which findings stand, where everybody stands on them now, and what a patch mends."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import Any

import pytest

from orchestrator.core.cycle_names import renamed
from orchestrator.core.lines import plain
from orchestrator.presentation.formats.html import render as as_html
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.formats.markdown import render as as_markdown
from orchestrator.presentation.formats.sarif import render as as_sarif
from orchestrator.presentation.formats.summary import render as as_summary
from orchestrator.presentation.formats.text import question_lines, result_lines
from orchestrator.presentation.formats.text import render as as_text
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.report import RunReport
from shared.models.decision import DecisionState
from shared.models.findings import Finding, FindingStatus, Position, Severity
from shared.models.notices import notice
from shared.models.outcomes import Ending, RunStatus, Verdict
from shared.models.review_replies import Applied
from tests.support.reports import (
    PATCH,
    make_assessment,
    make_decision,
    make_finding,
    make_report,
    make_step,
)

DOUBTED = {"bandit": Position.AGREE, "claude": Position.DISAGREE, "ruff": Position.DISAGREE}


def make_other(identity: str, **changes: Any) -> Finding:
    """Another defect of the same file."""
    words = {"title": "A lock is never released", "detail": "The next caller waits for ever."}
    fields = {"rule": None, "place": {"path": "app.py", "line": 40}, **words, **changes}
    return make_finding(identity, **fields)


def fix_of(*names: str) -> dict[str, Any]:
    fixes = [{"findings": [name], "patch": PATCH, "source": "claude"} for name in names]
    return {"fixes": fixes, "patch": PATCH}


def reviewed_again(*findings: Finding, standing: list[str], **detail: Any) -> RunReport:
    """A run whose first fix was applied, after the review of that fix."""
    applied = [{"base": "a" * 40, "files": ["app.py"], "repository": "/r"}]
    stored = {"standing": standing, "applied": applied, **detail}
    return make_report(verdict=Verdict.NEEDS_FIX, findings=findings, detail=stored)


def text_of(report: RunReport) -> str:
    return plain(result_lines(report, words=ENGLISH, max_findings=9))


def test_a_defect_that_was_raised_again_shows_the_positions_of_the_last_review() -> None:
    agreed = dict.fromkeys(DOUBTED, Position.AGREE)
    first = make_other("F2", stances=agreed)
    again = make_other("R2F1", stances=DOUBTED, status=FindingStatus.CONTESTED)
    text = text_of(reviewed_again(make_finding(), first, again, standing=["F2", "R2F1"]))
    assert "(1/3, contested, raised again as R2F1) F2\n" in text
    assert "For: bandit (1 of 3)" in text
    assert "(3/3" not in text


def test_the_headline_calls_an_open_finding_by_the_name_under_which_it_is_shown() -> None:
    first, again = make_other("F2"), make_other("R2F1", status=FindingStatus.CONTESTED)
    report = reviewed_again(make_finding(), first, again, standing=["F2", "R2F1"])
    last = make_assessment()
    counted = notice("findings_open_of", findings=("R2F1",), agreed=1, known=2)
    figures = last.figures.model_copy(
        update={
            "open_findings": ("R2F1",),
            "agreed_findings": ("R2F2",),
            "reason": notice("positions_settled", open=counted),
        }
    )
    report = replace(report, assessments=(replace(last, figures=figures),))
    assert "with F2 open (agreed on 1 of 2)" in text_of(report)


def test_a_rounds_figures_are_renamed_where_they_name_findings_and_nowhere_else() -> None:
    counted = notice("findings_open", findings=("F1",))
    reason = notice("not_agreed_yet", open=counted, who="F9")
    figures = make_assessment().figures.model_copy(
        update={"open_findings": ("F1",), "agreed_findings": ("F2",), "reason": reason}
    )
    named = renamed(figures, lambda name: f"R2{name}")
    assert (named.open_findings, named.agreed_findings) == (("R2F1",), ("R2F2",))
    assert named.reason == notice(
        "not_agreed_yet", open=notice("findings_open", findings=("R2F1",)), who="F9"
    )


def test_the_patch_of_a_later_review_leaves_only_what_still_stands() -> None:
    mended, other, new = make_finding(), make_other("F2"), make_finding("R2F1", title="New")
    report = make_report(
        RunStatus.WAITING,
        findings=(mended, other, new),
        decisions=(make_decision(fixes=fix_of("R2F1")),),
    )
    # F1 was mended by the first review's fix.
    answer = {"choice": "apply_fix", "actor": "ann", "channel": "cli"}
    earlier = make_decision(DecisionState.ANSWERED, fixes=fix_of("F1"))
    reply = {"base": "a" * 40, "files": ["app.py"], "repository": "/r"}
    report = replace(
        report,
        decisions=(
            replace(earlier, answer=answer),
            *(replace(row, key="review2/decision") for row in report.decisions),
        ),
        steps=(make_step("apply", participant="git", role="apply", reply=reply),),
    )
    assert {finding.id for finding in report.standing} == {"F2", "R2F1"}
    assert "Mends R2F1; leaves F2." in plain(question_lines(report, ENGLISH))


@pytest.mark.parametrize(
    ("standing", "told"),
    [
        (["F2"], "Mended F1; left F2."),
        (["F1", "F2"], "The patch would mend F1, F2: all that was found."),
        ([], "Mended F1, F2: all that was found."),
    ],
)
def test_of_a_run_that_is_over_only_what_no_longer_stands_was_mended(
    standing: list[str], told: str
) -> None:
    """`--only F1` applies one of two fixes; a skipped one mends nothing, also after an earlier one was applied."""
    findings = (make_finding(), make_other("F2"))
    assert told in text_of(reviewed_again(*findings, standing=standing, fixes=fix_of("F1", "F2")))


def test_two_wordings_of_one_defect_are_counted_once_and_not_left_by_its_patch() -> None:
    words: dict[str, Any] = {"rule": None, "place": None}
    first = make_finding("F1", **words)
    alike = make_finding("F2", raised_by=("ruff",), stances={}, **words)
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(first, alike), detail={"fixes": fix_of("F1")}
    )
    text = text_of(report)
    assert text.startswith("NEEDS_FIX · 1 finding: 1 CRITICAL; 1 nearly repeats another · ")
    assert "would mend F1: all that was found. F2 says nearly the same." in text


def test_a_wording_that_is_called_worse_is_counted() -> None:
    words: dict[str, Any] = {"rule": None, "place": None}
    first = make_finding("F1", severity=Severity.MAJOR, **words)
    worse = make_finding("F2", raised_by=("ruff",), stances={}, **words)
    text = text_of(make_report(verdict=Verdict.NEEDS_FIX, findings=(first, worse)))
    assert "1 CRITICAL" in text.splitlines()[0]


SPENT = {"turns": 2, "failed": 0, "tokens": 10, "cost_usd": 0.25}
RECEIPT = {"helped": "confirmed", "first_votes_blind": True, "first_round": SPENT, "debate": SPENT}
EARLIER = {**RECEIPT, "review": 1, "first_votes": {"claude": "NEEDS_FIX"}}
LAST = {**RECEIPT, "review": 2, "first_votes": {"claude": "APPROVED"}}


def debated(ending: Ending, **changes: Any) -> RunReport:
    """Two rounds about the change that ended so, a fix of F1, and one look at it that raised nothing."""
    again = make_assessment(Ending.CONVERGED, 1)
    report = reviewed_again(
        make_finding(),
        make_other("F2", status=FindingStatus.CONTESTED),
        standing=["F2"],
        reviews=2,
        earlier_receipts=[EARLIER],
        receipt=LAST,
        fixes=fix_of("F1"),
        **changes,
    )
    rounds = (make_assessment(number=1), make_assessment(ending, 2))
    return replace(report, assessments=(*rounds, replace(again, key="review2/round/1")))


def test_a_look_at_the_fix_does_not_say_whether_the_debate_of_the_change_helped() -> None:
    text = text_of(debated(Ending.CONVERGED))
    told = "It confirmed the first vote; nobody changed their mind. (before the fix; cost of the debate"
    assert told in text
    markdown = as_markdown(debated(Ending.CONVERGED), ENGLISH)
    assert "claude: NEEDS\\_FIX" in markdown
    assert "claude: APPROVED" not in markdown


def test_a_first_vote_is_not_confirmed_where_the_debate_of_it_did_not_agree() -> None:
    text = text_of(debated(Ending.STALLED))
    assert "Hardly: the verdict is that of the first vote, and they have not agreed." in text
    assert "confirmed" not in text


def test_the_convergence_of_each_review_is_shown() -> None:
    head = text_of(debated(Ending.STALLED)).splitlines()[1]
    assert "Convergence: 0.82 · stalled · 2 rounds; review 2: 0.82 · converged · 1 round" in head


def taken_back(report: RunReport) -> RunReport:
    """The same run after `quorate undo`."""
    fix = report.applied[0]
    step = make_step("apply", participant="git", role="apply", reply=fix.model_dump(mode="json"))
    return replace(report, steps=(step,), undone={"rundo": fix})


def test_an_undone_fix_is_seen_in_the_run_that_applied_it() -> None:
    report = debated(Ending.CONVERGED)
    assert "2 findings" not in text_of(report)
    text = text_of(taken_back(report))
    assert text.startswith("NEEDS_FIX · 2 findings: 2 CRITICAL · ")
    assert "taken back by undo run rundo" in text
    assert "quorate undo" not in text
    assert "fixed" not in text
    assert "The patch would mend F1 and leave F2." in text
    assert "taken back by undo run rundo" in as_markdown(taken_back(report), ENGLISH)


def test_a_verdict_that_a_fix_had_brought_does_not_outlive_it() -> None:
    applied = [{"base": "a" * 40, "files": ["app.py"], "repository": "/r"}]
    report = make_report(
        verdict=Verdict.APPROVED,
        findings=(make_finding(),),
        detail={"standing": [], "applied": applied},
        fail_on=Severity.MAJOR,
    )
    assert as_json(report)["gate"]["outcome"] == "passed"
    content = as_json(taken_back(report))
    assert (content["verdict"], content["gate"]["outcome"]) == ("NEEDS_FIX", "tripped")
    assert content["applied"][0]["undone_by"] == "rundo"


def test_of_two_fixes_the_one_that_was_not_taken_back_still_mends() -> None:
    fixes = [
        {"base": "a" * 40, "files": ["app.py"], "repository": "/r", "commit": c * 40} for c in "bc"
    ]
    new = make_finding("R2F1", title="New")
    report = reviewed_again(make_finding(), new, standing=[])
    assert report.run.outcome is not None
    detail = {**report.detail, "applied": fixes}
    report = replace(
        report,
        run=replace(report.run, outcome={**report.run.outcome, "detail": detail}),
        steps=(
            make_step("apply", participant="git", role="apply", reply=fixes[0]),
            make_step("review2/apply", participant="git", role="apply", reply=fixes[1]),
        ),
        undone={"rundo": Applied.model_validate(fixes[1])},
    )
    assert [finding.id for finding in report.standing] == ["R2F1"]


def test_an_applied_fix_on_a_branch_says_how_to_take_it() -> None:
    fix = {"branch": "quorate/fix-r", "commit": "c" * 40, "files": ["app.py"], "repository": "/r"}
    report = make_report(findings=(make_finding(),), detail={"applied": [fix], "standing": []})
    lines = text_of(report).splitlines()
    assert "  take it with: git cherry-pick cccccccccccc" in lines
    assert "  with uncommitted changes: git diff-tree -p cccccccccccc | git apply" in lines
    assert "`git cherry-pick cccccccccccc`" in as_markdown(report, Translator("ko"))


def test_a_fix_in_the_files_needs_no_taking() -> None:
    fix = {"files": ["app.py"], "repository": "/r", "commit": "c" * 40}
    report = make_report(findings=(make_finding(),), detail={"applied": [fix], "standing": []})
    assert "cherry-pick" not in text_of(report)


CUT = {"unlisted": {"ruff": {"found": 1200, "listed": 1000}}}


@pytest.mark.parametrize(
    "render", [as_text, as_markdown, as_sarif, as_html, as_summary], ids=lambda f: f.__module__
)
def test_every_format_says_that_more_was_found_than_is_listed(render: Any) -> None:
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), detail={"fixes": fix_of("F1"), **CUT}
    )
    told = html.unescape(render(report, ENGLISH))
    assert "ruff found 1200 findings, of which only the gravest 1000 are listed" in told
    assert "all that was found" not in told


def test_the_json_of_a_run_that_was_cut_has_the_numbers() -> None:
    content = as_json(
        make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), detail=CUT)
    )
    assert content["detail"]["unlisted"] == CUT["unlisted"]
    assert "findings_unlisted" in [each["code"] for each in content["notices"]]


def test_under_a_cut_a_patch_mends_what_is_listed() -> None:
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(make_finding(),), detail={"fixes": fix_of("F1"), **CUT}
    )
    assert "The patch would mend F1: all that is listed." in text_of(report)
