"""Who read which file of a change, and what nobody read: docs/design/coverage.md."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from shared.models.wire import ForeignWire, Verbatim, Wire


class UnreadReason(StrEnum):
    """Why a file was not read: the codes that the JSON shows."""

    BINARY = "binary"
    CRASHED = "crashed"
    CUT = "cut"
    EXCLUDED = "excluded"
    FAILED = "failed"
    GONE = "gone"
    LFS_POINTER = "lfs_pointer"
    LONG_LINES = "long_lines"
    NEVER_SENT = "never_sent"
    NO_CONTENT = "no_content"
    NOT_PARSED = "not_parsed"
    NOT_SHOWN = "not_shown"
    REPOSITORY = "repository"
    STOPPED = "stopped"
    SUBMODULE = "submodule"
    SUPPRESSED = "suppressed"
    SYMLINK = "symlink"
    TOO_LARGE = "too_large"
    UNDECODABLE = "undecodable"
    UNUSABLE_NAME = "unusable_name"


UNREADABLE = (UnreadReason.BINARY, UnreadReason.TOO_LARGE, UnreadReason.LFS_POINTER)
"""Why the contents of a plain file are no text that somebody could be shown."""


class ReaderKind(StrEnum):
    """Who a reader is. A script stands for a model, and says so."""

    MODEL = "model"
    PERSON = "person"
    SCRIPTED = "scripted"
    RULES = "rules"


class ReadingDepth(StrEnum):
    """How closely a file was looked at, closest first.

    `reviewed`: a model or a person read it. `rules`: rules for its language looked. `syntax`: it was parsed, and
    `text`: it was searched for what is wrong in any text.
    """

    REVIEWED = "reviewed"
    RULES = "rules"
    SYNTAX = "syntax"
    TEXT = "text"


DEPTHS = tuple(ReadingDepth)


def _none(value: object) -> bool:
    return not value


def _unknown(value: object) -> bool:
    """Whether nothing was recorded: then the key is left out, as in runs of earlier versions."""
    return value is None


class UnreadFile(ForeignWire):
    """A file that its reader could not take in, wholly or in part; `detail` says which part, or what went wrong."""

    path: Verbatim
    reason: UnreadReason
    detail: str = ""


class Coverage(ForeignWire):
    """What one reader took in of a change. A file of neither list does not concern that reader.

    `parsed` are those of which an analyser without rules for their language checked the syntax. `known` and `off`
    count the findings that were left out as known (of the baseline) and because their rules are switched off;
    `unlisted` counts those beyond what one analyser lists, `unmatched` is a line that a command wrote when none of its
    lines fitted its pattern.
    """

    read: tuple[Verbatim, ...] = ()
    unread: tuple[UnreadFile, ...] = ()
    parsed: tuple[Verbatim, ...] = ()
    known: int = Field(default=0, ge=0, exclude_if=_none)
    off: int = Field(default=0, ge=0, exclude_if=_none)
    unlisted: int = Field(default=0, ge=0, exclude_if=_none)
    unmatched: Verbatim = Field(default="", exclude_if=_none)


class ListedShare(Wire):
    """Of an analyser that found too much: how many findings it made, and how many of them a run has."""

    found: int
    listed: int


class FileCoverage(Wire):
    """One file of a change: who read it, and, when nobody did, why.

    `required`: nobody reading it keeps an approval away. `excuse` says why it is not required (`deleted`, `empty`,
    `image`, ...). `review` counts the reviews of a run, of which those after the first look at applied fixes. `depth`
    is the closest look that anybody took; None where nobody did, and in runs of earlier rules.
    """

    path: str
    status: str
    required: bool
    read_by: tuple[str, ...] = ()
    reason: UnreadReason | None = None
    detail: str = ""
    excuse: str | None = None
    review: int = 1
    depth: ReadingDepth | None = Field(default=None, exclude_if=_unknown)

    @property
    def by_rules_alone(self) -> bool:
        """True when somebody should have read it, and only rules looked."""
        return self.required and self.depth not in (None, ReadingDepth.REVIEWED)

    @property
    def unread(self) -> bool:
        """True when somebody should have read it and nobody did."""
        return self.required and not self.read_by


class Absence(Wire):
    """A reader that was missing: for one file, or (`path` None) for the whole change.

    `excused`: it keeps no approval away, because a quorum was set by hand, or because of a suppression that somebody
    who does not compute has read.
    """

    participant: str
    path: str | None = None
    reason: UnreadReason
    detail: str = ""
    excused: bool = False
    review: int = 1


class FileReading(Wire):
    """What one reader saw of one file: `lines` are ranges of the changed lines, both ends included.

    `whole`: the reader had all of the file before it, not its diff alone.
    """

    path: str
    lines: tuple[tuple[int, int], ...] = ()
    whole: bool = False


class ReaderCoverage(Wire):
    """What one participant saw of a change, and what was left out for it.

    A participant that did not answer saw nothing: then `failed` says why.
    """

    participant: str
    kind: ReaderKind
    files: tuple[FileReading, ...] = ()
    left_out: tuple[UnreadFile, ...] = ()
    failed: UnreadReason | None = None
    detail: str = ""
    review: int = 1


class CoverageReport(Wire):
    """A run's files, who read them, and the readers that were missing.

    `reviewed`: a model or a person answered and read every file that has to be read. It is None, and there are no
    `readers`, in runs of earlier rules.
    """

    files: tuple[FileCoverage, ...] = ()
    absent: tuple[Absence, ...] = ()
    reviewed: bool | None = Field(default=None, exclude_if=_unknown)
    readers: tuple[ReaderCoverage, ...] | None = Field(default=None, exclude_if=_unknown)

    @property
    def by_rules_alone(self) -> bool:
        """True where it is known that a part of the change, or all of it, was looked at by nobody but rules."""
        return self.reviewed is False

    @property
    def left_to_rules(self) -> tuple[FileCoverage, ...]:
        """The files that should be read and at which only rules looked."""
        return tuple(file for file in self.files if file.by_rules_alone)

    @property
    def reviewers(self) -> tuple[ReaderCoverage, ...]:
        """The models and people that answered."""
        return tuple(row for row in self._answered if row.kind is not ReaderKind.RULES)

    @property
    def rules(self) -> tuple[ReaderCoverage, ...]:
        """The analysers that answered."""
        return tuple(row for row in self._answered if row.kind is ReaderKind.RULES)

    @property
    def _answered(self) -> tuple[ReaderCoverage, ...]:
        return tuple(row for row in self.readers or () if row.failed is None)

    @property
    def unread(self) -> tuple[FileCoverage, ...]:
        """What keeps an approval away because nobody read it."""
        return tuple(file for file in self.files if file.unread)

    @property
    def missing(self) -> tuple[Absence, ...]:
        """The absences that keep an approval away, without those of files that nobody read."""
        unread = {file.path for file in self.unread}
        return tuple(
            absence for absence in self.absent if not absence.excused and absence.path not in unread
        )

    @property
    def complete(self) -> bool:
        """True when nothing in it keeps an approval away."""
        return not self.unread and not self.missing
