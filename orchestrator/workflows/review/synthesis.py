"""The panel's merged text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.core.commands import Doing, Turn, single
from orchestrator.workflows.review.case import Case, History
from shared.models.panel import Role
from shared.models.replies import Synthesis


@dataclass(frozen=True)
class Synthesised:
    """The text; `by` is `fallback` when it is the rounds as they were, and then nobody saw `labels`."""

    text: Synthesis
    by: str
    labels: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def synthesise(case: Case, history: History) -> Doing[Synthesised]:
    """The chair's merged text; when the chair fails, the rounds' contents one after another (the design's fallback)."""
    chair, labels = case.spec.panel.chair, case.letters
    fallback = Synthesis(summary="\n\n".join(history.texts()) or "Nobody answered.")
    if not history.said or history.over_budget:
        return Synthesised(fallback, "fallback", {})
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
        warning = f"{chair.name} could not synthesise ({result.failure.kind}): the rounds stand as they were"
        return Synthesised(fallback, "fallback", {}, (warning,))
    return Synthesised(Synthesis.model_validate(result.reply), chair.name, labels)
