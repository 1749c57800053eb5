"""Capture a task for an agent: its words, and the state of the repository that it begins with."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from orchestrator.subjects.entries import list_untracked
from shared.errors import SubjectError
from shared.git.repository import Repository, open_repository
from shared.models.workspace import CodingTask, Workspace

_EVERYTHING = (":(top)",)
MOST_NAMED = 200
"""How many changed paths are kept; they are only told."""


def capture_task(words: str, directory: Path, environ: Mapping[str, str]) -> CodingTask:
    """The task on the last commit of the repository around `directory`.

    Raises SubjectError where there is none or it has no commit, EnvironmentFault when git is missing.
    """
    if not directory.is_dir():
        raise SubjectError(f"{directory} is no directory: --repo names that of a repository.")
    repository = open_repository(directory, environ)
    commit = repository.git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if commit is None:
        raise SubjectError(
            f"The repository {repository.place} has no commit yet: an agent works on the last one. Commit first."
        )
    branch = repository.git.ask("symbolic-ref", "--quiet", "--short", "HEAD")
    return CodingTask(
        text=words,
        workspace=Workspace(repository=str(repository.place.resolve()), commit=commit.strip()),
        branch=branch.strip() if branch else None,
        uncommitted=_uncommitted(repository),
    )


def _uncommitted(repository: Repository) -> tuple[str, ...]:
    """Paths whose changes are no part of the commit."""
    if repository.top is None:
        return ()
    listed = repository.git.run("diff", "--name-only", "-z", "--no-ext-diff", "HEAD")
    names = [name for name in listed.split(b"\0") if name]
    untracked = list_untracked(repository.git, _EVERYTHING)
    return tuple(os.fsdecode(name) for name in (*names, *untracked))[:MOST_NAMED]
