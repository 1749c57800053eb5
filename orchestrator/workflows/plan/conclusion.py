"""The end of a plan run: the plan, how it came about, and the verdict by code."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.discussion.impact import FindingsDebate, debate_impact
from orchestrator.core.discussion.strategies import feedback
from orchestrator.core.discussion.turn_results import TurnResult, spent
from orchestrator.core.findings.verdict import derive, effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import FindingsImpact
from orchestrator.workflows.plan.context import DebatedVersion, PlanContext
from orchestrator.workflows.plan.decision import ACCEPT, contributions
from orchestrator.workflows.plan.discussion import sources
from orchestrator.workflows.plan.planning import Planned
from orchestrator.workflows.plan.result import (
    PlanLabels,
    PlanResult,
    PlanRevision,
    VersionAssessment,
)
from shared.models.decision import DecisionAnswer
from shared.models.notices import Notice, sentences
from shared.models.outcomes import Ending, Verdict


def without_plan(planned: Planned) -> Outcome:
    """Nobody wrote a plan: there was nothing to debate."""
    return Outcome(
        verdict=Verdict.INCONCLUSIVE,
        ending=Ending.OVER_BUDGET if planned.over_budget else Ending.DEGRADED,
        summary=sentences(None, *planned.warnings),
        result=PlanResult(plan=None, accepted=False, revisions=(), usage=spent(planned.heard)),
        warnings=planned.warnings,
    )


def conclude(
    context: PlanContext,
    debates: Sequence[DebatedVersion],
    heard: Sequence[TurnResult],
    warnings: Sequence[Notice],
) -> Outcome:
    """The verdict over what stands against the last version; `heard` and `warnings` are the planner's own."""
    last = debates[-1]
    answer = last.answer
    return Outcome(
        verdict=derive(last.history.findings, last.history.ending, context.options.fail_on),
        ending=last.history.ending,
        summary=last.synthesis.summary,
        findings=tuple(
            finding.model_copy(update={"id": debate.plan.label(finding.id)})
            for debate in debates
            for finding in debate.history.findings
        ),
        result=PlanResult(
            question=context.prompts.question.title,
            strategy=context.options.strategy,
            plan=last.plan.text,
            plan_by=last.plan.by,
            accepted=answer is not None and answer.choice == ACCEPT,
            decision=_decision(debates),
            revisions=tuple(_revision(context, debate) for debate in debates),
            synthesis=last.synthesis,
            synthesised_by=last.synthesised_by,
            feedback=feedback(context.strategies.values(), last.history.contributions),
            assessments=tuple(
                VersionAssessment(version=debate.plan.number, **dict(assessment))
                for debate in debates
                for assessment in debate.history.assessments
            ),
            standing=tuple(last.plan.label(finding.id) for finding in last.history.findings),
            effective_votes=effective_votes(context.critics),
            receipt=impact(context, last),
            earlier_receipts=tuple(impact(context, debate) for debate in debates[:-1]),
            usage=spent((*heard, *(turn for debate in debates for turn in _bill(debate)))),
        ),
        warnings=(
            *warnings,
            *(
                warning
                for debate in debates
                for warning in (*debate.history.warnings, *debate.warnings)
            ),
        ),
    )


def impact(context: PlanContext, debate: DebatedVersion) -> FindingsImpact:
    """Did the debate of a version help?"""
    history = debate.history
    return debate_impact(
        FindingsDebate(
            critics=context.critics,
            history=history,
            verdict=_VOTED.get(derive(history.findings, history.ending)),
            sources=sources(context, debate.plan, history.contributions, history.rounds),
            label=debate.plan.label,
        ),
        version=debate.plan.number,
    )


# What the code's verdict is in the critics' words.
_VOTED = {Verdict.APPROVED: "ACCEPT", Verdict.NEEDS_FIX: "REVISE"}


def _bill(debate: DebatedVersion) -> tuple[TurnResult, ...]:
    return (*debate.history.blind, *debate.history.debate, *debate.heard)


def _decision(debates: Sequence[DebatedVersion]) -> DecisionAnswer | None:
    """The last answer that somebody gave."""
    answers = (debate.answer for debate in reversed(debates) if debate.answer is not None)
    return next(answers, None)


def _revision(context: PlanContext, debate: DebatedVersion) -> PlanRevision:
    plan, history = debate.plan, debate.history
    return PlanRevision(
        number=plan.number,
        by=plan.by,
        text=plan.text,
        assumptions=plan.assumptions,
        answers=tuple(dict(answered) for answered in plan.answers),
        ending=history.ending,
        findings=tuple(
            finding.model_copy(update={"id": plan.label(finding.id)})
            for finding in history.findings
        ),
        rounds=contributions(debate),
        synthesis=debate.synthesis,
        synthesised_by=debate.synthesised_by,
        decision=debate.answer,
        labels=PlanLabels(
            rounds={
                str(taken.number): context.labels(plan.number, f"round/{taken.number}")
                for taken in history.rounds
            },
            synthesis=dict(debate.labels),
        ),
    )
