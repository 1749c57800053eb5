"""Who looked at a change and what nobody read, as notices for the first lines of a result and for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from shared.models.coverage import (
    UNREADABLE,
    Absence,
    CoverageReport,
    FileCoverage,
    ReaderKind,
    ReadingDepth,
    UnreadReason,
)
from shared.models.notices import Notice, notice, verbatim

MOST = 5
_LOOKS = {
    ReadingDepth.RULES: "looked_by_rules",
    ReadingDepth.SYNTAX: "looked_for_syntax",
    ReadingDepth.TEXT: "looked_at_text",
}


def reading_warnings(report: CoverageReport | None) -> tuple[Notice, ...]:
    """What must not be overlooked: that only rules looked, what nobody read, and which analysers were missing."""
    if report is None:
        return ()
    alone = _by_rules(report)
    moved = tuple(file.path for file in report.files if file.excuse == UnreadReason.SUBMODULE)
    submodules = (notice("submodule_moved", files=_listed(moved)),) if moved else ()
    known = (*((alone,) if alone else ()), *submodules)
    return (*known, *no_text(report), *_few(unread(report)))


def no_text(report: CoverageReport | None) -> tuple[Notice, ...]:
    """The data that nobody can read as text: no gate of rules waits for it."""
    files = () if report is None else report.files
    notices = (
        notice("no_text", path=file.path, why=notice(f"unread_{file.excuse}"))
        for file in files
        if file.excuse in UNREADABLE
    )
    return _few(tuple(notices))


def rule_readings(report: CoverageReport | None) -> tuple[Notice, ...]:
    """What the rules looked for in the files that nobody else read, the least of it last."""
    if report is None or _by_rules(report) is None:
        return ()
    alone = report.left_to_rules
    depths = [depth for depth in _LOOKS if any(file.depth is depth for file in alone)]
    return tuple(
        _readers_notice(_LOOKS[depth], [file for file in alone if file.depth is depth])
        for depth in depths
    )


def unanalysed(report: CoverageReport | None, is_code: Callable[[str], bool]) -> tuple[Notice, ...]:
    """That nobody who knows their language looked at some files of code; `is_code` tells code by its path."""
    if report is None:
        return ()
    alone = report.left_to_rules
    files = [file for file in alone if file.depth is ReadingDepth.TEXT and is_code(file.path)]
    return (_readers_notice("unanalysed", files),) if files else ()


def _readers_notice(code: str, files: Sequence[FileCoverage]) -> Notice:
    readers = dict.fromkeys(chain.from_iterable(file.read_by for file in files))
    return notice(code, files=_listed(_paths(files)), who=notice("names", names=readers))


def reading_summary(report: CoverageReport | None) -> tuple[Notice, ...]:
    """Who read the change, and what was not shown to one of those readers although others read it."""
    if report is None or not report.reviewers:
        return ()
    reading = dict.fromkeys((row.participant, row.kind) for row in report.reviewers)
    named = notice("names", names=tuple(_reader(name, kind) for name, kind in reading))
    readers = notice("read_by", who=named)
    if report.rules:
        rules = dict.fromkeys(row.participant for row in report.rules)
        readers = notice("read_by_and_rules", who=named, rules=notice("names", names=rules))
    return (readers, *_few(tuple(_withheld(report))))


def _reader(name: str, kind: ReaderKind) -> Notice:
    return verbatim(name) if kind is ReaderKind.MODEL else notice(f"reader_{kind}", name=name)


def unread(report: CoverageReport) -> tuple[Notice, ...]:
    """A notice for each file that nobody read and each analyser that was missing, as far as it matters."""
    notices = [
        *(notice("nobody_read", path=file.path, why=_why(file.reason)) for file in report.unread),
        *_absences(report.missing),
    ]
    return tuple(each for at, each in enumerate(notices) if each not in notices[:at])


def _absences(missing: Iterable[Absence]) -> Iterator[Notice]:
    """One notice for all analysers that could not look at the same for the same reason."""
    affected: dict[tuple[str | None, UnreadReason], list[str]] = {}
    for absence in missing:
        affected.setdefault((absence.path, absence.reason), []).append(absence.participant)
    for (path, reason), participants in affected.items():
        names = notice("names", names=dict.fromkeys(participants))
        if path is None:
            yield notice("absent", who=names, why=_why(reason))
        else:
            yield notice("absent_for", who=names, path=path, why=_why(reason))


def _by_rules(report: CoverageReport) -> Notice | None:
    """That nobody but rules looked at a part of the change, or at all of it."""
    alone = report.left_to_rules
    if not report.by_rules_alone or not report.rules:
        return None
    if all(file in alone or not file.required or file.unread for file in report.files):
        return notice("rules_alone")
    return notice("rules_alone_on", files=_listed(_paths(alone))) if alone else None


def _withheld(report: CoverageReport) -> Iterator[Notice]:
    """What one reader was not shown, or not wholly; what nobody read is said elsewhere."""
    nobody = {file.path for file in report.unread}
    for row in report.reviewers:
        for file in row.left_out:
            if file.path not in nobody:
                why = _why(file.reason)
                yield notice("not_taken_in", who=row.participant, path=file.path, why=why)


def _few(notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
    more = len(notices) - MOST
    return notices if more <= 0 else (*notices[:MOST], notice("more_unread", n=more))


def _paths(files: Iterable[FileCoverage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(file.path for file in files))


def _listed(paths: tuple[str, ...]) -> Notice:
    more = len(paths) - MOST
    if more > 0:
        return notice("names_and_more", names=paths[:MOST], n=more)
    return notice("names", names=paths)


def _why(reason: UnreadReason | None) -> Notice:
    return notice(f"unread_{reason or UnreadReason.NOT_SHOWN}")
