"""The end of a run: its answers, who is missing, and what they were made into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.core.consensus.convergence import Rule
from orchestrator.core.discussion.spending import spent
from orchestrator.core.replay.commands import Outcome
from orchestrator.workflows.ask.case import Answers, Case, Missing, RankingResult, SynthesisResult
from orchestrator.workflows.ask.synthesis import one_after_another
from shared.models.outcomes import Ending, Verdict


def conclude(
    case: Case,
    answers: Answers,
    ranking: RankingResult | None,
    synthesis: SynthesisResult | None,
) -> Outcome:
    """`ANSWERED` when a quorum answered. There was no discussion, so nothing converged: no gate passes on it."""
    asked = len(case.participants)
    needed = Rule(quorum=case.options.quorum).quorum_of(asked)
    quorate = len(answers.given) >= needed
    summary = synthesis.text.summary if synthesis else one_after_another(answers)
    return Outcome(
        verdict=Verdict.ANSWERED if quorate else Verdict.INCONCLUSIVE,
        ending=None if quorate else _ending(answers),
        summary=summary,
        detail=_detail(case, answers, ranking, synthesis, needed),
        warnings=(
            *(_absence(one, len(answers.given), asked) for one in answers.missing),
            *(ranking.warnings if ranking else ()),
            *(synthesis.warnings if synthesis else ()),
        ),
    )


def _ending(answers: Answers) -> Ending:
    return Ending.OVER_BUDGET if answers.over_budget else Ending.DEGRADED


def _absence(one: Missing, answered: int, asked: int) -> str:
    return (
        f"{one.participant} did not answer ({answered}/{asked} did): "
        f"{one.failure.kind}: {one.failure.message}"
    )


def _detail(
    case: Case,
    answers: Answers,
    ranking: RankingResult | None,
    synthesis: SynthesisResult | None,
    needed: int,
) -> dict[str, Any]:
    question = case.prompts.question
    stages = (answers, *(stage for stage in (ranking, synthesis) if stage))
    return {
        "question": {
            "title": question.title,
            "text": question.text,
            "contexts": [context.path for context in question.contexts],
        },
        "answers": _answers(answers, ranking),
        "missing": [
            {
                "participant": one.participant,
                "kind": one.failure.kind.value,
                "message": one.failure.message,
            }
            for one in answers.missing
        ],
        "quorum": {
            "answered": len(answers.given),
            "asked": len(case.participants),
            "needed": needed,
        },
        "ranking": None if ranking is None or not ranking.places else _ranking(ranking),
        "synthesis": None if synthesis is None else synthesis.text.model_dump(mode="json"),
        "synthesised_by": _author(synthesis),
        "labels": _labels(ranking, synthesis),
        "usage": spent(one for stage in stages for one in stage.heard),
    }


def _answers(answers: Answers, ranking: RankingResult | None) -> list[dict[str, Any]]:
    places = {one.name: one for one in ranking.places} if ranking else {}
    return [
        {
            "participant": one.participant,
            "answer": one.text,
            "confidence": one.confidence,
            "place": places[one.participant].place if one.participant in places else None,
            "score": places[one.participant].score if one.participant in places else None,
            "elapsed_s": one.result.elapsed_s,
            "tokens": one.result.tokens,
            "cost_usd": one.result.cost_usd,
        }
        for one in answers.given
    ]


def _ranking(ranking: RankingResult) -> dict[str, Any]:
    return {
        "places": [
            {
                "participant": one.name,
                "place": one.place,
                "score": one.score,
                "points": one.points,
                "rankings": one.rankings,
            }
            for one in ranking.places
        ],
        "rankings": [
            {
                "participant": one.participant,
                "order": [list(group) for group in one.order.groups],
                "left_out": list(one.order.left_out),
                "reason": one.reason,
            }
            for one in ranking.rankings
        ],
    }


def _author(synthesis: SynthesisResult | None) -> str | None:
    if synthesis is None:
        return None
    return synthesis.by or "fallback"


def _labels(
    ranking: RankingResult | None, synthesis: SynthesisResult | None
) -> dict[str, Mapping[str, Any]]:
    """Which letter stood for whom: by ranker, and for the chair."""
    rankings = ranking.rankings if ranking else ()
    return {
        "rankings": {one.participant: dict(one.labels) for one in rankings},
        "synthesis": dict(synthesis.labels) if synthesis else {},
    }
