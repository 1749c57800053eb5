"""The end of a plan run: the plan, how it came about, and the verdict by code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orchestrator.core.discussion.receipt import Debated, receipt_of
from orchestrator.core.discussion.said import feedback
from orchestrator.core.discussion.spending import Heard, spent
from orchestrator.core.findings.verdict import derive, effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.workflows.plan.case import Case, Debate, History
from orchestrator.workflows.plan.decision import ACCEPT, labelled, rounds
from orchestrator.workflows.plan.planning import Planned
from orchestrator.workflows.plan.quoting import sources
from shared.models.outcomes import Ending, Verdict


def without_plan(planned: Planned) -> Outcome:
    """Nobody wrote a plan: there was nothing to debate."""
    return Outcome(
        verdict=Verdict.INCONCLUSIVE,
        ending=Ending.OVER_BUDGET if planned.over_budget else Ending.DEGRADED,
        summary=" ".join(planned.warnings),
        detail={"plan": None, "accepted": False, "revisions": [], "usage": spent(planned.heard)},
        warnings=planned.warnings,
    )


def conclude(
    case: Case, debates: Sequence[Debate], heard: Sequence[Heard], warnings: Sequence[str]
) -> Outcome:
    """The verdict over what stands against the last version; `heard` and `warnings` are the planner's own."""
    last = debates[-1]
    answer = last.answer
    return Outcome(
        verdict=derive(last.history.findings, _ending(last.history), case.options.fail_on),
        ending=_ending(last.history),
        summary=last.synthesis.summary,
        findings=tuple(
            finding.model_copy(update={"id": debate.plan.label(finding.id)})
            for debate in debates
            for finding in debate.history.findings
        ),
        detail={
            "question": case.prompts.question.title,
            "strategy": case.options.strategy,
            "plan": last.plan.text,
            "plan_by": last.plan.by,
            "accepted": answer is not None and answer.choice == ACCEPT,
            "decision": _decision(debates),
            "revisions": [_revision(debate) for debate in debates],
            "synthesis": last.synthesis.model_dump(mode="json"),
            "synthesised_by": last.synthesised_by,
            "feedback": feedback("plan", last.history.said),
            "assessments": [
                {"version": debate.plan.number, **one.model_dump(mode="json")}
                for debate in debates
                for one in debate.history.assessments
            ],
            "standing": [last.plan.label(one.id) for one in last.history.findings],
            "effective_votes": effective_votes(case.critics),
            "receipt": receipt(case, last),
            "earlier_receipts": [receipt(case, debate) for debate in debates[:-1]],
            "usage": spent((*heard, *(one for debate in debates for one in _bill(debate)))),
        },
        warnings=(
            *warnings,
            *(
                warning
                for debate in debates
                for warning in (*debate.history.warnings, *debate.warnings)
            ),
        ),
    )


def receipt(case: Case, debate: Debate) -> dict[str, Any]:
    """Did the debate of a version help?"""
    history = debate.history
    made = receipt_of(
        Debated(
            critics=case.critics,
            said=history.said,
            verdict=_VOTED.get(derive(history.findings, _ending(history))),
            findings=history.findings,
            ledger=history.ledger,
            sources=sources(case, debate.plan, history.said, history.rounds),
            label=debate.plan.label,
            blind=history.blind,
            after=history.heard[len(history.blind) :],
        )
    )
    return {"version": debate.plan.number, **made}


# What the code's verdict is in the critics' words.
_VOTED = {Verdict.APPROVED: "ACCEPT", Verdict.NEEDS_FIX: "REVISE"}


def _ending(history: History) -> Ending | None:
    return Ending.DEGRADED if history.assessment is None else history.assessment.ending


def _bill(debate: Debate) -> tuple[Heard, ...]:
    return (*debate.history.heard, *debate.heard)


def _decision(debates: Sequence[Debate]) -> dict[str, Any] | None:
    """The last answer that somebody gave."""
    answers = (debate.answer for debate in reversed(debates) if debate.answer is not None)
    last = next(answers, None)
    return None if last is None else last.model_dump(mode="json")


def _revision(debate: Debate) -> dict[str, Any]:
    plan, history = debate.plan, debate.history
    return {
        "number": plan.number,
        "by": plan.by,
        "text": plan.text,
        "assumptions": list(plan.assumptions),
        "answers": [dict(one) for one in plan.answers],
        "ending": _ending(history),
        "findings": [labelled(plan, one) for one in history.findings],
        "rounds": rounds(debate),
        "synthesis": debate.synthesis.model_dump(mode="json"),
        "synthesised_by": debate.synthesised_by,
        "decision": None if debate.answer is None else debate.answer.model_dump(mode="json"),
        "labels": {
            "rounds": {number: dict(one) for number, one in history.labels.items()},
            "synthesis": dict(debate.labels),
        },
    }
