"""The end of a run: its answers, those that are missing, and what they were made into."""

from __future__ import annotations

from functools import partial

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.synthesis import Synthesised
from orchestrator.core.discussion.turn_results import failure_notice, spent, why_failed
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import AskedQuestion
from orchestrator.workflows.ask.answers import one_after_another
from orchestrator.workflows.ask.context import AskContext, QuestionAnswers
from orchestrator.workflows.ask.ranking import RankingResult
from orchestrator.workflows.ask.result import (
    AnswerQuorum,
    AnswerRanking,
    AskLabels,
    AskResult,
    MissingAnswer,
    RecordedAnswer,
)
from shared.models.notices import Notice, notice
from shared.models.outcomes import Ending, Verdict
from shared.models.review_replies import Synthesis


def conclude(
    context: AskContext,
    answers: QuestionAnswers,
    ranking: RankingResult,
    synthesis: Synthesised[Synthesis] | None,
) -> Outcome:
    """`ANSWERED` when a quorum answered. There was no discussion, so nothing converged: no gate passes on it."""
    asked = len(context.participants)
    needed = ConvergenceRule(quorum=context.options.quorum).quorum_of(asked)
    quorum = AnswerQuorum(answered=len(answers.given), asked=asked, needed=needed)
    return Outcome(
        verdict=Verdict.ANSWERED if quorum.reached else Verdict.INCONCLUSIVE,
        ending=None if quorum.reached else _ending(answers),
        summary=synthesis.text.summary if synthesis else one_after_another(answers),
        result=AskResult(
            question=AskedQuestion.of(context.prompts.question),
            answers=_answers(answers, ranking),
            missing=_missing(answers),
            quorum=quorum,
            ranking=_ranking(ranking),
            synthesis=synthesis.text if synthesis else None,
            synthesised_by=synthesis.by if synthesis else None,
            labels=_labels(ranking, synthesis),
            usage=spent((*answers.turns, *ranking.turns, *(synthesis.turns if synthesis else ()))),
        ),
        warnings=(
            *_absences(answers, quorum),
            *ranking.warnings,
            *(synthesis.warnings if synthesis else ()),
        ),
    )


def _ending(answers: QuestionAnswers) -> Ending:
    return Ending.OVER_BUDGET if answers.over_budget else Ending.DEGRADED


def _absences(answers: QuestionAnswers, quorum: AnswerQuorum) -> list[Notice]:
    absence = partial(notice, "did_not_answer", answered=quorum.answered, asked=quorum.asked)
    return [absence(who=name, why=why_failed(failure)) for name, failure in answers.missing.items()]


def _missing(answers: QuestionAnswers) -> tuple[MissingAnswer, ...]:
    return tuple(
        MissingAnswer(participant=name, kind=failure.kind.value, message=failure_notice(failure))
        for name, failure in answers.missing.items()
    )


def _answers(answers: QuestionAnswers, ranking: RankingResult) -> tuple[RecordedAnswer, ...]:
    places = {ranked.participant: ranked for ranked in ranking.places}
    recorded = []
    for turn in answers.turns:
        if (answer := answers.given.get(turn.participant)) is None:
            continue
        ranked = places.get(turn.participant)
        recorded.append(
            RecordedAnswer(
                participant=turn.participant,
                answer=answer.answer,
                confidence=answer.confidence,
                place=ranked.place if ranked else None,
                score=ranked.score if ranked else None,
                elapsed_s=turn.result.elapsed_s,
                tokens=turn.result.tokens,
                cost_usd=turn.result.cost_usd,
            )
        )
    return tuple(recorded)


def _ranking(ranking: RankingResult) -> AnswerRanking | None:
    if not ranking.places:
        return None
    return AnswerRanking(places=ranking.places, rankings=ranking.rankings)


def _labels(ranking: RankingResult, synthesis: Synthesised[Synthesis] | None) -> AskLabels:
    rankers = [ranked.participant for ranked in ranking.rankings]
    return AskLabels(
        rankings={ranker: dict(ranking.labels[ranker]) for ranker in rankers},
        synthesis=dict(synthesis.labels) if synthesis else {},
    )
