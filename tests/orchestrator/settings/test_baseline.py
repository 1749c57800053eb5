"""What an earlier result found is known, and no finding of later ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.settings.baseline import known_findings, read_baseline
from orchestrator.settings.projects import Reviewed
from shared.errors import ConfigurationError
from shared.git.repository import open_repository
from shared.models.findings import Place, RaisedFinding
from shared.tools.rules import AnalyserRules, KnownFinding, without_layout
from tests.orchestrator.settings.test_projects import Project, project
from tests.support.linear import processor_s

__all__ = ["project"]

LONG = "subprocess.call('ls ' + directory, shell=True)"


def finding(
    quote: str | None, path: str = "a.py", line: int = 1, rule: str = "bandit/B602"
) -> RaisedFinding:
    return RaisedFinding(title="x", rule=rule, quote=quote, place=Place(path=path, line=line))


def rules(folder: Path, *findings: RaisedFinding) -> AnalyserRules:
    file = folder / "baseline.json"
    result = {"findings": [{**f.model_dump(mode="json"), "id": "F1"} for f in findings]}
    file.write_text(json.dumps(result), encoding="utf-8")
    return AnalyserRules(known=known_findings(str(file)))


def test_a_known_finding_is_left_out_wherever_it_stands(tmp_path: Path) -> None:
    known = rules(tmp_path, finding(LONG), finding("except:", rule="ruff/E722"))
    moved = finding(LONG.replace("'", '"'), "new/b.py", 90)
    assert known.without_known([moved]) == ()
    assert known.without_known([finding("except:", line=7, rule="ruff/E722")]) == ()
    assert len(known.without_known([finding("except:", "b.py", rule="ruff/E722")])) == 1
    assert len(known.without_known([finding(LONG.replace("ls", "rm"))])) == 1
    assert len(known.without_known([finding(LONG, rule="bandit/B605")])) == 1


def test_each_known_finding_excuses_one(tmp_path: Path) -> None:
    known = rules(tmp_path, finding(LONG))
    assert len(known.without_known([finding(LONG), finding(LONG, line=5)])) == 1


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"findings": 3}', "[" * 100_000])
def test_a_file_that_is_no_result_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "b.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="is no result as JSON"):
        known_findings(str(file))
    with pytest.raises(ConfigurationError, match="cannot be read"):
        known_findings(str(tmp_path / "none.json"))


def test_a_baseline_stands_beside_the_file_that_names_it_and_a_repository_names_none(
    place: Any,
) -> None:
    place.user("rules: {baseline: known.json}")
    assert place.load().settings.rules.baseline.endswith("/.config/quorate/known.json")
    place.file(".quorate.yaml", "rules: {baseline: known.json}")
    assert place.load().settings.rules.baseline.endswith("/.config/quorate/known.json")


@pytest.mark.parametrize("link", [False, True])
def test_a_baseline_of_the_repository_is_read_as_it_was_before_the_change(
    project: Project, link: bool
) -> None:
    before = project.commit(a__py="x = 1\n")
    rules(project.path, finding(LONG))
    reviewed = Reviewed(open_repository(project.path, project.environ), before)
    if link:
        (project.path / "baseline.json").rename(project.root / "outside.json")
        (project.path / "baseline.json").symlink_to(project.root / "outside.json")
    file = str(project.path / "baseline.json")
    assert known_findings(file)
    with pytest.raises(ConfigurationError, match="there was no such file then"):
        known_findings(file, reviewed)
    later = Reviewed(reviewed.repository, project.commit())
    if link:
        assert len(known_findings(str(project.root / "outside.json"), later)) == 1
        return
    rules(project.path, finding(LONG), finding("except:", rule="ruff/E722"))
    assert [known.rule for known in known_findings(file, later)] == ["bandit/B602"]


@pytest.mark.parametrize(
    ("detail", "cut"),
    [
        ({"unlisted": {"ruff": {"found": 1200, "listed": 1000}}}, True),
        ({"unlisted": {}}, False),
        ({}, False),
    ],
)
def test_a_baseline_of_a_run_that_was_cut_says_so(
    tmp_path: Path, detail: dict[str, Any], cut: bool
) -> None:
    file = tmp_path / "b.json"
    file.write_text(json.dumps({"findings": [], "detail": detail}), encoding="utf-8")
    assert read_baseline(str(file)).cut is cut


def test_a_thousand_findings_are_looked_up_in_a_large_baseline_within_seconds() -> None:
    many = [finding(f"call_number({n}, shell=True)", line=n + 1) for n in range(1000)]
    known = tuple(
        KnownFinding(rule="bandit/B602", path="a.py", text=without_layout(f.quote or ""))
        for f in many * 5
    )
    rules_of = AnalyserRules(known=known)
    assert rules_of.without_known(many) == ()
    assert processor_s(lambda: rules_of.without_known(many)) < 2
