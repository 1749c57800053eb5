"""Who read which file of a change, and what nobody read: docs/design/coverage.md."""

from __future__ import annotations

from enum import StrEnum

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


class UnreadFile(ForeignWire):
    """A file that its reader could not take in, wholly or in part; `detail` says which part, or what went wrong."""

    path: Verbatim
    reason: UnreadReason
    detail: str = ""


class Coverage(ForeignWire):
    """What one reader took in of a change. A file of neither list does not concern that reader."""

    read: tuple[Verbatim, ...] = ()
    unread: tuple[UnreadFile, ...] = ()


class FileCoverage(Wire):
    """One file of a change: who read it, and, when nobody did, why.

    `required`: nobody reading it keeps an approval away. `excuse` says why it is not required (`deleted`, `empty`,
    `image`, ...). `review` counts the reviews of a run, of which those after the first look at applied fixes.
    """

    path: str
    status: str
    required: bool
    read_by: tuple[str, ...] = ()
    reason: UnreadReason | None = None
    detail: str = ""
    excuse: str | None = None
    review: int = 1

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


class CoverageReport(Wire):
    """A run's files and the readers that were missing."""

    files: tuple[FileCoverage, ...] = ()
    absent: tuple[Absence, ...] = ()

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
