"""Steps of one parallel group have one stage; the ranking takes a run's own weights."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.presentation.report import stage_of
from shared.models.findings import Place
from tests.support.reports import make_finding, make_report


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
