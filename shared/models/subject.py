"""The subject of a review: a change, captured at submission and independent of its repository."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from shared.models.wire import Wire


class LineRange(Wire):
    """Lines `first` to `last`, both included, counted from 1 in the reviewed state."""

    first: int = Field(ge=1)
    last: int = Field(ge=1)

    def __contains__(self, line: object) -> bool:
        """True when `line` (an int) lies in the range."""
        return isinstance(line, int) and self.first <= line <= self.last


PYTHON_SUFFIXES = (".py", ".pyi", ".pyw")
"""What a path ends in that holds Python."""


class FileChange(Wire):
    """One file of the change. `before` and `after` are document hashes of its two states (None: absent).

    Binary files and files over the size limit have no documents and say why in `skipped`.
    """

    path: str
    old_path: str | None = None
    status: Literal["added", "modified", "deleted", "renamed"]
    changed: tuple[LineRange, ...] = ()
    before: str | None = None
    after: str | None = None
    skipped: str | None = None


class Origin(Wire):
    """Where the change came from, so that a fix can be applied there.

    `repository` is an absolute path on the submitting machine (None for a bare diff); `reviewed` names the
    reviewed state: a commit id, or `index` / `worktree` together with `head`, the commit they stand on.
    """

    repository: str | None = None
    base: str | None = None
    reviewed: str | None = None
    head: str | None = None


class Subject(Wire):
    """A change under review: `diff` is the document hash of its whole unified diff."""

    title: str
    diff: str
    files: tuple[FileChange, ...]
    origin: Origin = Origin()
    added_lines: int = 0
    removed_lines: int = 0
    masked_secrets: int = 0

    def changes(self, path: str, line: int) -> bool:
        """True when `line` of `path` (reviewed state) was added or edited by the change."""
        return any(
            line in lines for file in self.files if file.path == path for lines in file.changed
        )
