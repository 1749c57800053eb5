"""Changes about which nobody is asked: no file has to be read, or none that has to be can be (docs/design/coverage.md).

Missing data is not agreement here either: what somebody should have read and nobody could stays INCONCLUSIVE.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.core.findings.coverage import cover, excuse_of
from shared.models.coverage import UNREADABLE, CoverageReport, FileCoverage, UnreadReason
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.models.subject import FileChange, Subject

_NAMED = 5


@dataclass(frozen=True)
class Unasked:
    """Why nobody is asked, and what became of each file."""

    why: Notice
    coverage: CoverageReport


def unasked(
    subject: Subject, critics: Sequence[Participant], nothing: Notice | None
) -> Unasked | None:
    """Why these critics need not be asked about the change; None where there is something for them to read.

    `nothing` says why a change has no file at all. Rules look at what files hold afterwards, so lines of deleted files
    are for models and people only. Where such lines, or a submodule's, were left to nobody, it says so (`reviewed`).
    """
    removes = bool(subject.added_lines or subject.removed_lines)
    only_rules = all(critic.rule_based for critic in critics)
    if _is_to_be_asked(subject, critics) or (removes and not only_rules):
        return None
    coverage = cover(subject, (), by_reader=False, rules_alone=only_rules) or CoverageReport()
    reviewed = False if removes or _leaves_unread(coverage) else None
    unreviewed = coverage.model_copy(update={"reviewed": reviewed, "readers": ()})
    return Unasked(why=nothing or _why(coverage), coverage=unreviewed)


def _is_to_be_asked(subject: Subject, critics: Sequence[Participant]) -> bool:
    """Whether somebody has to read a file of it, or rules judge one that nobody may."""
    rules = any(critic.rule_based for critic in critics)
    return any(_is_to_read(f) or (rules and _is_judged_unread(f)) for f in subject.files)


def _is_to_read(file: FileChange) -> bool:
    return file.skipped is None and excuse_of(file) is None


def _is_judged_unread(file: FileChange) -> bool:
    """Whether rules have something to say of a file that is never sent: it is new, or brings secrets."""
    return file.unread is UnreadReason.NEVER_SENT and (file.status == "added" or bool(file.secrets))


def _leaves_unread(coverage: CoverageReport) -> bool:
    """Whether a submodule moves, or data is no text."""
    left = {UnreadReason.SUBMODULE, *UNREADABLE}
    return any(file.excuse in left for file in coverage.files)


def _why(coverage: CoverageReport) -> Notice:
    if not coverage.complete:
        return notice("nothing_readable")
    named = tuple(map(_excused, coverage.files[:_NAMED]))
    more = len(coverage.files) - len(named)
    files = notice("names_and_more", names=named, n=more) if more else notice("names", names=named)
    return notice("nothing_to_read", files=files)


def _excused(file: FileCoverage) -> Notice:
    return notice("excused_file", path=file.path, why=notice(f"excuse_{file.excuse}"))
