"""Steps of one parallel group have one stage; the ranking takes a run's own weights."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.presentation.formats.text import render
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.stages import stage_of
from shared.models.assessment import Recommendation
from shared.models.findings import Place, Severity
from shared.models.notices import notice
from shared.models.outcomes import Ending, RunStatus, Verdict
from tests.support.reports import PATCH, make_assessment, make_decision, make_finding, make_report


@pytest.mark.parametrize(
    ("key", "participant", "stage"),
    [
        ("critique/1/bert", "bert", "critique/1"),
        ("critique/1/bert/4", "bert", "critique/1"),
        ("review2/critique/1/openai:m/12", "openai:m", "review2/critique/1"),
        ("synthesis/cleo", "cleo", "synthesis"),
        ("conclusion", "cleo", "conclusion"),
        ("critique/1/bert/4", "be", "critique/1/bert/4"),
    ],
)
def test_a_stage_is_what_a_group_shares(key: str, participant: str, stage: str) -> None:
    assert stage_of(key, participant) == stage


def test_a_vote_counts_what_the_run_captured_for_it() -> None:
    """The same run with other weights is read in another order; without any it is as it always was."""
    findings = tuple(
        make_finding(
            name, title=title, rule=None, quote=None, raised_by=(who,), stances={}, place=place
        )
        for name, title, who, place in (
            ("F1", "The lock is never released", "ruff", Place(path="a.py", line=1)),
            ("F2", "Prices are rounded twice", "claude", Place(path="b.py", line=9)),
        )
    )
    report = make_report(findings=findings)

    def order(**trusted: float) -> list[str]:
        spec = report.spec.model_copy(update={"trusted": trusted})
        run = replace(report.run, spec=spec.model_dump(mode="json"))
        return [place.finding.id for place in replace(report, run=run).ranking]

    assert order(ruff=1.4, claude=0.6) == ["F1", "F2"]
    assert order(ruff=0.6, claude=1.4) == ["F2", "F1"]
    assert order() == order(ruff=1.0, claude=1.0)


def test_a_gate_that_nothing_decided_names_the_cause() -> None:
    why = notice("quorum_missed", answered=1, expected=4, n=3)
    recorded = make_assessment(Ending.DEGRADED)
    figures = recorded.figures.model_copy(update={"reason": why})
    report = make_report(
        ending=Ending.DEGRADED, fail_on=Severity.MAJOR, verdict=Verdict.INCONCLUSIVE
    )
    report = replace(report, assessments=(replace(recorded, figures=figures),))
    text = render(report, ENGLISH)
    cause = "1 of 4 answered, 3 are needed"
    assert f"Gate inconclusive: the discussion ended as degraded: {cause}" in text
    assert text.count(cause) == 1


def test_an_agreement_that_no_further_round_confirmed_is_told_in_words() -> None:
    recorded = make_assessment(Ending.EXHAUSTED)
    metrics = recorded.figures.metrics.model_copy(
        update={"recommendation": Recommendation.CONFIRM, "overall_score": 1.0}
    )
    why = notice("last_round_over", open=notice("agreed_unconfirmed"))
    figures = recorded.figures.model_copy(update={"metrics": metrics, "reason": why})
    report = replace(
        make_report(ending=Ending.EXHAUSTED, verdict=Verdict.INCONCLUSIVE),
        assessments=(replace(recorded, figures=figures),),
    )
    text = render(report, ENGLISH)
    assert "1.00 · agreed in the last round, confirmed by none · 1 round" in text
    assert "the participants agree, which no further round has confirmed" in text


def test_a_patch_that_nobody_applied_comes_with_the_way_to_it() -> None:
    fixes = {"fixes": [{"findings": ["F1"], "patch": PATCH, "source": "ruff"}], "patch": PATCH}
    report = make_report(
        findings=(make_finding(),), verdict=Verdict.NEEDS_FIX, detail={"fixes": fixes}
    )
    assert "quorate show rabc --patch | git apply" in render(report, ENGLISH)
    waiting = make_report(
        RunStatus.WAITING, findings=(make_finding(),), decisions=(make_decision(),)
    )
    assert "--patch" not in render(waiting, ENGLISH)


def test_of_many_ids_the_first_are_named() -> None:
    findings = tuple(make_finding(f"F{n}") for n in range(1, 21))
    report = make_report(findings=findings, fail_on=Severity.MAJOR, verdict=Verdict.NEEDS_FIX)
    assert "Gate tripped: F1, F2, F3, F4, F5 and 15 more at MAJOR or worse" in render(
        report, ENGLISH
    )
