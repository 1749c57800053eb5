"""Revise or accept: the question to a person, and what the policy's words mean for a plan."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from orchestrator.core.discussion.sections import feedback
from orchestrator.core.replay.commands import Effect
from orchestrator.workflows.plan.choices import DECISION
from orchestrator.workflows.plan.context import DebatedVersion, PlanContext
from orchestrator.workflows.plan.result import PlanContribution
from shared.models.decision import DecisionAnswer

AGAIN = replace(DECISION, kind="plan_again")


def ask(context: PlanContext, debate: DebatedVersion, attempt: int = 1) -> Effect[DecisionAnswer]:
    """The question, or the policy's answer at once; a word that means nothing for a plan asks.

    Silence accepts: nothing is changed and nothing is spent without a word. A second `attempt` follows a revision that
    changed nothing.
    """
    cycle, policy, matter = (
        debate.plan.cycle,
        context.spec.decision,
        partial(shown, context, debate),
    )
    if attempt == 1:
        prompt = "Revise the plan, or accept it as it is?"
        return DECISION.ask(cycle.key("decision"), policy, prompt, matter)
    prompt = "The plan came back unchanged. Revise it again, or accept it as it is?"
    return AGAIN.ask(cycle.key("decision", attempt), policy, prompt, matter)


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
