"""What a discussion is still about: only contested points are debated further (arXiv 2511.11306)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.stances import AUTHOR_ROLES, RAISING
from shared.models.assessment import Assessment
from shared.models.findings import Finding, Stance


@dataclass(frozen=True)
class Agenda:
    """The points of the next round, and those that it leaves alone."""

    contested: tuple[Finding, ...]
    settled: tuple[Finding, ...] = ()


def agenda(
    findings: Sequence[Finding], assessment: Assessment | None, unanswered: Collection[str] = ()
) -> Agenda:
    """Open points are debated, settled ones are not; when all are settled the round confirms all of them.

    `unanswered` are debated besides: what all critics raise is agreed on among them, and its author has the word yet.
    """
    open_points = {*(assessment.open_findings if assessment else ()), *unanswered}
    contested = tuple(finding for finding in findings if finding.id in open_points)
    if not contested:
        return Agenda(tuple(findings))
    return Agenda(
        contested, tuple(finding for finding in findings if finding.id not in open_points)
    )


def unanswered(findings: Sequence[Finding], ledger: Sequence[Stance]) -> frozenset[str]:
    """The findings on which the author's side has taken no position."""
    answered = {line.finding for line in ledger if line.role in AUTHOR_ROLES}
    return frozenset(finding.id for finding in findings) - answered


def latest_lines(points: Sequence[Finding], lines: Iterable[Stance]) -> list[Stance]:
    """Everybody's last line about each of the points, in the points' order."""
    order = {point.id: place for place, point in enumerate(points)}
    last = {(line.finding, line.participant): line for line in lines if line.finding in order}
    return sorted(last.values(), key=lambda line: order[line.finding])


def reasons_of_others(
    points: Sequence[Finding], ledger: Iterable[Stance], reader: str
) -> list[Stance]:
    """What everybody but the reader last said about each of the points, where a reason was given."""
    lines = latest_lines(points, (line for line in ledger if line.participant != reader))
    return [line for line in lines if line.reason not in ("", RAISING)]


def settled_line(agenda: Agenda) -> str:
    """The settled points in one line: `F1 accepted, F3 rejected`; empty when there are none."""
    return ", ".join(f"{finding.id} {finding.status}" for finding in agenda.settled)
