"""Revise or accept: the question to a person, and what the policy's words mean for a plan."""

from __future__ import annotations

from functools import partial
from typing import Any

from orchestrator.core.discussion.sections import feedback
from orchestrator.core.replay.commands import Effect
from orchestrator.workflows.plan.choices import DECISION
from orchestrator.workflows.plan.context import DebatedVersion, PlanContext
from orchestrator.workflows.plan.result import PlanContribution
from shared.models.decision import DecisionAnswer


def ask(context: PlanContext, debate: DebatedVersion) -> Effect[DecisionAnswer]:
    """The question, or the policy's answer at once; a word that means nothing for a plan asks.

    Silence accepts: nothing is changed and nothing is spent without a word.
    """
    prompt = "Revise the plan, or accept it as it is?"
    key = debate.plan.cycle.key("decision")
    return DECISION.ask(key, context.spec.decision, prompt, partial(shown, context, debate))


def shown(context: PlanContext, debate: DebatedVersion) -> dict[str, Any]:
    """What the person decides on: the plan, its debate round by round, and what came of it."""
    history, plan = debate.history, debate.plan
    assessment = history.assessment
    return {
        "plan": plan.text,
        "version": plan.number,
        "findings": [finding.model_dump(mode="json") for finding in debate.findings],
        "feedback": feedback(context.strategies.values(), history.contributions),
        "rounds": [each.model_dump(mode="json") for each in contributions(debate)],
        "synthesis": debate.synthesis.text.model_dump(mode="json"),
        "synthesised_by": debate.synthesis.by,
        "convergence": None if assessment is None else assessment.model_dump(mode="json"),
    }


def contributions(debate: DebatedVersion) -> tuple[PlanContribution, ...]:
    """Everything that was said, in order."""
    return tuple(
        PlanContribution(
            round=contribution.round,
            role=contribution.role,
            participant=contribution.participant,
            verdict=contribution.verdict,
            content=contribution.full_text,
        )
        for contribution in debate.history.contributions
    )
