"""The end of a plan run: the plan, how it came about, and the verdict by code."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.discussion.receipt import Debated, receipt_of
from orchestrator.core.discussion.said import feedback
from orchestrator.core.discussion.spending import TurnResult, spent
from orchestrator.core.findings.verdict import derive, effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import FindingsImpact
from orchestrator.workflows.plan.context import DebatedVersion, History, PlanContext
from orchestrator.workflows.plan.decision import ACCEPT, contributions
from orchestrator.workflows.plan.planning import Planned
from orchestrator.workflows.plan.quoting import sources
from orchestrator.workflows.plan.result import (
    PlanLabels,
    PlanResult,
    PlanRevision,
    VersionAssessment,
)
from shared.models.decision import Answer
from shared.models.outcomes import Ending, Verdict


def without_plan(planned: Planned) -> Outcome:
    """Nobody wrote a plan: there was nothing to debate."""
    return Outcome(
        verdict=Verdict.INCONCLUSIVE,
        ending=Ending.OVER_BUDGET if planned.over_budget else Ending.DEGRADED,
        summary=" ".join(planned.warnings),
        result=PlanResult(plan=None, accepted=False, revisions=(), usage=spent(planned.heard)),
        warnings=planned.warnings,
    )


def conclude(
    context: PlanContext,
    debates: Sequence[DebatedVersion],
    heard: Sequence[TurnResult],
    warnings: Sequence[str],
) -> Outcome:
    """The verdict over what stands against the last version; `heard` and `warnings` are the planner's own."""
    last = debates[-1]
    answer = last.answer
    return Outcome(
        verdict=derive(last.history.findings, _ending(last.history), context.options.fail_on),
        ending=_ending(last.history),
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
            revisions=tuple(_revision(debate) for debate in debates),
            synthesis=last.synthesis,
            synthesised_by=last.synthesised_by,
            feedback=feedback("plan", last.history.said),
            assessments=tuple(
                VersionAssessment(version=debate.plan.number, **dict(assessment))
                for debate in debates
                for assessment in debate.history.assessments
            ),
            standing=tuple(last.plan.label(finding.id) for finding in last.history.findings),
            effective_votes=effective_votes(context.critics),
            receipt=receipt(context, last),
            earlier_receipts=tuple(receipt(context, debate) for debate in debates[:-1]),
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


def receipt(context: PlanContext, debate: DebatedVersion) -> FindingsImpact:
    """Did the debate of a version help?"""
    history = debate.history
    return receipt_of(
        Debated(
            critics=context.critics,
            said=history.said,
            verdict=_VOTED.get(derive(history.findings, _ending(history))),
            findings=history.findings,
            ledger=history.ledger,
            sources=sources(context, debate.plan, history.said, history.rounds),
            label=debate.plan.label,
            blind=history.blind,
            after=history.heard[len(history.blind) :],
        ),
        version=debate.plan.number,
    )


# What the code's verdict is in the critics' words.
_VOTED = {Verdict.APPROVED: "ACCEPT", Verdict.NEEDS_FIX: "REVISE"}


def _ending(history: History) -> Ending | None:
    return Ending.DEGRADED if history.assessment is None else history.assessment.ending


def _bill(debate: DebatedVersion) -> tuple[TurnResult, ...]:
    return (*debate.history.heard, *debate.heard)


def _decision(debates: Sequence[DebatedVersion]) -> Answer | None:
    """The last answer that somebody gave."""
    answers = (debate.answer for debate in reversed(debates) if debate.answer is not None)
    return next(answers, None)


def _revision(debate: DebatedVersion) -> PlanRevision:
    plan, history = debate.plan, debate.history
    return PlanRevision(
        number=plan.number,
        by=plan.by,
        text=plan.text,
        assumptions=plan.assumptions,
        answers=tuple(dict(answered) for answered in plan.answers),
        ending=_ending(history),
        findings=tuple(
            finding.model_copy(update={"id": plan.label(finding.id)})
            for finding in history.findings
        ),
        rounds=contributions(debate),
        synthesis=debate.synthesis,
        synthesised_by=debate.synthesised_by,
        decision=debate.answer,
        labels=PlanLabels(
            rounds={number: dict(labels) for number, labels in history.labels.items()},
            synthesis=dict(debate.labels),
        ),
    )
