"""The panel's merged text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.core.discussion.loop import History
from orchestrator.core.replay.commands import Effect, Turn, single
from orchestrator.workflows.review.context import ReviewContext
from orchestrator.workflows.review.roles import ReviewRole
from shared.models.counted_synthesis import SynthesisBrief, counted_synthesis
from shared.models.notices import Notice, notice
from shared.models.replies import Synthesis


@dataclass(frozen=True)
class SynthesisedReview:
    """The text; `by` is `fallback` when no chair wrote it, and then nobody saw `labels`."""

    text: Synthesis
    by: str
    labels: Mapping[str, str]
    warnings: tuple[Notice, ...] = ()


def synthesise(context: ReviewContext, history: History) -> Effect[SynthesisedReview]:
    """The chair's merged text; without a chair's answer the findings are counted by code (the design's fallback)."""
    chair, labels = context.spec.panel.chair, context.letters
    if not history.contributions:
        return SynthesisedReview(Synthesis(summary="Nobody answered."), "fallback", {})
    if history.over_budget:
        return SynthesisedReview(
            _counted(context, history, "the budget is used up"), "fallback", {}
        )
    result = yield from single(
        Turn(
            key=context.key("synthesis", chair.name),
            participant=chair,
            role=ReviewRole.SYNTHESIS,
            round=len(history.rounds),
            reply_model="synthesis",
            prompt=lambda: context.prompts.synthesis(
                chair,
                context.subject,
                history.findings,
                texts(history, labels),
                len(context.spec.panel.critics),
            ),
            brief=lambda: context.prompts.synthesis_brief(history.findings, history.assessment),
            temperature=0.3,
        )
    )
    if result.reply is None:
        assert result.failure is not None
        warning = notice(
            "no_synthesis", who=chair.name, kind=result.failure.kind, instead="counted"
        )
        return SynthesisedReview(
            _counted(context, history, "the chair failed"), "fallback", {}, (warning,)
        )
    return SynthesisedReview(Synthesis.model_validate(result.reply), chair.name, labels)


def texts(history: History, labels: Mapping[str, str]) -> tuple[str, ...]:
    """Every contribution under its heading; critics are the letters that `labels` gives them."""
    letters = {name: letter for letter, name in labels.items()}
    return tuple(
        said.headed(letters.get(said.participant, said.participant))
        for said in history.contributions
    )


def _counted(context: ReviewContext, history: History, why: str) -> Synthesis:
    """What the participant `rules` would have written, with the reason why it is not the chair's text."""
    brief = context.prompts.synthesis_brief(history.findings, history.assessment)
    return counted_synthesis(SynthesisBrief.model_validate(brief), why)
