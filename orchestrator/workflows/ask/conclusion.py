"""The end of a run: its answers, who is missing, and what they were made into."""

from __future__ import annotations

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.turn_results import spent, told_failure, why_failed
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import AskedQuestion
from orchestrator.workflows.ask.context import (
    AskContext,
    Missing,
    QuestionAnswers,
    RankingResult,
    SynthesisResult,
)
from orchestrator.workflows.ask.result import (
    AnswerQuorum,
    AnswerRanking,
    AskLabels,
    AskResult,
    MissingAnswer,
    PeerRanking,
    RankedAnswer,
    RecordedAnswer,
)
from orchestrator.workflows.ask.synthesis import one_after_another
from shared.models.notices import Notice, notice
from shared.models.outcomes import Ending, Verdict


def conclude(
    context: AskContext,
    answers: QuestionAnswers,
    ranking: RankingResult | None,
    synthesis: SynthesisResult | None,
) -> Outcome:
    """`ANSWERED` when a quorum answered. There was no discussion, so nothing converged: no gate passes on it."""
    asked = len(context.participants)
    needed = ConvergenceRule(quorum=context.options.quorum).quorum_of(asked)
    quorate = len(answers.given) >= needed
    summary = synthesis.text.summary if synthesis else one_after_another(answers)
    return Outcome(
        verdict=Verdict.ANSWERED if quorate else Verdict.INCONCLUSIVE,
        ending=None if quorate else _ending(answers),
        summary=summary,
        result=_result(context, answers, ranking, synthesis, needed),
        warnings=(
            *(_absence(one, len(answers.given), asked) for one in answers.missing),
            *(ranking.warnings if ranking else ()),
            *(synthesis.warnings if synthesis else ()),
        ),
    )


def _ending(answers: QuestionAnswers) -> Ending:
    return Ending.OVER_BUDGET if answers.over_budget else Ending.DEGRADED


def _absence(one: Missing, answered: int, asked: int) -> Notice:
    return notice(
        "did_not_answer",
        who=one.participant,
        answered=answered,
        asked=asked,
        why=why_failed(one.failure),
    )


def _result(
    context: AskContext,
    answers: QuestionAnswers,
    ranking: RankingResult | None,
    synthesis: SynthesisResult | None,
    needed: int,
) -> AskResult:
    stages = (answers, *(stage for stage in (ranking, synthesis) if stage))
    return AskResult(
        question=AskedQuestion.of(context.prompts.question),
        answers=_answers(answers, ranking),
        missing=tuple(
            MissingAnswer(
                participant=missing.participant,
                kind=missing.failure.kind.value,
                message=told_failure(missing.failure),
            )
            for missing in answers.missing
        ),
        quorum=AnswerQuorum(
            answered=len(answers.given), asked=len(context.participants), needed=needed
        ),
        ranking=None if ranking is None or not ranking.places else _ranking(ranking),
        synthesis=None if synthesis is None else synthesis.text,
        synthesised_by=None if synthesis is None else synthesis.by or "fallback",
        labels=_labels(ranking, synthesis),
        usage=spent(heard for stage in stages for heard in stage.heard),
    )


def _answers(answers: QuestionAnswers, ranking: RankingResult | None) -> tuple[RecordedAnswer, ...]:
    places = {place.name: place for place in ranking.places} if ranking else {}
    return tuple(
        RecordedAnswer(
            participant=given.participant,
            answer=given.text,
            confidence=given.confidence,
            place=place.place if (place := places.get(given.participant)) else None,
            score=place.score if place else None,
            elapsed_s=given.result.elapsed_s,
            tokens=given.result.tokens,
            cost_usd=given.result.cost_usd,
        )
        for given in answers.given
    )


def _ranking(ranking: RankingResult) -> AnswerRanking:
    return AnswerRanking(
        places=tuple(
            RankedAnswer(
                participant=place.name,
                place=place.place,
                score=place.score,
                points=place.points,
                rankings=place.rankings,
            )
            for place in ranking.places
        ),
        rankings=tuple(
            PeerRanking(
                participant=ranked.participant,
                order=ranked.order.groups,
                left_out=ranked.order.left_out,
                reason=ranked.reason,
            )
            for ranked in ranking.rankings
        ),
    )


def _labels(ranking: RankingResult | None, synthesis: SynthesisResult | None) -> AskLabels:
    rankings = ranking.rankings if ranking else ()
    return AskLabels(
        rankings={ranked.participant: dict(ranked.labels) for ranked in rankings},
        synthesis=dict(synthesis.labels) if synthesis else {},
    )
