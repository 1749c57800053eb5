"""Everybody answers at once, without seeing anybody else's answer."""

from __future__ import annotations

from functools import partial

from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.core.replay.commands import Effect, Turn, together
from orchestrator.workflows.ask.context import AskContext, GivenAnswer, Missing, QuestionAnswers
from orchestrator.workflows.ask.roles import AskRole
from shared.models.deliberation import Answer
from shared.models.outcomes import FailureKind


def collect_answers(context: AskContext) -> Effect[QuestionAnswers]:
    """One answer from each; a failure is an answer that is missing."""
    results = yield from together(
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
    given: list[GivenAnswer] = []
    missing: list[Missing] = []
    for speaker, result in zip(context.participants, results, strict=True):
        if result.failure is not None:
            missing.append(Missing(speaker.name, result.failure))
            continue
        said = Answer.model_validate(result.reply)
        given.append(GivenAnswer(speaker.name, said.answer, said.confidence, result))
    return QuestionAnswers(
        given=tuple(given),
        missing=tuple(missing),
        heard=tuple(
            TurnResult(speaker.name, result)
            for speaker, result in zip(context.participants, results, strict=True)
        ),
        over_budget=any(one.failure.kind is FailureKind.OVER_BUDGET for one in missing),
    )
