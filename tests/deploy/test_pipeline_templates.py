"""What deploy/pipelines and the hook manifest promise, read from the files (tests/acceptance/test_ci.py runs steps)."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.cli.commands.ci import ci
from orchestrator.cli.commands.workflow import review  # type: ignore[attr-defined]  # made when it is asked for

ROOT = Path(__file__).resolve().parents[2]
PIPELINES = ROOT / "deploy" / "pipelines"
ACTION = yaml.safe_load((PIPELINES / "github" / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
TEMPLATES = sorted(path for path in PIPELINES.rglob("*") if path.is_file())


def flags_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


def flags_of(command: Any) -> set[str]:
    return {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_types_only_options_that_there_are(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    typed = [line for line in lines if "quorate ci" in line or "options" in line]
    assert typed or path.name == "workflow.yml"
    assert flags_in("\n".join(typed)) <= flags_of(ci)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_holds_no_secret_and_never_runs_a_fork_with_them(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"^\s*pull_request_target:", text, re.MULTILINE)
    assert not re.search(r"(?i)(?:token|key|secret)\s*[:=]\s*['\"]?[A-Za-z0-9+/]{20,}", text)


def test_no_input_is_read_as_code():
    """An expression in a script is text that the runner pastes into it."""
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert scripts
    assert not any("${{" in script for script in scripts)


def test_the_action_uses_every_input_and_sets_every_output():
    (step,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "review"]
    used = set(re.findall(r"inputs\.([a-z-]+)", " ".join(step["env"].values())))
    assert used == ACTION["inputs"].keys()
    assert all(name in step["run"] for name in step["env"])


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_a_hook_types_only_options_that_there_are(hook: dict[str, Any]) -> None:
    assert flags_in(hook["entry"]) <= flags_of(review)
    assert hook["pass_filenames"] is False
