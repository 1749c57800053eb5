"""Peer ranking without names: everybody who answered orders the others' answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.turn_results import TurnResult, take_turns, told_failure
from orchestrator.core.replay.commands import Effect, Turn
from orchestrator.workflows.ask.borda import RankOrder, borda
from orchestrator.workflows.ask.context import AskContext, QuestionAnswers, RankedBy, RankingResult
from orchestrator.workflows.ask.roles import AskRole
from shared.models.deliberation import Ranking
from shared.models.notices import Notice, notice

FEWEST_ANSWERS = 3  # with two, everybody would rank a single answer
_LABEL = re.compile(r"(?<![A-Za-z])[A-Z]{1,2}(?![A-Za-z])")


def rank(context: AskContext, answers: QuestionAnswers) -> Effect[RankingResult]:
    """Rankings from all who answered, and the count over those that came."""
    names = [given.participant for given in answers.given]
    if len(names) < FEWEST_ANSWERS:
        warning = notice("ask_too_few_to_rank", needed=FEWEST_ANSWERS, answered=len(names))
        return RankingResult((), (), warnings=(warning,))
    rankers = [ranker for ranker in context.participants if ranker.name in names]
    shown = {ranker.name: _labels(context, ranker.name, names) for ranker in rankers}
    turns = yield from take_turns(
        Turn(
            key=f"ranking/{ranker.name}",
            participant=ranker,
            role=AskRole.RANKING,
            round=1,
            reply_model="ranking",
            prompt=partial(context.prompts.ranking, ranker, shown[ranker.name], answers.texts),
        )
        for ranker in rankers
    )
    read = [_read(turn, shown[turn.participant]) for turn in turns]
    rankings = tuple(ranking for ranking in read if isinstance(ranking, RankedBy))
    return RankingResult(
        places=borda(names, [ranking.order for ranking in rankings]),
        rankings=rankings,
        heard=turns,
        warnings=tuple(warning for warning in read if isinstance(warning, Notice)),
    )


def _labels(context: AskContext, ranker: str, names: Sequence[str]) -> dict[str, str]:
    """Letters to everybody else's answers."""
    others = [name for name in names if name != ranker]
    return shuffled_labels(context.spec.seed, ranker, others)


def _read(turn: TurnResult, labels: Mapping[str, str]) -> RankedBy | Notice:
    """A ranking, or why there is none."""
    who, failure = turn.participant, turn.result.failure
    if failure is not None:
        return notice("ask_did_not_rank", who=who, why=told_failure(failure))
    stated = Ranking.model_validate(turn.result.reply)
    order = read_order(stated.ranking, labels)
    if order is None:
        return notice("ask_ranked_none", who=who)
    return RankedBy(who, labels, order, stated.reason)


def read_order(entries: Sequence[str], labels: Mapping[str, str]) -> RankOrder | None:
    """A stated ranking as names: unknown letters are dropped, the first mention counts; None when none is left."""
    seen: set[str] = set()
    groups: list[tuple[str, ...]] = []
    for entry in entries:
        group = tuple(_new(_LABEL.findall(entry), labels, seen))
        if group:
            groups.append(group)
    if not groups:
        return None
    return RankOrder(tuple(groups), tuple(name for name in labels.values() if name not in seen))


def _new(letters: Iterable[str], labels: Mapping[str, str], seen: set[str]) -> Iterable[str]:
    for one in letters:
        name = labels.get(one)
        if name is not None and name not in seen:
            seen.add(name)
            yield name
