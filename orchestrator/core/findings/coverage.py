"""Who read which file of a change: subject and replies, joined (docs/design/coverage.md).

Theory of operation. Every critic's turn is a `FilesRead`: an analyser says itself what it read, of everybody else code
knows what the prompt held. A file is read when one critic that answered took it in. A file that somebody should have
read and nobody did keeps an approval away, and so does an analyser that could not take in a file which it applies to:
it is missing there, whatever it says later. Missing data is not agreement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from orchestrator.core.findings.readers import (
    FilesRead,
    closest,
    is_reviewed,
    reader_rows,
    reason_of,
)
from shared.models.coverage import (
    Absence,
    Coverage,
    CoverageReport,
    FileCoverage,
    UnreadReason,
)
from shared.models.steps import Failure
from shared.models.subject import FileChange, Subject


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
    by_reader: bool = True,
    rules_alone: bool | None = None,
) -> CoverageReport | None:
    """The report on one review; None for a subject that was captured before coverage counted.

    Of `rules_alone` (None: by who was asked) nobody expects that they read data that is no text: it is named, and not
    required.

    Without `by_reader` it is one of the original rules, by which whoever looks is a reader like any other.
    """
    if not subject.counts_unread:
        return None
    readers = _readers(readings)
    alone = _only_rules(readings) if rules_alone is None else rules_alone
    files = tuple(
        _file(file, excuse_of(file) or _unreadable(file, alone), readers, readings, review)
        for file in subject.files
    )
    independent = _read_by_others(subject, readers)
    absences = [
        absence.model_copy(
            update={
                "excused": absence_allowed
                or (absence.reason is UnreadReason.SUPPRESSED and absence.path in independent)
            }
        )
        for absence in _absences(readings, review)
    ]
    report = CoverageReport(files=files, absent=tuple(absences))
    return _with_readers(report, subject, readings, readers, review) if by_reader else report


def _read_by_others(subject: Subject, readers: Sequence[FilesRead]) -> set[str]:
    """The files that somebody read who does not compute."""
    others = [reader for reader in readers if not reader.computes]
    return {file.path for file in subject.files for reader in others if reader.took_in(file.path)}


def _with_readers(
    report: CoverageReport,
    subject: Subject,
    readings: Sequence[FilesRead],
    readers: Sequence[FilesRead],
    review: int,
) -> CoverageReport:
    """The same with how closely each file was looked at, and what each participant saw."""
    files = tuple(
        covered.model_copy(update={"depth": closest(readers, file)})
        for covered, file in zip(report.files, subject.files, strict=True)
    )
    excused = frozenset(file.path for file in files if not file.required)
    rows = tuple(reader_rows(subject, readings, readers, excused, review))
    reviewed = is_reviewed(readers, files)
    return report.model_copy(update={"files": files, "readers": rows, "reviewed": reviewed})


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
    joined = CoverageReport(
        files=tuple(chain.from_iterable(report.files for report in known)),
        absent=tuple(chain.from_iterable(report.absent for report in known)),
    )
    rows = [report.readers for report in known if report.readers is not None]
    if len(rows) < len(known):
        return joined
    readers = tuple(chain.from_iterable(rows))
    reviewed = all(report.reviewed for report in known)
    return joined.model_copy(update={"reviewed": reviewed, "readers": readers})


def _only_rules(readings: Sequence[FilesRead]) -> bool:
    return bool(readings) and all(reading.computes for reading in readings)


def _unreadable(file: FileChange, rules_alone: bool) -> str | None:
    return str(file.unread) if rules_alone and file.inert and file.unread else None


def _file(
    file: FileChange,
    excuse: str | None,
    readers: Iterable[FilesRead],
    readings: Sequence[FilesRead],
    review: int,
) -> FileCoverage:
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
    return tuple(dict.fromkeys(turn.participant for turn in readers if turn.took_in(path)))


def _why_unread(file: FileChange, readings: Sequence[FilesRead]) -> tuple[UnreadReason, str]:
    """The capture's reason, else a reader's, else that it was shown to nobody."""
    if file.skipped is not None:
        return file.unread or UnreadReason.NOT_SHOWN, file.skipped
    for unread in chain.from_iterable(reading.unread for reading in readings):
        if unread.path == file.path:
            return unread.reason, unread.detail
    failed = next((reading.failure for reading in readings if reading.failure is not None), None)
    if failed is not None:
        return reason_of(failed), failed.message
    return UnreadReason.NOT_SHOWN, ""


def _absences(readings: Sequence[FilesRead], review: int) -> Iterable[Absence]:
    """Analysers that were missing: for a file in any of their tool runs, or with none that succeeded."""
    runs = [reading for reading in readings if reading.computes]
    for name, failure in _missing(runs).items():
        yield Absence(
            participant=name, reason=reason_of(failure), detail=failure.message, review=review
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
