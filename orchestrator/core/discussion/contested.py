"""What a discussion is still about: only contested points are debated further (arXiv 2511.11306)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.stances import AUTHOR_ROLES
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
    contested = tuple(one for one in findings if one.id in open_points)
    if not contested:
        return Agenda(tuple(findings))
    return Agenda(contested, tuple(one for one in findings if one.id not in open_points))


def unanswered(findings: Sequence[Finding], ledger: Sequence[Stance]) -> frozenset[str]:
    """The findings on which the author's side has taken no position."""
    answered = {line.finding for line in ledger if line.role in AUTHOR_ROLES}
    return frozenset(one.id for one in findings) - answered


def settled_line(agenda: Agenda) -> str:
    """The settled points in one line: `F1 accepted, F3 rejected`; empty when there are none."""
    return ", ".join(f"{one.id} {one.status}" for one in agenda.settled)
