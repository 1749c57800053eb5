"""Which participant saw which lines of a change, and how closely each file was looked at (docs/design/coverage.md).

A critic's turns are joined into one row: an analyser's last run, everything that a model or a person was shown. Only
what somebody who is no rule has read counts as reviewed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from shared.models.coverage import (
    DEPTHS,
    Coverage,
    FileCoverage,
    FileReading,
    ReaderCoverage,
    ReaderKind,
    ReadingDepth,
    UnreadFile,
    UnreadReason,
)
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Failure
from shared.models.subject import DiffPiece, FileChange, LineRange, Subject

_REASONS = {FailureKind.TIMEOUT: UnreadReason.STOPPED, FailureKind.DEAD: UnreadReason.CRASHED}


@dataclass(frozen=True)
class FilesRead:
    """One critic's turn. `coverage` is None for an analyser that did not say: it read everything, as before.

    `computes`: an analyser in its tool run; `for_language`: with rules for the language of what it reads. Without an
    answer (`failure`) nothing was read. `pieces` are what a turn was shown of a large change, None where it was all.
    """

    participant: str
    computes: bool = False
    coverage: Coverage | None = None
    failure: Failure | None = None
    kind: ReaderKind = ReaderKind.RULES
    for_language: bool = False
    pieces: Sequence[DiffPiece] | None = field(default=None, repr=False)

    @property
    def read(self) -> frozenset[str] | None:
        """The paths that were taken in; None for all."""
        if self.failure is not None:
            return frozenset()
        return None if self.coverage is None else frozenset(self.coverage.read)

    @property
    def unread(self) -> tuple[UnreadFile, ...]:
        """The files that the critic names as not taken in."""
        return () if self.coverage is None else self.coverage.unread

    def took_in(self, path: str) -> bool:
        """Whether the file was taken in whole."""
        return self.read is None or path in self.read

    def pieces_of(self, path: str) -> tuple[DiffPiece, ...]:
        """What a turn was shown of a file of a large change."""
        return tuple(piece for piece in self.pieces or () if piece.path == path)

    def depth(self, path: str) -> ReadingDepth:
        """How closely a file was looked at that was taken in."""
        if self.kind is not ReaderKind.RULES:
            return ReadingDepth.REVIEWED
        if self.for_language:
            return ReadingDepth.RULES
        parsed = () if self.coverage is None else self.coverage.parsed
        return ReadingDepth.SYNTAX if path in parsed else ReadingDepth.TEXT


def kind_of(participant: Participant) -> ReaderKind:
    """Who a participant is as a reader."""
    if participant.rule_based:
        return ReaderKind.RULES
    if participant.is_person:
        return ReaderKind.PERSON
    return ReaderKind.SCRIPTED if participant.provider == "scripted" else ReaderKind.MODEL


def reason_of(failure: Failure) -> UnreadReason:
    """Why a reader that failed has read nothing, as a code."""
    return _REASONS.get(failure.kind, UnreadReason.FAILED)


def closest(readers: Iterable[FilesRead], file: FileChange) -> ReadingDepth | None:
    """The closest look that anybody took at a file; None when nobody did."""
    if file.skipped is not None:
        return None
    depths = [reader.depth(file.path) for reader in readers if reader.took_in(file.path)]
    return min(depths, key=DEPTHS.index, default=None)


def is_reviewed(readers: Iterable[FilesRead], files: Iterable[FileCoverage]) -> bool:
    """Whether a model or a person answered, and read every file that has to be read."""
    answered = any(reader.kind is not ReaderKind.RULES for reader in readers)
    return answered and all(map(_is_reviewed, files))


def _is_reviewed(file: FileCoverage) -> bool:
    """What a submodule moves to is code that nobody has read here, though nobody has to."""
    if file.excuse == UnreadReason.SUBMODULE:
        return False
    return not file.required or file.depth is ReadingDepth.REVIEWED


def reader_rows(
    subject: Subject,
    readings: Sequence[FilesRead],
    readers: Sequence[FilesRead],
    excused: frozenset[str],
    review: int,
) -> Iterator[ReaderCoverage]:
    """A row for each participant that was asked; `readers` are the turns that count, `excused` need no reader."""
    for name in dict.fromkeys(reading.participant for reading in readings):
        counted = [reading for reading in readers if reading.participant == name]
        if counted:
            yield _row(subject, counted, excused, review)
        else:
            yield _silent(next(r for r in reversed(readings) if r.participant == name), review)


def _silent(reading: FilesRead, review: int) -> ReaderCoverage:
    assert reading.failure is not None
    return ReaderCoverage(
        participant=reading.participant,
        kind=reading.kind,
        failed=reason_of(reading.failure),
        detail=reading.failure.message,
        review=review,
    )


def _row(
    subject: Subject, turns: Sequence[FilesRead], excused: frozenset[str], review: int
) -> ReaderCoverage:
    named = {file.path: file for turn in turns for file in turn.unread}
    files: list[FileReading] = []
    left_out: list[UnreadFile] = []
    for file in subject.files:
        reading = None if file.skipped is not None else _reading(file, turns)
        if reading is not None:
            files.append(reading)
        if reading is None or not any(turn.took_in(file.path) for turn in turns):
            left_out += _left_out(file, turns, named, partly=reading is not None, excused=excused)
    return ReaderCoverage(
        participant=turns[0].participant,
        kind=turns[0].kind,
        files=tuple(files),
        left_out=tuple(left_out),
        review=review,
    )


def _reading(file: FileChange, turns: Sequence[FilesRead]) -> FileReading | None:
    """What the turns saw of a file: all of it, some of its pieces, or nothing."""
    if any(turn.took_in(file.path) for turn in turns):
        whole = file.as_new or turns[0].computes
        return FileReading(path=file.path, lines=_ranges(file.changed), whole=whole)
    pieces = [piece for turn in turns for piece in turn.pieces_of(file.path)]
    if not pieces:
        return None
    shown = [piece.lines for piece in pieces if piece.lines is not None]
    return FileReading(path=file.path, lines=_overlaps(file.changed, shown))


def _left_out(
    file: FileChange,
    turns: Sequence[FilesRead],
    named: dict[str, UnreadFile],
    *,
    partly: bool,
    excused: frozenset[str],
) -> Iterator[UnreadFile]:
    """Why a file was not taken in whole. What no rule of an analyser is about does not concern it."""
    if file.path in named:
        yield named[file.path]
    elif file.path in excused or (turns[0].computes and file.skipped is None):
        return
    elif file.skipped is not None:
        reason = file.unread or UnreadReason.NOT_SHOWN
        yield UnreadFile(path=file.path, reason=reason, detail=file.skipped)
    else:
        reason = UnreadReason.CUT if partly else UnreadReason.NOT_SHOWN
        yield UnreadFile(path=file.path, reason=reason)


def _ranges(lines: Iterable[LineRange]) -> tuple[tuple[int, int], ...]:
    return tuple((span.first, span.last) for span in lines)


def _overlaps(
    changed: Iterable[LineRange], shown: Sequence[LineRange]
) -> tuple[tuple[int, int], ...]:
    """The changed lines that lie in what was shown."""
    pairs = (
        (max(lines.first, seen.first), min(lines.last, seen.last))
        for lines in changed
        for seen in shown
    )
    return tuple(sorted({(first, last) for first, last in pairs if first <= last}))
