"""The subject of a review: a change, captured at submission and independent of its repository."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from shared.models.coverage import UnreadReason
from shared.models.wire import Wire


class LineRange(Wire):
    """Lines `first` to `last`, both included, counted from 1 in the reviewed state."""

    first: int = Field(ge=1)
    last: int = Field(ge=1)

    def __contains__(self, line: object) -> bool:
        """True when `line` (an int) lies in the range."""
        return isinstance(line, int) and self.first <= line <= self.last


class SecretLine(Wire):
    """Where a secret stands in a file whose text is not kept, and of what kind it is. Never the secret itself."""

    line: int = Field(ge=1)
    kind: str


PYTHON_SUFFIXES = (".py", ".pyi", ".pyw")
"""What a path ends in that holds Python."""


class FileChange(Wire):
    """One file of the change. `before` and `after` are document hashes of its two states (None: absent).

    Binary files and files over the size limit have no documents and say why in `skipped`, with the code of the reason
    in `unread`. `harmless` names a kind that nobody needs to read (`image`, ...), `language` what decides who reads it.
    `as_new`: all of it counts as changed, since it became executable or code without an edit that shows it. `secrets`
    are those that the change puts where nobody is shown them: into a file that is never sent, or an output of a
    notebook. `inert`: nobody can read it as text, and nothing runs it, loads it or is configured by it. `cells`: the
    documents are a notebook's cells at their lines (shared/text/notebooks.py), and not the file.
    """

    path: str
    old_path: str | None = None
    status: Literal["added", "modified", "deleted", "renamed"]
    changed: tuple[LineRange, ...] = ()
    before: str | None = None
    after: str | None = None
    skipped: str | None = None
    unread: UnreadReason | None = None
    harmless: str | None = None
    language: str | None = None
    as_new: bool = False
    secrets: tuple[SecretLine, ...] = Field(default=(), exclude_if=lambda value: not value)
    cells: bool = Field(default=False, exclude_if=lambda value: not value)
    inert: bool = Field(default=False, exclude_if=lambda value: not value)

    @property
    def is_python(self) -> bool:
        """True for Python by its language; subjects captured before languages were go by the name."""
        return self.language == "python" or self.path.endswith(PYTHON_SUFFIXES)

    @property
    def as_named(self) -> str:
        """The path, with its language's suffix where a script's name has none: the choice of readers depends on it."""
        if self.is_python:
            return (
                self.path if self.path.endswith(PYTHON_SUFFIXES) else self.path + PYTHON_SUFFIXES[0]
            )
        bare = "." not in self.path.rpartition("/")[2]
        return f"{self.path}.sh" if self.language == "shell" and bare else self.path


class DiffPiece(Wire):
    """A part of the change that can be read by itself: hunks of one file's diff, or a file that is all new to read.

    `lines` are those of the reviewed state that it shows; None where it shows none (a deletion).
    """

    path: str
    document: str
    tokens: int = Field(ge=0)
    lines: LineRange | None = None


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
    """A change under review: `diff` is the document hash of its whole unified diff.

    `pieces` are the same change cut up, for readers that cannot hold all of it or need only some of it; a small change
    has none. `counts_unread`: what nobody read keeps an approval away. Subjects captured before that was so are judged
    as then.
    """

    title: str
    diff: str
    files: tuple[FileChange, ...]
    origin: Origin = Field(default_factory=Origin)
    added_lines: int = 0
    removed_lines: int = 0
    masked_secrets: int = 0
    counts_unread: bool = False
    pieces: tuple[DiffPiece, ...] = ()

    def changes(self, path: str, line: int) -> bool:
        """True when `line` of `path` (reviewed state) was added or edited by the change, shown to readers or not."""
        files = [file for file in self.files if file.path == path]
        unseen = any(line == secret.line for file in files for secret in file.secrets)
        return unseen or any(line in lines for file in files for lines in file.changed)
