"""`quorate eval` with real servers and workers: figures, resuming without paying again, comparison, bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixtures.instance import CommandLine

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(300)]

CRITIQUE = {"role": "critique"}
FOUND = {
    "verdict": "NEEDS_FIX",
    "summary": "wrong",
    "findings": [
        {
            "title": "The divisor may be zero",
            "detail": "nothing keeps count from being zero here",
            "severity": "MAJOR",
            "place": {"path": "mean.py", "line": 2},
            "confidence": 0.9,
        }
    ],
}
NOTHING = {"verdict": "APPROVED", "summary": "fine", "findings": []}
CASES: list[dict[str, Any]] = [
    {
        "custom_id": "divides",
        "files": {"mean.py": "def mean(total, count):\n    return total / max(count, 1)\n"},
        "after": {"mean.py": "def mean(total, count):\n    return total / count\n"},
        "labels": [
            {"path": "mean.py", "line": 2, "severity": "MAJOR", "words": ["divisor may be zero"]}
        ],
    },
    {
        "custom_id": "clean",
        "files": {"mean.py": "def mean(t, c):\n    return t / c if c else 0\n"},
        "after": {"mean.py": "def mean(total, count):\n    return total / count if count else 0\n"},
        "labels": "clean",
    },
]

Eval = Callable[..., tuple[int, str, str]]


@pytest.fixture
def evaluate(live: CommandLine, tmp_path: Path) -> Eval:
    """`quorate eval` where `sharp` finds everything everywhere, and `blind` nothing."""
    scripts = {"sharp": FOUND, "blind": NOTHING}
    for name, reply in scripts.items():
        script = [{"when": CRITIQUE, "reply": reply}]
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(script), encoding="utf-8")
    providers = {
        name: {"type": "scripted", "script": f"{name}.yaml", "family": name} for name in scripts
    }
    config = tmp_path / "quorate.yaml"
    config.write_text(yaml.safe_dump({"providers": providers}), encoding="utf-8")
    cases = tmp_path / "cases.jsonl"
    cases.write_text("\n".join(map(json.dumps, CASES)), encoding="utf-8")

    def run(*arguments: str, stdin: str | None = None) -> tuple[int, str, str]:
        done = live(
            "eval", *arguments, "--config", str(config), cwd=tmp_path, stdin=stdin, timeout_s=200
        )
        return done.returncode, done.stdout, done.stderr

    return run


def panel(name: str) -> tuple[str, str]:
    return "--panel", f"{name},author=rules,chair=rules"


def figures(panel: dict[str, Any]) -> dict[str, Any]:
    return {name: figure["value"] for name, figure in panel["sheet"]["figures"].items()}


def test_panels_are_measured_compared_and_not_run_twice(evaluate: Eval) -> None:
    both = ("cases.jsonl", *panel("sharp"), *panel("blind"), "--rounds", "1")
    code, stdout, stderr = evaluate(*both, "--json")
    assert code == 0, stderr
    result = json.loads(stdout)
    sharp, blind = result["panels"]
    found = figures(sharp)
    assert (found["precision"], found["recall"], found["left_alone"]) == (0.5, 1.0, 0.0)
    assert found["same_severity"] == 1.0
    assert figures(blind)["recall"] == 0.0
    assert figures(blind)["left_alone"] == 1.0
    assert sharp["confidence"]["count"] == 2
    assert sharp["confidence"]["bins"][0]["share"] == 0.5
    (comparison,) = result["comparisons"]
    assert comparison["cases"] == 2
    runs = {row["run"] for row in result["cases"]}
    assert len(runs) == 4
    name = result["names"][0]

    code, stdout, stderr = evaluate(*both, "--json")
    assert {row["run"] for row in json.loads(stdout)["cases"]} == runs
    assert "4 of them ended already" in stderr

    # One of them alone is another evaluation of the same runs.
    code, stdout, _ = evaluate("cases.jsonl", *panel("sharp"), "--rounds", "1", "--json")
    alone = json.loads(stdout)
    assert {row["run"] for row in alone["cases"]} < runs
    assert alone["names"] != [name]

    code, stdout, _ = evaluate("--show", name, "--show", alone["names"][0], "--json")
    side_by_side = json.loads(stdout)
    assert len(side_by_side["panels"]) == 3
    assert side_by_side["comparisons"][1]["cases"] == 2

    code, stdout, _ = evaluate("--show", name, "--cases", "--lang", "ko")
    assert "정밀도" in stdout
    assert "divides" in stdout
    code, stdout, _ = evaluate("--show", name, "--least", "CRITICAL", "--json")
    assert json.loads(stdout)["panels"][0]["sheet"]["counts"]["raised"] == 0
    code, stdout, _ = evaluate("--list", "--json")
    assert name in {row["name"] for row in json.loads(stdout)["evals"]}


def test_a_name_belongs_to_its_cases_and_panels(evaluate: Eval, tmp_path: Path) -> None:
    assert evaluate("cases.jsonl", *panel("blind"), "--name", "mine", "--no-wait")[1] == "mine\n"
    code, _, stderr = evaluate("cases.jsonl", *panel("sharp"), "--name", "mine")
    assert code == 2
    assert "choose another --name" in stderr
    code, _, stderr = evaluate("cases.jsonl", *panel("blind"), "--name", "mine", "-o", "m.md")
    assert code == 0, stderr
    assert "# Evaluation mine" in (tmp_path / "m.md").read_text(encoding="utf-8")


def test_an_estimate_stores_nothing(evaluate: Eval) -> None:
    code, stdout, _ = evaluate(
        "-", *panel("blind"), "--estimate", "--json", stdin=json.dumps(CASES[1])
    )
    foreseen = json.loads(stdout)
    assert (code, foreseen["runs"]) == (0, 1)
    assert evaluate("--show", foreseen["eval"])[0] == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"labels": [{"path": "other.py", "line": 1}]}, "the change does not touch other.py"),
        ({"labels": [{"path": "mean.py", "line": 99}]}, "line 99 is beyond the end of mean.py (2)"),
        ({"after": None, "diff": "nonsense"}, "not a unified diff"),
        ({"after": None, "revision": "nowhere"}, "standard input line 2"),
        ({"after": None, "files": {}, "diff_file": "no.diff"}, "no.diff cannot be read"),
    ],
)
def test_what_cannot_be_captured_is_refused_with_its_line_before_anything_runs(
    evaluate: Eval, change: dict[str, Any], reason: str
) -> None:
    wrong = {**CASES[1], "custom_id": "wrong", **change}
    if "revision" in change:
        wrong = {**wrong, "files": {}}
    lines = "\n".join(map(json.dumps, (CASES[0], wrong)))
    code, _, stderr = evaluate("-", *panel("blind"), "--name", "never", stdin=lines)
    assert code == 2
    assert "standard input line 2: " in stderr
    assert reason in stderr
    assert evaluate("--show", "never")[0] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("cases.jsonl", "--builtin", "small"),
        ("--show", "a", "--list"),
        ("--show", "a", "--name", "b"),
        ("--list", "--retry-failed"),
        ("--first", "0"),
        ("--least", "HUGE"),
        ("-o", "result.sarif"),
        ("--builtin", "none"),
        ("--panel", ""),
    ],
)
def test_a_wrong_command_line_is_refused(evaluate: Eval, arguments: tuple[str, ...]) -> None:
    assert evaluate(*arguments)[0] == 2
