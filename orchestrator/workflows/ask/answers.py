"""Everybody answers at once, without seeing anybody else's answer; the chair makes one answer of all."""

from __future__ import annotations

from functools import partial

from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.synthesis import Synthesised, synthesised
from orchestrator.core.discussion.turn_results import take_turns
from orchestrator.core.replay.commands import Effect, Turn
from orchestrator.core.wording import under_name
from orchestrator.workflows.ask.context import AskContext, QuestionAnswers
from orchestrator.workflows.ask.ranking import RankingResult
from orchestrator.workflows.ask.roles import AskRole
from shared.models.review_replies import Synthesis


def collect_answers(context: AskContext) -> Effect[QuestionAnswers]:
    """One answer from each; a failure is an answer that is missing."""
    turns = yield from take_turns(
        Turn(
            key=f"answer/{speaker.name}",
            participant=speaker,
            role=AskRole.ANSWER,
            round=1,
            reply_model="answer",
            prompt=partial(context.prompts.answer, speaker),
        )
        for speaker in context.participants
    )
    return QuestionAnswers(turns)


def synthesise(
    context: AskContext, answers: QuestionAnswers, ranking: RankingResult
) -> Effect[Synthesised[Synthesis]]:
    """One text out of two answers or more; when the chair fails, the answers one after another."""
    if len(answers.given) < 2:
        return Synthesised(_fallback(answers))
    chair = context.spec.panel.chair
    labels = shuffled_labels(context.spec.seed, "chair", list(answers.given))
    turn = Turn(
        key=f"synthesis/{chair.name}",
        participant=chair,
        role=AskRole.SYNTHESIS,
        round=1,
        reply_model="synthesis",
        prompt=partial(context.prompts.synthesis, chair, labels, answers.texts, ranking.places),
        temperature=0.3,
    )
    fallback = partial(_fallback, answers)
    return (yield from synthesised(turn, Synthesis, labels, fallback, "answers"))


def _fallback(answers: QuestionAnswers) -> Synthesis:
    return Synthesis(summary=one_after_another(answers))


def one_after_another(answers: QuestionAnswers) -> str:
    """Every answer under its participant's name; a single one without it."""
    texts = answers.texts
    if len(texts) == 1:
        return next(iter(texts.values()))
    blocks = (under_name(name, text) for name, text in texts.items())
    return "\n\n".join(blocks) or "Nobody answered."
