"""Revise or accept: the question to a person, and what the policy's words mean for a plan."""

from __future__ import annotations

from typing import Any

from orchestrator.core.discussion.strategies import feedback
from orchestrator.core.replay.commands import Effect, decide
from orchestrator.workflows.descriptor import Choice, DecisionType
from orchestrator.workflows.plan.context import DebatedVersion, PlanContext, PlanVersion
from orchestrator.workflows.plan.result import PlanContribution
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.models.findings import Finding

REVISE, ACCEPT = "revise", "accept"
DECISION = DecisionType(
    kind="plan",
    choices=(Choice(REVISE, "r", asks_why=True), Choice(ACCEPT, "a")),
    on_timeout=ACCEPT,
    # The policy's words are the review's too: to skip leaves things as they are, to apply follows the panel.
    synonyms={"skip": ACCEPT, "apply_fix": REVISE},
)


def may_revise(context: PlanContext, debate: DebatedVersion) -> bool:
    """True while the bound and the budget leave room for another version."""
    return debate.plan.number <= context.options.max_revisions and not debate.history.over_budget


def ask(context: PlanContext, debate: DebatedVersion) -> Effect[DecisionAnswer]:
    """The question, or the policy's answer at once; a word that means nothing for a plan asks.

    Silence accepts: nothing is changed and nothing is spent without a word.
    """
    policy = context.spec.decision
    if (choice := DECISION.answer(policy)) is not None:
        return DecisionAnswer(choice=choice, actor="policy", channel="policy")
    question = DecisionQuestion(
        kind=DECISION.kind,
        prompt="Revise the plan, or accept it as it is?",
        options=DECISION.words,
        shown=shown(context, debate),
        timeout_s=policy.timeout_s,
        on_timeout=DECISION.silence(policy),
    )
    return (yield from decide(debate.plan.key("decision"), question))


def shown(context: PlanContext, debate: DebatedVersion) -> dict[str, Any]:
    """What the person decides on: the plan, its debate round by round, and what came of it."""
    history, plan = debate.history, debate.plan
    assessment = history.assessment
    return {
        "plan": plan.text,
        "version": plan.number,
        "findings": [labelled(plan, finding) for finding in history.findings],
        "feedback": feedback(context.strategies.values(), history.contributions),
        "rounds": [said.model_dump(mode="json") for said in contributions(debate)],
        "synthesis": debate.synthesis.model_dump(mode="json"),
        "synthesised_by": debate.synthesised_by,
        "convergence": None if assessment is None else assessment.model_dump(mode="json"),
    }


def labelled(plan: PlanVersion, finding: Finding) -> dict[str, Any]:
    """A finding under its name in the whole run."""
    return {**finding.model_dump(mode="json"), "id": plan.label(finding.id)}


def contributions(debate: DebatedVersion) -> tuple[PlanContribution, ...]:
    """Everything that was said, in order."""
    return tuple(
        PlanContribution(
            round=said.round,
            role=said.role,
            participant=said.participant,
            verdict=said.verdict,
            content=said.full_text,
        )
        for said in debate.history.contributions
    )
