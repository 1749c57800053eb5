"""The chair's synthesis of all answers, and what stands in for it."""

from __future__ import annotations

from functools import partial

from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.core.replay.commands import Effect, Turn, single
from orchestrator.core.wording import under_name
from orchestrator.workflows.ask.context import (
    AskContext,
    QuestionAnswers,
    RankingResult,
    SynthesisResult,
)
from orchestrator.workflows.ask.roles import AskRole
from shared.models.notices import notice
from shared.models.replies import Synthesis


def synthesise(
    context: AskContext, answers: QuestionAnswers, ranking: RankingResult | None
) -> Effect[SynthesisResult]:
    """One text out of two answers or more; when the chair fails, the answers one after another."""
    fallback = Synthesis(summary=one_after_another(answers))
    if len(answers.given) < 2:
        return SynthesisResult(fallback, None, {})
    chair = context.spec.panel.chair
    labels = shuffled_labels(context.spec.seed, "chair", [one.participant for one in answers.given])
    result = yield from single(
        Turn(
            key=f"synthesis/{chair.name}",
            participant=chair,
            role=AskRole.SYNTHESIS,
            round=1,
            reply_model="synthesis",
            prompt=partial(
                context.prompts.synthesis,
                chair,
                labels,
                answers.texts,
                ranking.places if ranking else (),
            ),
            temperature=0.3,
        )
    )
    heard = (TurnResult(chair.name, result),)
    if result.failure is not None:
        warning = notice(
            "no_synthesis", who=chair.name, kind=result.failure.kind, instead="answers"
        )
        return SynthesisResult(fallback, None, {}, heard, (warning,))
    return SynthesisResult(Synthesis.model_validate(result.reply), chair.name, labels, heard)


def one_after_another(answers: QuestionAnswers) -> str:
    """Every answer under its participant's name; a single one by itself."""
    if len(answers.given) == 1:
        return answers.given[0].text
    blocks = (under_name(one.participant, one.text) for one in answers.given)
    return "\n\n".join(blocks) or "Nobody answered."
