"""What a discussion is still about: only contested points are debated further (arXiv 2511.11306)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.models.assessment import Assessment
from shared.models.findings import Finding


@dataclass(frozen=True)
class Agenda:
    """The points of the next round, and those that it leaves alone."""

    contested: tuple[Finding, ...]
    settled: tuple[Finding, ...] = ()


def agenda(findings: Sequence[Finding], assessment: Assessment | None) -> Agenda:
    """Open points are debated, settled ones are not; when all are settled the round confirms all of them."""
    open_points = set(assessment.open_findings) if assessment else set()
    contested = tuple(one for one in findings if one.id in open_points)
    if not contested:
        return Agenda(tuple(findings))
    return Agenda(contested, tuple(one for one in findings if one.id not in open_points))


def settled_line(agenda: Agenda) -> str:
    """The settled points in one line: `F1 accepted, F3 rejected`; empty when there are none."""
    return ", ".join(f"{one.id} {one.status}" for one in agenda.settled)
