"""Peer ranking without names: everybody who answered orders the others' answers, and the orders are counted.

The count is Borda's, over rankings that are partial, tied, missing, and never hold the ranker's own entry. In a
ranking of n entries the best gets n - 1 points and the last 0. Entries that share a place share its points equally;
those that a ranking leaves out share the last places. Everybody is ranked by others only, so an entry's score is its
mean share of the points within its reach (points / (n - 1), in 0..1) over the rankings that it stood in: a ranking
that is missing costs nobody anything. de Borda 1781; ties by average as in Emerson 2013.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.turn_results import TurnResult, failure_notice, take_turns
from orchestrator.core.replay.commands import Effect, Turn
from orchestrator.workflows.ask.context import AskContext, QuestionAnswers
from orchestrator.workflows.ask.result import PeerRanking, RankedAnswer
from orchestrator.workflows.ask.roles import AskRole
from shared.models.deliberation import Ranking
from shared.models.notices import Notice, notice
from shared.patterns import regex

FEWEST_ANSWERS = 3  # with two, everybody would rank a single answer
_LABEL = regex(r"(?<![A-Za-z])[A-Z]{1,2}(?![A-Za-z])")


@dataclass(frozen=True)
class RankingResult:
    """Everybody's place, the rankings that lead to it, and the letters that each ranker was shown."""

    places: tuple[RankedAnswer, ...] = ()
    rankings: tuple[PeerRanking, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    turns: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def rank(context: AskContext, answers: QuestionAnswers) -> Effect[RankingResult]:
    """Rankings from all who answered, and the count over those that came."""
    names = list(answers.given)
    if len(names) < FEWEST_ANSWERS:
        warning = notice("ask_too_few_to_rank", needed=FEWEST_ANSWERS, answered=len(names))
        return RankingResult(warnings=(warning,))
    labels = {name: _letters_of_others(context, name, names) for name in names}
    turns = yield from take_turns(
        Turn(
            key=f"ranking/{ranker.name}",
            participant=ranker,
            role=AskRole.RANKING,
            round=1,
            reply_model="ranking",
            prompt=partial(context.prompts.ranking, ranker, labels[ranker.name], answers.texts),
        )
        for ranker in context.participants
        if ranker.name in labels
    )
    read = [_read(turn, labels[turn.participant]) for turn in turns]
    rankings = tuple(ranking for ranking in read if isinstance(ranking, PeerRanking))
    return RankingResult(
        places=borda(names, rankings),
        rankings=rankings,
        labels=labels,
        turns=turns,
        warnings=tuple(warning for warning in read if isinstance(warning, Notice)),
    )


def _letters_of_others(context: AskContext, ranker: str, names: Sequence[str]) -> dict[str, str]:
    others = [name for name in names if name != ranker]
    return shuffled_labels(context.spec.seed, ranker, others)


def _read(turn: TurnResult, labels: Mapping[str, str]) -> PeerRanking | Notice:
    """A ranking, or why there is none."""
    ranker = turn.participant
    if turn.failure is not None:
        return notice("ask_did_not_rank", who=ranker, why=failure_notice(turn.failure))
    ranking = read_ranking(ranker, Ranking.model_validate(turn.result.reply), labels)
    return notice("ask_ranked_none", who=ranker) if ranking is None else ranking


def read_ranking(ranker: str, stated: Ranking, labels: Mapping[str, str]) -> PeerRanking | None:
    """A stated ranking as names: unknown letters are dropped, the first mention counts; None when none is left."""
    ranked: set[str] = set()
    entries = [tuple(_new(_LABEL.findall(entry), labels, ranked)) for entry in stated.ranking]
    groups = tuple(filter(None, entries))
    if not groups:
        return None
    left_out = tuple(name for name in labels.values() if name not in ranked)
    return PeerRanking(participant=ranker, order=groups, left_out=left_out, reason=stated.reason)


def _new(letters: Iterable[str], labels: Mapping[str, str], ranked: set[str]) -> Iterable[str]:
    for letter in letters:
        name = labels.get(letter)
        if name is not None and name not in ranked:
            ranked.add(name)
            yield name


# ---- the count ----------------------------------------------------------------------------------


def borda(names: Sequence[str], rankings: Iterable[PeerRanking]) -> tuple[RankedAnswer, ...]:
    """Everybody's place, best first; equal ones in the order of `names`."""
    points: dict[str, list[float]] = {name: [] for name in names}
    shares: dict[str, list[float]] = {name: [] for name in names}
    for ranking in rankings:
        for name, gained in points_of(ranking).items() if ranking.size > 1 else ():
            points[name].append(gained)
            shares[name].append(gained / (ranking.size - 1))
    scores = {name: sum(own) / len(own) if own else None for name, own in shares.items()}
    places = [
        RankedAnswer(
            participant=name,
            place=_place(score, scores.values()),
            score=score,
            points=sum(points[name], 0.0),
            rankings=len(points[name]),
        )
        for name, score in scores.items()
    ]
    return tuple(sorted(places, key=lambda ranked: (ranked.place is None, ranked.place or 0)))


def points_of(ranking: PeerRanking) -> dict[str, float]:
    """Everybody's points in one ranking."""
    points: dict[str, float] = {}
    best = ranking.size - 1
    for group in (*ranking.order, ranking.left_out):
        for name in group:
            points[name] = best - (len(group) - 1) / 2
        best -= len(group)
    return points


def _place(score: float | None, scores: Iterable[float | None]) -> int | None:
    """Equal scores share a place (1, 1, 3); an entry that stood in no ranking has none."""
    if score is None:
        return None
    better = (other for other in scores if other is not None)
    return 1 + sum(round(other, 9) > round(score, 9) for other in better)
