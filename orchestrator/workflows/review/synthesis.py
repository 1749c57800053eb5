"""The panel's merged text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.core.replay.commands import Effect, Turn, single
from orchestrator.workflows.review.case import Case, History
from shared.models.counted_synthesis import SynthesisBrief, counted_synthesis
from shared.models.panel import Role
from shared.models.replies import Synthesis


@dataclass(frozen=True)
class Synthesised:
    """The text; `by` is `fallback` when no chair wrote it, and then nobody saw `labels`."""

    text: Synthesis
    by: str
    labels: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def synthesise(case: Case, history: History) -> Effect[Synthesised]:
    """The chair's merged text; without a chair's answer the findings are counted by code (the design's fallback)."""
    chair, labels = case.spec.panel.chair, case.letters
    if not history.said:
        return Synthesised(Synthesis(summary="Nobody answered."), "fallback", {})
    if history.over_budget:
        return Synthesised(_counted(case, history, "the budget is used up"), "fallback", {})
    result = yield from single(
        Turn(
            key=case.key("synthesis", chair.name),
            participant=chair,
            role=Role.SYNTHESIS,
            round=len(history.rounds),
            reply_model="synthesis",
            prompt=lambda: case.prompts.synthesis(
                chair,
                case.subject,
                history.findings,
                history.texts(labels),
                len(case.spec.panel.critics),
            ),
            brief=lambda: case.prompts.synthesis_brief(history.findings, history.assessment),
            temperature=0.3,
        )
    )
    if result.reply is None:
        assert result.failure is not None
        warning = f"{chair.name} could not synthesise ({result.failure.kind}): the findings are counted by code"
        return Synthesised(_counted(case, history, "the chair failed"), "fallback", {}, (warning,))
    return Synthesised(Synthesis.model_validate(result.reply), chair.name, labels)


def _counted(case: Case, history: History, why: str) -> Synthesis:
    """What the participant `rules` would have written, with the reason why it is not the chair's text."""
    brief = case.prompts.synthesis_brief(history.findings, history.assessment)
    return counted_synthesis(SynthesisBrief.model_validate(brief), why)
