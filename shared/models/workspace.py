"""A repository as the workflow `agent` works on it: a commit, and what was changed on top of it, never a folder.

Whoever needs files writes them out for as long as that takes, so a step can be done again on another machine and finds
what it found before.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from shared.models.wire import Wire


class WorkspaceFile(Wire):
    """A file that differs from the commit: the hash of its text as a document, or None where it was removed."""

    path: str
    document: str | None
    executable: bool = False


class Workspace(Wire):
    """A state of a repository: `commit` (its full id) of the repository at the absolute path, with `files` on top.

    There is at most one entry a path, in the order of paths.
    """

    repository: str
    commit: str
    files: tuple[WorkspaceFile, ...] = ()

    def changed(self, *files: WorkspaceFile) -> Workspace:
        """With these files as they are now."""
        merged = {file.path: file for file in (*self.files, *files)}
        return self.model_copy(update={"files": tuple(merged[path] for path in sorted(merged))})


class OwnChangeUse(StrEnum):
    """Whether a task is about what its author has changed."""

    NO = "no"
    POSSIBLE = "possible"
    """Whoever reads the task decides: what cannot be captured is left out."""
    NEEDED = "needed"


class OwnChange(Wire):
    """What the author of a task has changed: the change as the subject of a review, and where it lies.

    `files` are those that differ from the last commit, for a change that is not committed yet; `left_out` are paths of
    it that are no text, too large or secret.
    """

    subject: str
    title: str
    paths: tuple[str, ...] = ()
    files: tuple[WorkspaceFile, ...] = ()
    left_out: tuple[str, ...] = ()


class CodingTask(Wire):
    """The subject of an agent's run: what is asked for, in its author's words, and the state that it begins with.

    `branch` is the one that was checked out, and `uncommitted` are paths whose changes are no part of the commit.
    Files that `never_sent` means and `may_be_sent` does not are shown to nobody and changed by nobody but people.
    `own_change` is there where the task is about what its author has changed: to review it, to commit it.
    """

    text: str = Field(min_length=1)
    workspace: Workspace
    branch: str | None = None
    uncommitted: tuple[str, ...] = ()
    never_sent: tuple[str, ...] = ()
    may_be_sent: tuple[str, ...] = ()
    own_change: OwnChange | None = Field(default=None, exclude_if=lambda value: value is None)
