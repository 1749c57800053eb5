"""The two commands of the README, with an installed environment that is a stand-in."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A folder in which everything is installed: the stamps are newer than their sources."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "requirements-dev.lock"):
        shutil.copyfile(ROOT / name, tmp_path / name)
        os.utime(tmp_path / name, (1, 1))
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for stamp in (".created", ".runtime", ".dev"):
        (tmp_path / ".venv" / stamp).touch()
    script(tmp_path / ".venv/bin/python", "exit 0")
    return tmp_path


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def test_a_waiting_decision_is_a_good_end_that_says_what_comes_next(clone: Path):
    script(clone / ".venv/bin/quorate", "echo found; exit 8")
    outcome = make(clone, "review")
    assert (outcome.returncode, outcome.stdout) == (0, "found\n")
    assert "quorate inbox" in outcome.stderr
    assert "quorate decide" in outcome.stderr


@pytest.mark.parametrize("code", [1, 3, 70])
def test_any_other_code_fails_and_is_named(clone: Path, code: int):
    script(clone / ".venv/bin/quorate", f"exit {code}")
    outcome = make(clone, "review")
    assert outcome.returncode != 0
    assert f"Error {code}" in outcome.stderr


def test_what_is_reviewed_can_be_named(clone: Path):
    script(clone / ".venv/bin/quorate", 'echo "$@"')
    assert (
        make(clone, "review", "REVIEW=HEAD~3..HEAD").stdout == "review --decide ask HEAD~3..HEAD\n"
    )


def test_a_python_that_is_too_old_is_refused_in_one_sentence(clone: Path):
    shutil.rmtree(clone / ".venv")
    script(clone / "old", 'test "$1" = --version && echo Python 3.9.2 && exit 0; exit 1')
    outcome = make(clone, "review", "PYTHON=./old")
    assert outcome.returncode != 0
    assert "needs Python 3.11 or newer; './old' is Python 3.9.2." in outcome.stderr
    assert not (clone / ".venv").exists()


def test_nothing_is_installed_again_while_locks_and_project_stay_the_same(clone: Path):
    assert make(clone, "venv").returncode == 0


def test_make_alone_lists_the_targets(clone: Path):
    listed = make(clone).stdout
    assert {"review", "test", "check", "format"} <= set(listed.replace("|", " ").split())
