"""How a result is handed over: what stands alone on stdout, and what is said beside it."""

import json
from pathlib import Path

import pytest

from orchestrator.cli.results import OutputOptions, deliver
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.terminal import Terminal
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.outcomes import Verdict
from tests.support import debates
from tests.support.plan_cast import PlanCast
from tests.support.reports import make_report
from tests.support.seen_runs import report_of


@pytest.mark.parametrize(("choice", "said"), [("accept", ""), ("revise", "was not decided on")])
def test_a_quiet_plan_that_nobody_accepted_says_so_beside_it(
    choice: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = debates.submitted(PlanOptions(max_revisions=1))
    outcome, simulation = debates.hold(run, PlanCast(), debates.decides(choice))
    report = report_of(run, simulation, outcome)
    deliver(report, Terminal.of({}, quiet=True), OutputOptions(), ENGLISH)
    told = capsys.readouterr()
    assert "copy the data" in told.out
    assert "decided" not in told.out
    warnings = [line for line in told.err.splitlines() if "scripted" not in line]
    assert len(warnings) == bool(said)
    assert said in "".join(warnings)


def test_reports_that_the_configuration_wants_are_written_beside_the_result(tmp_path: Path):
    terminal = Terminal(colour_out=False, colour_err=False, live=False, can_ask=False, quiet=True)
    files = (("markdown", tmp_path / "report"), ("json", tmp_path / "report.json"))
    deliver(make_report(), terminal, OutputOptions(reports=files), ENGLISH)
    assert (tmp_path / "report").read_text().startswith("## ")
    assert json.loads((tmp_path / "report.json").read_text())["run"]["id"] == make_report().run.id


def test_what_a_quiet_review_applied_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A hook that lets a fix be applied must not pass in silence: the commit does not hold the fix."""
    applied = {"repository": "/r", "files": ["app.py"], "review": 1}
    for detail, told in ({}, False), ({"applied": [applied]}, True):
        report = make_report(verdict=Verdict.CHECKS_PASSED, detail=detail)
        deliver(report, Terminal.of({}, quiet=True), OutputOptions(), ENGLISH)
        assert bool(capsys.readouterr().out) is told
