"""Which run a name means for a command that changes something of it, and what is said of another repository's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.cli.installations import run_to_change
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.terminal import Terminal
from tests.support.reports import make_report


class OneRun:
    """A place that finds the same run under every name."""

    def __init__(self, repository: str) -> None:
        report = make_report()
        labels = {"repository": repository} if repository else {}
        spec = {**report.run.spec, "labels": labels}
        self.found = replace(report, run=replace(report.run, spec=spec))

    def report(self, _name: str) -> RunReport:
        return self.found


@pytest.mark.parametrize(
    ("repository", "name", "is_told"),
    [
        ("bank", "last@mill", True),
        ("bank", "last@bank", False),
        ("bank", "last", True),
        ("bank", "r3k", False),
        ("", "last@mill", False),
    ],
)
def test_last_of_another_repository_is_told(
    repository: str, name: str, is_told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    report = run_to_change(OneRun(repository), name, Terminal.of({"NO_COLOR": "1"}, quiet=True))

    told = capsys.readouterr().err
    assert (f"{report.run.id} is a run of the repository bank" in told) == is_told
    assert bool(told) == is_told
