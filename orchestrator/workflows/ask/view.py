"""How an ask run is shown: the answers one after another, their ranking, and what they were made into."""

from __future__ import annotations

from orchestrator.core.discussion.synthesis import FALLBACK
from orchestrator.core.document import Block, Grid, Heading, Item, Items, Words, remark
from orchestrator.core.views.context import (
    ViewContext,
    WorkflowView,
    confidence,
    figures,
    price,
    synthesis,
    texts,
    took_s,
)
from orchestrator.workflows.ask.live import LIVE
from orchestrator.workflows.ask.result import AskResult, PeerRanking, RecordedAnswer
from orchestrator.workflows.ask.roles import AskRole
from orchestrator.workflows.display import WorkflowDisplay

AskView = ViewContext[AskResult]


def headline(view: AskView) -> str:
    """How many answered."""
    return view.message("answered_of", answered=len(_given(view)), asked=len(view.facts.critics))


def body(view: AskView) -> list[Block]:
    """The answers are what the reader came for; a chair's synthesis comes last, or alone when it is to be brief."""
    if view.brief:
        return _synthesis(view) or _answers(view)
    return [*_answers(view), *_ranking(view), *_synthesis(view)]


def _given(view: AskView) -> tuple[RecordedAnswer, ...]:
    """The panel's first answer first; without a ranking as they were asked."""
    if view.result is None:
        return _so_far(view)
    answers = view.result.answers
    return tuple(sorted(answers, key=lambda given: given.place or len(answers)))


def _so_far(view: AskView) -> tuple[RecordedAnswer, ...]:
    return tuple(
        RecordedAnswer(
            participant=step.participant,
            answer=str((step.reply or {}).get("answer") or ""),
            confidence=(step.reply or {}).get("confidence"),
            place=None,
            score=None,
            elapsed_s=took_s(step),
            tokens=step.tokens,
            cost_usd=step.cost_usd,
        )
        for step in view.facts.replies(AskRole.ANSWER)
    )


def _answers(view: AskView) -> list[Block]:
    given = _given(view)
    if not given:
        return [remark(view.message("nobody_answered"))] if view.facts.final else []
    if view.brief and len(given) == 1:
        return [Words(given[0].answer)]
    took = {step.participant: took_s(step) for step in view.facts.replies(AskRole.ANSWER)}

    def heading(answer: RecordedAnswer) -> Heading:
        return Heading(answer.participant, _figures(view, answer, took.get(answer.participant)))

    return texts((heading(answer), answer.answer) for answer in given)


def _figures(view: AskView, answer: RecordedAnswer, elapsed_s: float | None) -> str:
    if view.brief:
        return ""
    return figures(
        None if answer.place is None else view.message("place", place=answer.place),
        confidence(view, answer.confidence),
        None if elapsed_s is None else view.message("seconds", s=elapsed_s),
        None if answer.tokens is None else view.message("tokens", n=answer.tokens),
        price(view, answer.cost_usd),
    )


def _ranking(view: AskView) -> list[Block]:
    ranking = view.result.ranking if view.result else None
    if ranking is None or all(ranked.place is None for ranked in ranking.places):
        return []  # the warnings say why nobody ranked
    heads = ("head_place", "head_who", "head_score", "head_points", "head_rankings")
    rows = tuple(
        (
            "-" if ranked.place is None else str(ranked.place),
            ranked.participant,
            "-" if ranked.score is None else f"{ranked.score:.2f}",
            f"{ranked.points:g}",
            str(ranked.rankings),
        )
        for ranked in ranking.places
    )
    table = (Heading(view.message("ranking")), Grid(tuple(map(view.message, heads)), rows))
    if not view.everything:
        return [*table]
    return [*table, Items(tuple(_order(view, ranker) for ranker in ranking.rankings))]


def _order(view: AskView, ranker: PeerRanking) -> Item:
    order = " > ".join(" = ".join(group) for group in ranker.order)
    return Item(order, view.message("ranked_for", who=ranker.participant), ranker.reason)


def _synthesis(view: AskView) -> list[Block]:
    result = view.result
    if result is None or result.synthesis is None or result.synthesised_by in (None, FALLBACK):
        return []
    if view.brief:
        return [Words(result.synthesis.summary)]
    return synthesis(view, result.synthesis, result.synthesised_by)


DISPLAY = WorkflowDisplay(AskResult, WorkflowView(body, headline=headline), LIVE)
