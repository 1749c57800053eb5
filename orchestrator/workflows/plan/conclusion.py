"""The end of a plan run: the plan, how it came about, and the verdict by code."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.discussion.impact import FindingsDebate, debate_impact
from orchestrator.core.discussion.sections import feedback
from orchestrator.core.discussion.turn_results import TurnResult, spent
from orchestrator.core.findings.verdict import derive, effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import FindingsImpact
from orchestrator.workflows.plan.context import DebatedVersion, PlanContext
from orchestrator.workflows.plan.decision import contributions
from orchestrator.workflows.plan.discussion import sources
from orchestrator.workflows.plan.planning import Planned
from orchestrator.workflows.plan.result import (
    PlanLabels,
    PlanResult,
    PlanRevision,
    VersionAssessment,
)
from shared.models.notices import Notice, sentences
from shared.models.outcomes import Ending, Verdict


def without_plan(planned: Planned) -> Outcome:
    """Nobody wrote a plan: there was nothing to debate."""
    return Outcome(
        verdict=Verdict.INCONCLUSIVE,
        ending=Ending.OVER_BUDGET if planned.over_budget else Ending.DEGRADED,
        summary=sentences(None, *planned.warnings),
        result=PlanResult(plan=None, accepted=False, revisions=(), usage=spent(planned.turns)),
        warnings=planned.warnings,
    )


def conclude(
    context: PlanContext,
    debates: Sequence[DebatedVersion],
    turns: Sequence[TurnResult],
    warnings: Sequence[Notice],
) -> Outcome:
    """The verdict over what stands against the last version; `turns` and `warnings` are the planner's own."""
    history, synthesis = debates[-1].history, debates[-1].synthesis
    return Outcome(
        verdict=derive(history.findings, history.ending, context.options.fail_on),
        ending=history.ending,
        summary=synthesis.text.summary,
        findings=tuple(finding for debate in debates for finding in debate.findings),
        result=_result(context, debates, turns),
        warnings=(*warnings, *(warning for debate in debates for warning in debate.warnings)),
    )


def _result(
    context: PlanContext, debates: Sequence[DebatedVersion], turns: Sequence[TurnResult]
) -> PlanResult:
    last, options = debates[-1], context.options
    answers = (debate.answer for debate in reversed(debates) if debate.answer is not None)
    impacts = [impact(context, debate) for debate in debates]
    return PlanResult(
        question=context.prompts.question.title,
        strategy=options.strategy,
        plan=last.plan.text,
        plan_by=last.plan.by,
        accepted=last.is_accepted,
        decision=next(answers, None),
        revisions=tuple(_revision(context, debate) for debate in debates),
        synthesis=last.synthesis.text,
        synthesised_by=last.synthesis.by,
        feedback=feedback(context.strategies.values(), last.history.contributions),
        assessments=tuple(
            VersionAssessment(version=debate.plan.number, **dict(assessment))
            for debate in debates
            for assessment in debate.history.assessments
        ),
        standing=tuple(finding.id for finding in last.findings),
        effective_votes=effective_votes(context.critics),
        receipt=impacts[-1],
        earlier_receipts=tuple(impacts[:-1]),
        usage=spent((*turns, *(turn for debate in debates for turn in debate.turns))),
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
            label=debate.plan.cycle.label,
        ),
        version=debate.plan.number,
    )


# What the code's verdict is in the critics' words.
_VOTED = {Verdict.APPROVED: "ACCEPT", Verdict.NEEDS_FIX: "REVISE"}


def _revision(context: PlanContext, debate: DebatedVersion) -> PlanRevision:
    plan, history = debate.plan, debate.history
    return PlanRevision(
        number=plan.number,
        by=plan.by,
        text=plan.text,
        assumptions=plan.assumptions,
        answers=tuple(dict(answered) for answered in plan.answers),
        ending=history.ending,
        findings=debate.findings,
        rounds=contributions(debate),
        synthesis=debate.synthesis.text,
        synthesised_by=debate.synthesis.by,
        decision=debate.answer,
        labels=PlanLabels(
            rounds={
                str(taken.number): context.labels(plan.number, f"round/{taken.number}")
                for taken in history.rounds
            },
            synthesis=dict(debate.synthesis.labels),
        ),
    )
