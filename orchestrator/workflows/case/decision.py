"""Accept or revise: the question to a person, with the points that can be picked."""

from __future__ import annotations

from functools import partial
from typing import Any

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.replay.commands import Effect
from orchestrator.workflows.case.choices import DECISION, REVISE
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.critique import CritiqueHistory
from orchestrator.workflows.case.verifier import Verified, standing_points
from shared.models.decision import DecisionAnswer
from shared.models.notices import Notice, notice


def ask(
    context: CaseContext, history: CritiqueHistory, verified: Verified, cycle: Cycle
) -> Effect[DecisionAnswer | None]:
    """The question, or the policy's answer at once; nobody is asked about nothing."""
    points = standing_points(history)
    if not points:
        return None
    prompt = "Accept the critique, or have it revised? Points can be picked."
    shown_matter = partial(shown, history, verified)
    selectable = tuple(finding.id for finding in points)
    key = cycle.key("decision")
    return (yield from DECISION.ask(key, context.spec.decision, prompt, shown_matter, selectable))


def shown(history: CritiqueHistory, verified: Verified) -> dict[str, Any]:
    """What the person decides on: the points, their positions, and the solutions."""
    return {
        "findings": [finding.model_dump(mode="json") for finding in history.findings],
        "solutions": [solution.model_dump(mode="json") for solution in verified.solutions],
    }


def wants_revision(answer: DecisionAnswer | None) -> bool:
    """Whether somebody asked for another critique."""
    return answer is not None and answer.choice == REVISE


def picked_issues(answer: DecisionAnswer, history: CritiqueHistory) -> tuple[Notice, ...]:
    """The points that a person wants improved: those picked, else all."""
    ids = answer.only or tuple(finding.id for finding in standing_points(history))
    return tuple(notice("case_issue_picked", finding=name) for name in ids)
