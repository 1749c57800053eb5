"""The merged text of a debate, or its rounds one after another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.core.discussion.contested import Agenda
from orchestrator.core.discussion.loop import History
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.core.replay.commands import Effect, Turn, single
from orchestrator.core.wording import under_name
from orchestrator.workflows.plan.context import PlanContext, PlanVersion
from orchestrator.workflows.plan.discussion import shown
from orchestrator.workflows.plan.prompts import PlanView
from orchestrator.workflows.plan.roles import PlanRole
from shared.models.notices import Notice, notice
from shared.models.planning import PlanSynthesis


@dataclass(frozen=True)
class SynthesisedDebate:
    """The text; `by` is `fallback` when it is the rounds as they were."""

    text: PlanSynthesis
    by: str
    labels: Mapping[str, str]
    heard: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def synthesise(
    context: PlanContext, plan: PlanVersion, history: History
) -> Effect[SynthesisedDebate]:
    """The chair's text; when the chair fails, the rounds' contents joined (the design's fallback)."""
    chair = context.spec.panel.chair
    labels = context.labels(plan.number, "chair")
    fallback = PlanSynthesis(summary=joined(history))
    if not history.contributions or history.over_budget:
        return SynthesisedDebate(fallback, "fallback", {})
    view = PlanView(len(history.rounds), plan.text, len(context.critics), Agenda(history.findings))
    result = yield from single(
        Turn(
            key=plan.key("synthesis", chair.name),
            participant=chair,
            role=PlanRole.SYNTHESIS,
            round=len(history.rounds),
            reply_model="synthesis.plan",
            prompt=lambda: context.prompts.synthesis(
                chair, view, shown(history.contributions, labels)
            ),
            brief=lambda: {
                "findings": [one.model_dump(mode="json") for one in history.findings],
                "ending": history.assessment.ending if history.assessment else None,
            },
            temperature=0.3,
        )
    )
    heard = (TurnResult(chair.name, result),)
    if result.failure is not None:
        warning = notice("no_synthesis", who=chair.name, kind=result.failure.kind, instead="rounds")
        return SynthesisedDebate(fallback, "fallback", {}, heard, (warning,))
    return SynthesisedDebate(PlanSynthesis.model_validate(result.reply), chair.name, labels, heard)


def joined(history: History) -> str:
    """The rounds' contents, one contribution after another."""
    blocks = (
        under_name(f"{said.participant}, {said.role}, round {said.round}", said.full_text)
        for said in history.contributions
    )
    return "\n\n".join(blocks) or "Nobody answered."
