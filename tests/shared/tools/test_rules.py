"""Rules are named as people name them, and a name means no rule that it does not say."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from shared.models.findings import Place, RaisedFinding, Severity
from shared.tools.rules import AnalyserRules, covers_path, matches


@pytest.mark.parametrize(
    ("name", "rule", "means"),
    [
        ("B101", "bandit/B101", True),
        ("b101", "bandit/B101", True),
        ("bandit/B101", "bandit/B101", True),
        ("ruff/B101", "bandit/B101", False),
        ("B1", "bandit/B101", True),
        ("B10", "bandit/B1010", True),
        ("B", "ruff/BLE001", False),
        ("PL", "ruff/PLE0101", True),
        ("F4", "ruff/F401", True),
        ("F4", "ruff/F841", False),
        ("bandit/*", "bandit/B602", True),
        ("bandit/*", "ruff/B006", False),
        ("no-*", "eslint/no-eval", True),
        ("no", "eslint/no-eval", False),
        ("@a/b", "eslint/@a/b", True),
        ("eslint/@a/b", "eslint/@a/b", True),
        ("todo", "diffcheck/todo", True),
    ],
)
def test_a_name_means_a_rule(name: str, rule: str, *, means: bool) -> None:
    assert matches(name, rule) is means


@pytest.mark.parametrize(
    ("glob", "path", "covers"),
    [
        ("tests/*", "tests/a.py", True),
        ("tests/*", "tests/deep/a.py", True),
        ("tests/**", "tests/deep/a.py", True),
        ("tests/", "tests/deep/a.py", True),
        ("tests/*", "attests/a.py", False),
        ("__init__.py", "src/a/__init__.py", True),
        ("**/test_*.py", "test_a.py", True),
        ("**/test_*.py", "src/test_a.py", True),
        ("*.pyi", "src/a.pyi", True),
        ("!src/*", "tests/a.py", True),
        ("!src/*", "src/a.py", False),
        ("src", "src.py", False),
    ],
)
def test_a_glob_covers_a_path(glob: str, path: str, *, covers: bool) -> None:
    assert covers_path(glob, path) is covers


def finding(rule: str | None, path: str = "a.py") -> RaisedFinding:
    return RaisedFinding(title="x", rule=rule, place=Place(path=path, line=1))


def test_rules_are_switched_off_and_weighed() -> None:
    rules = AnalyserRules.model_validate(
        {
            "ignore": ["B101"],
            "per_file": {"tests/*": ["F841"]},
            "severity": {"C901": "critical", "F": "info", "ruff/F821": "major"},
        }
    )
    given = [
        finding("bandit/B101"),
        finding("ruff/F841"),
        finding("ruff/F841", "tests/a.py"),
        finding("ruff/F821"),
        finding("complexity/C901"),
        finding(None),
    ]
    kept = rules.applied(given)
    assert [(f.rule, f.severity) for f in kept] == [
        ("ruff/F841", Severity.INFO),
        ("ruff/F821", Severity.MAJOR),
        ("complexity/C901", Severity.CRITICAL),
        (None, Severity.MINOR),
    ]


def test_codes_are_selected_for_the_analyser_that_they_name() -> None:
    rules = AnalyserRules(select=("D100", "bandit/B404", "ruff/UP"))
    assert rules.selected("ruff") == ("D100", "UP")
    assert rules.selected("bandit") == ("D100", "B404")


@pytest.mark.parametrize("name", ["--config=evil", "", "a b", "x\n", "../x"])
def test_a_name_is_no_option_of_a_program(name: str) -> None:
    with pytest.raises(ValidationError):
        AnalyserRules(select=(name,))
