"""Did the debate help, who changed their mind on what evidence, and what that cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.core.document import Block, Heading, Item, Items, Remark
from orchestrator.core.lines import Span, Style, line
from orchestrator.core.results import DebateImpact, FindingsImpact, StanceChange, VoteChange
from orchestrator.core.views.context import ResultT, ViewContext, shortened
from shared.models.outcomes import Ending
from shared.text.amounts import dollars

SHORT = 60


@dataclass(frozen=True)
class ImpactView:
    """A debate's impact, and what only its workflow knows of it.

    `first` and `last` are the votes in words, by who cast them; `changes` are those of minds about findings beside
    those of votes, and `entries` what else is shown. Where a run held several debates, `ending` is how this one ended
    and `which` names it.
    """

    impact: DebateImpact
    first: Mapping[str, str] = field(default_factory=dict)
    last: Mapping[str, str] = field(default_factory=dict)
    changes: Sequence[StanceChange] = ()
    entries: tuple[Item, ...] = ()
    price_of_change: float | None = None
    about_findings: bool = False
    ending: Ending | None = None
    which: str = ""

    @classmethod
    def of_findings(
        cls, impact: FindingsImpact, ending: Ending | None = None, which: str = ""
    ) -> ImpactView:
        """In a review and in the debate of a plan minds change about findings; votes follow, and are shown beside."""
        same = impact.last_votes == impact.first_votes
        return cls(
            impact,
            first=impact.first_votes,
            last={} if same else impact.last_votes,
            changes=impact.changes,
            price_of_change=impact.cost_per_changed_finding,
            about_findings=True,
            ending=ending,
            which=which,
        )


def impact(view: ViewContext[ResultT], shown: ImpactView) -> list[Block]:
    """The whole of it."""
    entries = (
        *_votes(view, shown.first, "first_votes", blind=shown.impact.first_votes_blind),
        *_votes(view, shown.last, "last_votes"),
        *shown.entries,
        *_changes(view, shown),
        _costs(view, shown),
    )
    heading = Heading(view.message("receipt"), shown.which)
    return [heading, Remark(line(_helped(view, shown))), Items(entries)]


def impact_in_a_line(view: ViewContext[ResultT], shown: ImpactView) -> Remark:
    """The same for anyone who wants the result only: the answer, and what it cost to know."""
    head = Span(f"{view.message('receipt')} ", Style.STRONG)
    costs = _costs(view, shown)
    which = f"{shown.which}; " if shown.which else ""
    return Remark(line(head, _helped(view, shown), f" ({which}{costs.label}: {costs.text})"))


def _helped(view: ViewContext[ResultT], shown: ImpactView) -> str:
    # Where a judge decides, the verdict can be another one than the first vote's although nobody was persuaded.
    moved = shown.impact.changed_votes or (shown.about_findings and shown.changes)
    helped = shown.impact.helped
    word = "overruled" if helped == "changed" and not moved else helped
    # A verdict is stored as confirmed where no position on a finding moved, although somebody's vote may have.
    word = "confirmed_after_changes" if helped == "confirmed" and moved else word
    # A verdict that code or a judge arrived at settles nothing among those who still disagree.
    word = word if _agreed(view, shown) else _UNAGREED.get(word, word)
    return view.word(f"helped_{word}", helped)


_UNAGREED = {
    "settled": "not_agreed",
    "changed": "changed_unagreed",
    "confirmed": "confirmed_unagreed",
    "confirmed_after_changes": "confirmed_unagreed",
}


def _agreed(view: ViewContext[ResultT], shown: ImpactView) -> bool:
    """Whether the last votes agree; where that is not counted, whether the discussion converged."""
    counted = view.result.agrees_on_verdict if view.result is not None else None
    ending = shown.ending or view.facts.ending
    return ending is Ending.CONVERGED if counted is None else counted


def _votes(
    view: ViewContext[ResultT], votes: Mapping[str, str], word: str, *, blind: bool = False
) -> list[Item]:
    if not votes:
        return []
    cast = "; ".join(f"{name}: {vote}" for name, vote in votes.items())
    return [Item(cast, view.message(word), view.message("blind") if blind else "")]


def _changes(view: ViewContext[ResultT], shown: ImpactView) -> list[Item]:
    votes: Sequence[VoteChange] = (
        shown.changes if shown.about_findings else shown.impact.changed_votes
    )
    changes = [*votes, *(shown.changes if view.everything and not shown.about_findings else ())]
    silent = votes or shown.last or shown.impact.helped == "confirmed"
    nobody = [] if silent else [Item(view.message("nobody"), view.message("changed_by"))]
    return [*nobody, *(_change(view, change) for change in changes)]


def _change(view: ViewContext[ResultT], change: VoteChange) -> Item:
    about = f", {change.finding}" if isinstance(change, StanceChange) else ""
    before, after = (_position(view, position) for position in (change.before, change.after))
    evidence = view.word(f"evidence_{change.evidence}", change.evidence)
    why = f" — {change.reason}" if change.reason else ""
    return Item(f"{before} → {after}{why}", f"{change.participant}{about}", evidence)


def _position(view: ViewContext[ResultT], position: str | None) -> str:
    return view.word(f"position_{position}", position or "-")


def _costs(view: ViewContext[ResultT], shown: ImpactView) -> Item:
    each = shown.price_of_change
    more = "" if each is None else view.message("cost_per_change", cost=_known(view, each))
    return Item(_known(view, shown.impact.debate.cost_usd), view.message("debate_cost"), more)


def _known(view: ViewContext[ResultT], cost_usd: float | None) -> str:
    return view.message("unknown_price") if cost_usd is None else dollars(cost_usd)


def position_in_words(position: str | None, title_of: Callable[[str], str | None]) -> str:
    """A position in its own words, also where it goes by a number."""
    if position is None:
        return "-"
    return shortened(f"{position} {title_of(position) or ''}".strip(), SHORT).removesuffix(".")
