"""A project's own ruff settings count as they were before the change, and hide nothing grave."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from orchestrator.settings.projects import Reviewed
from orchestrator.settings.ruff_settings import project_rules
from shared.git.repository import open_repository
from shared.models.findings import Place, RaisedFinding, Severity
from shared.tools.rules import AnalyserRules
from tests.workers.tools.changes import new_repo

FILES = {
    "pyproject.toml": "[tool.ruff]\nextend-exclude = ['src']\n[tool.ruff.lint]\nselect = ['ALL', 'PLR2004']\n"
    "ignore = ['F841', 'PLR', 'E7', 7]\nper-file-ignores = {'tests/*' = ['F401'], '__init__.py' = ['F']}\n",
    "deep/ruff.toml": "extend = '../pyproject.toml'\nextend-ignore = ['B006']\n",
    "old/.ruff.toml": "ignore = ['F401']\n",
    "bad/ruff.toml": "ignore = [\n",
    "up/ruff.toml": "extend = '../../../etc/ruff.toml'\nlint.ignore = ['F401']\n",
}


@pytest.fixture
def rules(tmp_path: Path) -> AnalyserRules:
    repo = new_repo(tmp_path / "r")
    base = repo.commit(dict(FILES))
    repo.commit({"pyproject.toml": "[tool.ruff.lint]\nignore = ['ALL']\n"})
    repository = open_repository(repo.root, {"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    paths = [f"{folder}a.py" for folder in ("", "src/", "tests/", "deep/", "old/", "bad/", "up/")]
    return AnalyserRules(project=project_rules(Reviewed(repository, base), paths))


def finding(rule: str, path: str, severity: Severity = Severity.MINOR) -> RaisedFinding:
    return RaisedFinding(title="x", rule=rule, severity=severity, place=Place(path=path, line=1))


@pytest.mark.parametrize(
    ("rule", "path", "kept"),
    [
        ("ruff/F841", "a.py", False),
        ("ruff/F841", "src/a.py", False),
        ("ruff/F401", "a.py", True),
        ("ruff/F401", "tests/deep/a.py", False),
        ("ruff/F401", "src/__init__.py", False),
        ("ruff/E711", "a.py", False),
        ("ruff/PLR1704", "a.py", False),
        ("ruff/PLR2004", "a.py", True),
        ("bandit/B101", "a.py", True),
        ("ruff/F841", "deep/a.py", False),
        ("ruff/F841", "old/a.py", True),
        ("ruff/F401", "old/a.py", False),
        ("ruff/F841", "bad/a.py", False),
        ("ruff/F401", "up/a.py", False),
    ],
)
def test_what_the_nearest_settings_switch_off_is_left_out(
    rules: AnalyserRules, rule: str, path: str, *, kept: bool
) -> None:
    assert bool(rules.applied([finding(rule, path)])) is kept


def test_a_grave_finding_is_told_and_asks_for_nothing(rules: AnalyserRules) -> None:
    (told,) = rules.applied([finding("ruff/B006", "deep/a.py", Severity.MAJOR)])
    assert told.severity is Severity.INFO
    assert "own ruff settings" in told.detail
    assert (
        rules.applied([finding("ruff/B006", "a.py", Severity.MAJOR)])[0].severity is Severity.MAJOR
    )


def test_what_the_person_selects_or_weighs_counts(rules: AnalyserRules) -> None:
    given: Any = {"project": rules.project, "select": ["F841"], "severity": {"B006": "major"}}
    own = AnalyserRules.model_validate(given)
    assert own.applied([finding("ruff/F841", "a.py")])
    assert (
        own.applied([finding("ruff/B006", "deep/a.py", Severity.MAJOR)])[0].severity
        is Severity.MAJOR
    )
