"""How a forum run is shown: the conclusion, who agrees and who does not, what stayed open, how the floor went round."""

from __future__ import annotations

from orchestrator.core.document import Block, Heading, Item, Items, remark
from orchestrator.core.lines import Span, Style
from orchestrator.core.views.context import (
    ViewContext,
    WorkflowView,
    confidence,
    listed,
    names,
    sentence,
    shortened,
    texts,
    titled,
    voices,
    why_failed,
)
from orchestrator.core.views.impact import SHORT as SHORT_VOTE
from orchestrator.core.views.impact import ImpactView, impact
from orchestrator.workflows.display import WorkflowDisplay
from orchestrator.workflows.forum.live import LIVE
from orchestrator.workflows.forum.result import (
    BY_RULE,
    CastBallot,
    FloorRound,
    ForumResult,
    OpeningPosition,
)
from orchestrator.workflows.forum.roles import ForumRole
from orchestrator.workflows.forum.rounds import rounds_of_steps
from shared.models.notices import Notice
from shared.models.outcomes import Ending

ForumView = ViewContext[ForumResult]
SHORT = 100


def body(view: ForumView) -> list[Block]:
    """The conclusion first; without one, the speeches are the result. The warnings name who was not heard."""
    result = view.result
    rounds = rounds_of_steps(view.facts.steps) if result is None else result.rounds
    blocks: list[Block] = []
    if result is not None:
        blocks += _conclusion(view, result)
        blocks += _dissent(view, result)
        blocks += titled(view.message("open_points"), result.open_points)
        blocks += _unheard(view, result)
    if result is None or not result.conclusion:
        blocks += _speeches(view, rounds)
    if view.brief:
        return blocks
    return [
        *blocks,
        *([] if result is None else _ballots(view, result)),
        *_timeline(view, rounds),
        *([] if result is None else _impact(view, result)),
    ]


def _conclusion(view: ForumView, result: ForumResult) -> list[Block]:
    agreed = view.facts.ending in (Ending.CONVERGED, None)
    if result.conclusion:
        word = "conclusion" if agreed else "stated_conclusion"
        blocks = sentence(f"📋 {view.message(word)}", result.conclusion)
    else:
        why = f": {view.translate(result.reason)}" if view.brief else ""
        blocks = [remark(Span(f"📋 {view.message('no_consensus')}", Style.WARNING), why)]
    if view.brief:
        return blocks
    stopped = view.message("stopped_by", why=view.message(f"stopped_{result.stopped_by}"))
    details = (
        view.message("concluded_by", who=result.concluded_by) if result.concluded_by else "",
        stopped if result.stopped_by and not result.reason else "",
        view.translate(result.reason),
    )
    return [*blocks, remark(Span(" · ".join(part for part in details if part), Style.DIM))]


def _dissent(view: ForumView, result: ForumResult) -> list[Block]:
    """Who agrees by name; everybody else with their reason: a minority is never left out."""
    if not result.ballots:
        return []
    agreeing = [cast.participant for cast in result.ballots if cast.position == "agree"]
    others = [_ballot(view, cast) for cast in result.ballots if cast.position != "agree"]
    agreed = view.message("agreed_by", who=names(agreeing, view.message("nobody")))
    return [remark(agreed), *listed(view.message("dissent"), others)]


def _ballot(view: ForumView, cast: CastBallot) -> Item:
    vote = view.message("no_ballot" if cast.position is None else f"position_{cast.position}")
    text = f"{vote} — {cast.reason}" if cast.reason else vote
    style = Style.WARNING if cast.position in (None, "disagree") else Style.PLAIN
    return Item(text, cast.participant, confidence(view, cast.confidence), style)


def _unheard(view: ForumView, result: ForumResult) -> list[Block]:
    if not (view.brief or view.everything):
        return []  # the warnings name them
    entries = [Item(unheard.reason or "…", unheard.participant) for unheard in result.unheard]
    return listed(view.message("unheard"), entries)


def _ballots(view: ForumView, result: ForumResult) -> list[Block]:
    """The count; every ballot with its reason where all is to be shown."""
    agreement = result.agreement
    if agreement is None:
        return []
    support = view.message(
        "support",
        support=agreement.support,
        weighted=agreement.weighted,
        threshold=agreement.threshold,
    )
    alike = voices(view, result.effective_votes, len(result.ballots))
    shown = [cast for cast in result.ballots if view.everything and cast.position == "agree"]
    heading = Heading(view.message("ballots"), "; ".join(part for part in (support, alike) if part))
    return [heading, *([Items(tuple(_ballot(view, cast) for cast in shown))] if shown else [])]


def _timeline(view: ForumView, rounds: tuple[FloorRound, ...]) -> list[Block]:
    """A line a round; all that was said where all is to be shown."""
    spoken = view.spoken and view.result is not None and bool(view.result.conclusion)
    entries = [_round(view, floor_round, short=not spoken) for floor_round in rounds]
    blocks = listed(view.message("timeline"), entries)
    return [*blocks, *_speeches(view, rounds)] if spoken else blocks


def _round(view: ForumView, floor_round: FloorRound, *, short: bool) -> Item:
    parts = [view.message("asked_by", who=names(floor_round.asking, view.message("nobody")))]
    if floor_round.selected is not None:
        how = f" ({view.message('by_rule')})" if floor_round.selected_by == BY_RULE else ""
        parts.append(f"{view.message('selects', who=floor_round.selected)}{how}")
    words = floor_round.speech if short else floor_round.orchestrator_said
    if words:
        parts.append(shortened(words, SHORT))
    if why := _why_silent(view, floor_round):
        parts.append(f"⚠ {view.translate(why)}")
    return Item(" · ".join(parts), view.message("round_n", n=floor_round.number))


def _why_silent(view: ForumView, floor_round: FloorRound) -> Notice | None:
    """Why the speaker said nothing, as long as there is no result whose warnings say so."""
    if view.result is not None or floor_round.speech is not None:
        return None
    steps = (step for step in view.facts.steps if step.role == ForumRole.SPEECH)
    return next((why_failed(step) for step in steps if step.round == floor_round.number), None)


def _speeches(view: ForumView, rounds: tuple[FloorRound, ...]) -> list[Block]:
    return texts(
        (Heading(view.message("speech_of", who=past.selected, n=past.number)), past.speech)
        for past in rounds
        if past.speech
    )


def _impact(view: ForumView, result: ForumResult) -> list[Block]:
    receipt = result.receipt
    if receipt is None:
        return []
    before, after = receipt.first_support, receipt.final_support
    known = before is not None and after is not None
    grew = (Item(f"{before:.2f} → {after:.2f}", view.message("support_grew")),) if known else ()
    first = {name: _first_vote(view, vote) for name, vote in receipt.first_votes.items()}
    price = receipt.cost_per_changed_vote
    return impact(view, ImpactView(receipt, first=first, entries=grew, price_of_change=price))


def _first_vote(view: ForumView, vote: OpeningPosition) -> str:
    """What each held, and how that relates to the conclusion."""
    towards = f" ({view.message(f'position_{vote.on_conclusion}')})" if vote.on_conclusion else ""
    return f"{shortened(vote.position, SHORT_VOTE).removesuffix('.')}{towards}"


DISPLAY = WorkflowDisplay(ForumResult, WorkflowView(body), LIVE)
