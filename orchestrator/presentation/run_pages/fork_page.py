"""Where a run can be forked, as values."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.stages import assessed_roles


@dataclass(frozen=True)
class ForkPoint:
    """A place: as `quorate fork --from` is given it, and in words."""

    at: str
    text: str


def fork_points(report: RunReport, words: Translator) -> tuple[ForkPoint, ...]:
    """The rounds, then what came beside them, then the decision."""
    rounds = sorted({step.round for step in report.steps if step.round > 0})
    roles = dict.fromkeys(
        step.role
        for step in report.steps
        if step.round == 0 and step.kind == "turn" and step.role not in assessed_roles()
    )
    points = [ForkPoint(f"round:{n}", words.message("round_n", n=n)) for n in rounds]
    points += [ForkPoint(role, words.role(role)) for role in roles]
    if report.decisions:
        points.append(ForkPoint("decision", words.message("lane_decisions")))
    return tuple(points)
