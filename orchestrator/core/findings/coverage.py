"""Who read which file of a change: subject and replies, joined (docs/design/coverage.md).

Theory of operation. Every critic's turn is a `Reading`: an analyser says itself what it read, of everybody else code
knows what the prompt held. A file is read when one critic that answered took it in. A file that somebody should have
read and nobody did keeps an approval away, and so does an analyser that could not take in a file which it applies to:
it is missing there, whatever it says later. Missing data is not agreement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from shared.models.coverage import (
    Absence,
    Coverage,
    CoverageReport,
    FileCoverage,
    UnreadFile,
    UnreadReason,
)
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure
from shared.models.subject import FileChange, Subject

_REASONS = {FailureKind.TIMEOUT: UnreadReason.STOPPED, FailureKind.DEAD: UnreadReason.CRASHED}


@dataclass(frozen=True)
class FilesRead:
    """One critic's turn. `coverage` is None for an analyser that did not say: it read everything, as before.

    `computes`: an analyser in its tool run. Without an answer (`failure`) nothing was read.
    """

    participant: str
    computes: bool = False
    coverage: Coverage | None = None
    failure: Failure | None = None

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


def shown_files(subject: Subject, within: Collection[str] | None = None) -> Coverage:
    """What a prompt with the whole diff holds, or one that shows the files `within` whole and of others a part."""
    return Coverage(
        read=tuple(
            file.path
            for file in subject.files
            if file.skipped is None and (within is None or file.path in within)
        )
    )


def excuse_of(file: FileChange) -> str | None:
    """Why nobody needs to read a file; None when somebody has to.

    Deletions leave nothing that runs, and a renamed or re-moded file is the one that was there before, unless
    it became code or executable (`as_new`). What a configuration excludes is left out on purpose.
    """
    if file.status == "deleted":
        return "deleted"
    if file.harmless is not None:
        return file.harmless
    if file.unread is UnreadReason.EXCLUDED:
        return "excluded"
    if file.skipped is not None or file.as_new or file.changed:
        return None
    return _excuse_without_lines(file)


def _excuse_without_lines(file: FileChange) -> str | None:
    if file.before is not None and file.before == file.after:
        return "renamed" if file.status == "renamed" else "unchanged"
    if file.status == "added" and file.after is not None:
        return "empty"
    # Only lines that were taken away are left of the change, and the diff shows them: it has to be read.
    return None


def cover(
    subject: Subject,
    readings: Sequence[FilesRead],
    *,
    absence_allowed: bool = False,
    review: int = 1,
) -> CoverageReport | None:
    """The report on one review; None for a subject that was captured before coverage counted."""
    if not subject.counts_unread:
        return None
    readers = _readers(readings)
    files = tuple(_file(file, readers, readings, review) for file in subject.files)
    independent = {
        file.path
        for file in subject.files
        for reader in readers
        if not reader.computes and _took_in(reader, file.path)
    }
    absences = [
        absence.model_copy(
            update={
                "excused": absence_allowed
                or (absence.reason is UnreadReason.SUPPRESSED and absence.path in independent)
            }
        )
        for absence in _absences(readings, review)
    ]
    return CoverageReport(files=files, absent=tuple(absences))


def _readers(readings: Iterable[FilesRead]) -> tuple[FilesRead, ...]:
    """Those who answered: an analyser with its last run, everybody else with all they were shown, turn by turn."""
    answered = [turn for turn in readings if turn.failure is None]
    last = {turn.participant: turn for turn in answered}
    return tuple(turn for turn in answered if not turn.computes or turn is last[turn.participant])


def merged(reports: Iterable[CoverageReport | None]) -> CoverageReport | None:
    """The reports on all reviews of a run: what was unread in one of them stays so."""
    known = [report for report in reports if report is not None]
    if not known:
        return None
    return CoverageReport(
        files=tuple(file for report in known for file in report.files),
        absent=tuple(absence for report in known for absence in report.absent),
    )


def _file(
    file: FileChange, readers: Iterable[FilesRead], readings: Sequence[FilesRead], review: int
) -> FileCoverage:
    excuse = excuse_of(file)
    read_by = () if file.skipped is not None else _names(readers, file.path)
    reason, detail = (None, "") if read_by or excuse else _why_unread(file, readings)
    return FileCoverage(
        path=file.path,
        status=file.status,
        required=excuse is None,
        read_by=read_by,
        reason=reason,
        detail=detail,
        excuse=excuse,
        review=review,
    )


def _names(readers: Iterable[FilesRead], path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(turn.participant for turn in readers if _took_in(turn, path)))


def _took_in(reading: FilesRead, path: str) -> bool:
    return reading.read is None or path in reading.read


def _why_unread(file: FileChange, readings: Sequence[FilesRead]) -> tuple[UnreadReason, str]:
    """The capture's reason, else a reader's, else that it was shown to nobody."""
    if file.skipped is not None:
        return file.unread or UnreadReason.NOT_SHOWN, file.skipped
    for unread in chain.from_iterable(reading.unread for reading in readings):
        if unread.path == file.path:
            return unread.reason, unread.detail
    failed = next((reading.failure for reading in readings if reading.failure is not None), None)
    if failed is not None:
        return _reason_of(failed), failed.message
    return UnreadReason.NOT_SHOWN, ""


def _absences(readings: Sequence[FilesRead], review: int) -> Iterable[Absence]:
    """Analysers that were missing: for a file in any of their tool runs, or with none that succeeded."""
    runs = [reading for reading in readings if reading.computes]
    for name, failure in _missing(runs).items():
        yield Absence(
            participant=name, reason=_reason_of(failure), detail=failure.message, review=review
        )
    for run in runs:
        for unread in run.unread:
            yield Absence(
                participant=run.participant,
                path=unread.path,
                reason=unread.reason,
                detail=unread.detail,
                review=review,
            )


def _missing(runs: Sequence[FilesRead]) -> dict[str, Failure]:
    """The last failure of every analyser that never answered."""
    failures = {run.participant: run.failure for run in runs if run.failure is not None}
    present = {run.participant for run in runs if run.failure is None}
    return {name: failure for name, failure in failures.items() if name not in present}


def _reason_of(failure: Failure) -> UnreadReason:
    return _REASONS.get(failure.kind, UnreadReason.FAILED)
