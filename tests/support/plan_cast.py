"""A planner, critics and a chair who do as a test says, and agree on one objection where it says nothing."""

from __future__ import annotations

from typing import Any

from orchestrator.core.replay.commands import Turn
from shared.models.steps import StepResult
from tests.support.debates import give

NO_WAY_BACK = {
    "title": "No way back is described",
    "detail": "when the copy fails half way, nobody knows what to do",
    "severity": "MAJOR",
    "quote": "2. copy the data",
}
PLAN = "# Plan {}\n1. stop the shop\n2. copy the data\n3. start the shop"


def stance(position: str, *findings: str, reason: str = "the second step says so") -> list[Any]:
    return [{"finding": one, "position": position, "reason": reason} for one in findings]


class PlanCast:
    """All raise the same objection, the planner concedes it, all hold on to it."""

    def __call__(self, step: Turn) -> StepResult:
        act = getattr(self, step.role.replace("-", "_"))
        result: StepResult = act(step)
        return result

    def plan(self, step: Turn) -> StepResult:
        return give(step, plan=PLAN.format(step.round), assumptions=["nobody buys at night"])

    def challenge(self, step: Turn) -> StepResult:
        if step.round == 1:
            return give(step, verdict="REVISE", findings=[NO_WAY_BACK])
        return give(step, verdict="REVISE", stances=stance("agree", "F1"))

    def defense(self, step: Turn) -> StepResult:
        return give(
            step,
            stances=stance("agree", "F1"),
            conceded_points=["F1"],
            revised_plan="# Plan with a way back",
        )

    def risk_analysis(self, step: Turn) -> StepResult:
        return give(step, verdict="REVISE", findings=[NO_WAY_BACK])

    def innovation_analysis(self, step: Turn) -> StepResult:
        return give(
            step,
            verdict="REVISE",
            findings=[{"title": "A replica would need no downtime", "severity": "MINOR"}],
            opportunities=["move shop by shop"],
        )

    def cross_review(self, step: Turn) -> StepResult:
        return give(step, verdict="REVISE", stances=stance("agree", "F1", "F2"))

    def synthesis(self, step: Turn) -> StepResult:
        return give(step, summary="A way back is missing.", convergence_score=0.9)
