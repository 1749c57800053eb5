"""Capture a task for an agent: its words, and the state of the repository that it begins with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.subjects.entries import list_untracked
from orchestrator.subjects.request import Screen
from orchestrator.subjects.revisions import find_commit, require_commit
from shared.errors import SubjectError
from shared.git.repository import Repository, open_repository
from shared.models.workspace import CodingTask, Workspace

_EVERYTHING = (":(top)",)
USUAL_SCREEN = Screen()
MOST_NAMED = 200
"""How many changed paths are kept; they are only told."""


def capture_task(
    words: str,
    directory: Path,
    environ: Mapping[str, str],
    *,
    screen: Screen = USUAL_SCREEN,
    revision: str | None = None,
) -> CodingTask:
    """The task on a commit of the repository around `directory`, the last one unless another is named.

    What the screen keeps here is shown to nobody.

    Raises SubjectError where there is none or it has no commit, EnvironmentFault when git is missing.
    """
    if not directory.is_dir():
        raise SubjectError(f"{directory} is no directory: --repo names that of a repository.")
    repository = open_repository(directory, environ)
    commit = find_commit(repository.git, "HEAD")
    if commit is not None and revision is not None:
        commit = require_commit(repository.git, revision)
    if commit is None:
        raise SubjectError(
            f"The repository {repository.place} has no commit yet, and its last one is what is looked at. Commit first."
        )
    branch = repository.git.ask("symbolic-ref", "--quiet", "--short", "HEAD")
    return CodingTask(
        text=words,
        workspace=Workspace(repository=str(repository.place.resolve()), commit=commit.strip()),
        branch=branch.strip() if branch else None,
        uncommitted=_uncommitted(repository),
        never_sent=screen.never_sent,
        may_be_sent=screen.may_be_sent,
    )


def _uncommitted(repository: Repository) -> tuple[str, ...]:
    """Paths whose changes are no part of the commit."""
    if repository.top is None:
        return ()
    listed = repository.git.run("diff", "--name-only", "-z", "--no-ext-diff", "HEAD")
    names = [name for name in listed.split(b"\0") if name]
    untracked = list_untracked(repository.git, _EVERYTHING)
    return tuple(os.fsdecode(name) for name in (*names, *untracked))[:MOST_NAMED]
