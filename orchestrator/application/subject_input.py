"""What a run is to be about, as it was typed or given: nothing of it is read yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from shared.errors import UserError
from shared.models.notices import Notice

STDIN = "-"
STORED = "stored"
"""Among the similar cases: those that earlier runs captured."""


@dataclass(frozen=True)
class ChangeInput:
    """Which change a review is for; `diff` names a file, `-` is standard input. None: what is there decides.

    `targets` are a revision, a range or a path, and the paths after it. A diff without a byte is refused unless
    `allow_empty` says that it may be one: nothing in it tells whether the command that should have written it failed.
    `linter_reports` are files that linters wrote, with a name before each perhaps (`NAME=FILE`).
    """

    targets: tuple[str, ...] = ()
    staged: bool = False
    base: str | None = None
    diff: str | None = None
    allow_empty: bool = False
    linter_reports: tuple[str, ...] = ()

    @property
    def as_meant(self) -> ChangeInput:
        """`-` alone is a diff on standard input, as in every command that reads from it."""
        stdin_alone = self.targets == (STDIN,) and self.diff is None
        return replace(self, targets=(), diff=STDIN) if stdin_alone else self


@dataclass(frozen=True)
class GivenChange:
    """A change that its caller holds: a unified diff, and the files that it leads from, as far as they are known.

    `reports` are what linters said of it, by their names.
    """

    diff: bytes
    files: Mapping[str, bytes] = field(default_factory=dict)
    reports: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class QuestionInput:
    """What a panel is asked. A word `-`, or `-` as the file, is standard input; `attached` are texts that go along."""

    words: tuple[str, ...] = ()
    file: str | None = None
    contexts: tuple[str, ...] = ()
    no_stdin: bool = False
    attached: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def own_words(self) -> list[str]:
        """The words without those that mean standard input."""
        return [word for word in self.words if word != STDIN]

    @property
    def names_stdin(self) -> bool:
        """True when `-` was written."""
        return STDIN in self.words or self.file == STDIN


@dataclass(frozen=True)
class CaseSource:
    """A clinical case: a file or a folder, `-` for standard input, and what it is compared with.

    `similar` are files and folders of similar cases, and `stored` for those of earlier runs; `documents` are those in
    which evidence is looked for.
    """

    case: str
    similar: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()

    @property
    def wants_stored(self) -> bool:
        """Whether cases of earlier runs are wanted among the similar ones."""
        return STORED in self.similar


@dataclass(frozen=True)
class TaskInput:
    """What an agent is asked to do, and in which repository: the one around the directory unless one is named."""

    words: tuple[str, ...] = ()
    file: str | None = None
    repository: str | None = None


@dataclass(frozen=True)
class Piped:
    """What came on standard input; `notices` say why nothing did."""

    content: bytes | None = None
    notices: tuple[Notice, ...] = ()


class StandardInput(Protocol):
    """Where `-` and what is piped in come from."""

    def diff(self, limit: int) -> bytes:
        """All of it, up to `limit` bytes."""

    def text(self, limit: int, *, named: bool, has_words: bool) -> Piped:
        """Words or material. `named`: `-` was written; `has_words`: the question is known without it.

        Raises UserError beyond `limit` bytes, and when nothing comes that could be asked.
        """


class NoStandardInput:
    """Nothing is piped into a caller that has no terminal: an HTTP request, a batch, a schedule."""

    def diff(self, limit: int) -> bytes:  # noqa: ARG002 - the Protocol's signature
        """Raises UserError."""
        raise UserError("there is no standard input here: name a file, or give the text")

    def text(self, limit: int, *, named: bool, has_words: bool) -> Piped:  # noqa: ARG002 - the Protocol's signature
        """Nothing. Raises UserError when `-` was written."""
        if named:
            self.diff(limit)
        return Piped()


@dataclass(frozen=True)
class GivenMaterial:
    """Material that a caller holds beside a question; a panel reads it as a file, never as an instruction."""

    content: bytes

    def diff(self, limit: int) -> bytes:  # noqa: ARG002 - the Protocol's signature
        """Raises UserError: material is no change."""
        raise UserError("there is no standard input here: name a file, or give the text")

    def text(self, limit: int, *, named: bool, has_words: bool) -> Piped:  # noqa: ARG002 - the Protocol's signature
        """The material. Raises UserError beyond `limit` bytes."""
        if len(self.content) > limit:
            raise UserError(
                "the material is longer than {limit} bytes: give what matters of it", limit=limit
            )
        return Piped(self.content)
