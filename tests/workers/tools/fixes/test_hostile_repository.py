"""A repository whose configuration names programs runs none of them, whatever is applied or undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workers.tools.changes import Repo, new_repo
from tests.workers.tools.orders import Reviewed, reviewed, show
from workers.tools.fixes.undo import undo
from workers.tools.sandbox.sandbox import Countdown

HOOKS = (
    "pre-commit",
    "post-commit",
    "reference-transaction",
    "post-index-change",
    "pre-applypatch",
)


def set_traps(repo: Repo, marker: Path) -> None:
    """Everything in a repository that git would run."""
    trap = repo.root.parent / "trap.sh"
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{marker}'\ncat\n")
    trap.chmod(0o755)
    hooks = repo.root / ".git/hooks"
    hooks.mkdir(exist_ok=True)
    for hook in HOOKS:
        (hooks / hook).write_text(trap.read_text())
        (hooks / hook).chmod(0o755)
    settings = {
        "core.hooksPath": str(hooks),
        "core.fsmonitor": str(trap),
        "core.pager": str(trap),
        "core.editor": str(trap),
        "filter.evil.clean": str(trap),
        "filter.evil.smudge": str(trap),
        "filter.evil.process": str(trap),
        "filter.evil.required": "true",
        "diff.evil.textconv": str(trap),
        "diff.evil.command": str(trap),
        "diff.external": str(trap),
        "merge.evil.driver": str(trap),
        "gpg.program": str(trap),
        "commit.gpgSign": "true",
        "core.autocrlf": "true",
        "core.sshCommand": str(trap),
        "alias.apply": f"!{trap}",
    }
    for key, value in settings.items():
        with (repo.root / ".git/config").open("a") as file:
            section, _, name = key.rpartition(".")
            head, _, sub = section.partition(".")
            file.write(
                f'[{head}{f" {chr(34)}{sub}{chr(34)}" if sub else ""}]\n\t{name} = "{value}"\n'
            )
    (repo.root / ".git/info").mkdir(exist_ok=True)
    (repo.root / ".git/info/attributes").write_text("* filter=evil diff=evil merge=evil text\n")


@pytest.mark.parametrize(
    ("state", "mode"),
    [("commit", "branch"), ("worktree", "branch"), ("index", "branch"), ("worktree", "in_place")],
)
def test_nothing_that_the_repository_names_is_run(
    tmp_path: Path, state: Reviewed, mode: str
) -> None:
    repo = new_repo(tmp_path / "r")
    this = reviewed(
        repo,
        {"a.txt": "1\n", ".gitattributes": "x\n"},
        {"a.txt": "2\n", ".gitattributes": "* filter=evil diff=evil text eol=crlf\n"},
        {"a.txt": "3\n"},
        state,
    )
    marker = tmp_path / "ran"
    set_traps(repo, marker)
    applied = this.apply(mode=mode)
    if mode == "branch":
        assert show(repo, "quorate/fix-run_01:a.txt") == "3\n"
    else:
        assert (repo.root / "a.txt").read_bytes() == b"3\n"
    undo(applied, this.documents, Countdown(60.0))
    assert not marker.exists(), marker.read_text()


def test_the_traps_would_be_run_by_an_ordinary_git(tmp_path: Path) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit({"a.txt": "1\n"})
    marker = tmp_path / "ran"
    set_traps(repo, marker)
    import subprocess

    (repo.root / "a.txt").write_text("2\n")
    subprocess.run(["git", "diff"], cwd=repo.root, check=False, capture_output=True)
    assert marker.exists()
