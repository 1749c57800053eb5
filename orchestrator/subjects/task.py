"""Capture a task for an agent: its words, and the state of the repository that it begins with."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from orchestrator.subjects.change import Mask, Put
from orchestrator.subjects.comparisons import INDEX, WORKTREE
from orchestrator.subjects.entries import list_untracked
from orchestrator.subjects.location import Located, locate
from orchestrator.subjects.repository_change import capture
from orchestrator.subjects.request import ChangeRequest, Screen
from orchestrator.subjects.revisions import find_commit, require_commit
from orchestrator.subjects.screening import EXECUTABLE
from shared.errors import SubjectError
from shared.git.repository import Repository, open_repository
from shared.models.subject import FileChange, Subject
from shared.models.workspace import CodingTask, OwnChange, Workspace, WorkspaceFile

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
        raise SubjectError(
            "{directory} is no directory: --repo names that of a repository.", directory=directory
        )
    repository = open_repository(directory, environ)
    commit = find_commit(repository.git, "HEAD")
    if commit is not None and revision is not None:
        commit = require_commit(repository.git, revision)
    if commit is None:
        raise SubjectError(
            "The repository {place} has no commit yet, and its last one is what is looked at. Commit "
            "first.",
            place=repository.place,
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


def capture_own_change(request: ChangeRequest, put: Put, count_secrets: Mask) -> OwnChange | None:
    """What a review would be about that names nothing: what is staged, else uncommitted, else the branch, else the
    last commit. None where there is nothing.

    Raises SubjectError where it is too large, or in conflict.
    """
    located = locate(request)
    if not (located.entries or located.untracked):
        return None
    subject = capture(request, put, count_secrets, located)
    if not subject.files:
        return None
    uncommitted = subject.origin.reviewed in (INDEX, WORKTREE)
    files = _files_of(subject, located) if uncommitted else ()
    known = {file.path for file in files}
    return OwnChange(
        subject=put(subject.model_dump_json().encode("utf-8")),
        title=subject.title,
        paths=tuple(file.path for file in subject.files),
        files=files,
        left_out=tuple(f.path for f in subject.files if uncommitted and f.path not in known),
    )


def _files_of(subject: Subject, located: Located) -> tuple[WorkspaceFile, ...]:
    """The files that differ from the last commit, as far as their contents were captured."""
    executable = {
        os.fsdecode(entry.path) for entry in located.entries if entry.new_mode == EXECUTABLE
    }
    files: dict[str, WorkspaceFile] = {}
    for change in subject.files:
        for path, document in _states(change):
            files[path] = WorkspaceFile(
                path=path, document=document, executable=path in executable and document is not None
            )
    return tuple(files[path] for path in sorted(files))


def _states(change: FileChange) -> Iterator[tuple[str, str | None]]:
    if change.old_path is not None and change.status == "renamed" and change.after is not None:
        yield change.old_path, None
    if change.status == "deleted" and change.before is not None:
        yield change.path, None
    elif change.after is not None:
        yield change.path, change.after


def _uncommitted(repository: Repository) -> tuple[str, ...]:
    """Paths whose changes are no part of the commit."""
    if repository.top is None:
        return ()
    listed = repository.git.run("diff", "--name-only", "-z", "--no-ext-diff", "HEAD")
    names = [name for name in listed.split(b"\0") if name]
    untracked = list_untracked(repository.git, _EVERYTHING)
    return tuple(os.fsdecode(name) for name in (*names, *untracked))[:MOST_NAMED]
