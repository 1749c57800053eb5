"""The receipt: did the debate help, who changed their mind on what evidence, and what that cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.core.document import Span, Style, line
from orchestrator.presentation.locale.words import knows
from orchestrator.presentation.money import dollars
from orchestrator.presentation.results.document import Block, Heading, Item, Items, Remark, remark
from orchestrator.presentation.results.reading import Reading, shortened

SHORT = 60


def receipt(reading: Reading) -> list[Block]:
    """The outcome's receipt, of whatever workflow; nothing when there is none."""
    found = reading.detail.get("receipt")
    if not found:
        return []
    entries = [
        *_votes(reading, found, "first_votes"),
        *([] if _same_votes(found) else _votes(reading, found, "last_votes")),
        *_support(reading, found),
        *_changes(reading, found),
        *_costs(reading, found),
    ]
    return [Heading(reading.say("receipt")), *_helped(reading, found), Items(tuple(entries))]


def in_a_line(reading: Reading) -> list[Block]:
    """The same for who wants the result only: the answer, and what it cost to know."""
    found = reading.detail.get("receipt") or {}
    head = Span(f"{reading.say('receipt')} ", Style.STRONG)
    costs = "".join(f" ({one.label}: {one.text})" for one in _costs(reading, found))
    return [Remark((*line(head), *one.parts, *line(costs))) for one in _helped(reading, found)]


def _helped(reading: Reading, found: Mapping[str, Any]) -> list[Remark]:
    helped = found.get("helped")
    if helped is None:
        return []
    # Where a judge decides, the verdict can be another one than the first vote's although nobody was persuaded.
    still = found.get("changed_votes") == [] and not (_of_findings(found) and found.get("changes"))
    unmoved = helped == "changed" and still
    word = "helped_overruled" if unmoved else f"helped_{helped}"
    return [remark(reading.say(word) if knows(word) else str(helped))]


def _of_findings(found: Mapping[str, Any]) -> bool:
    """In a review and in the debate of a plan minds change about findings; votes follow, and stand beside."""
    return "findings" in found


def _same_votes(found: Mapping[str, Any]) -> bool:
    return bool(found.get("last_votes") == found.get("first_votes"))


def _votes(reading: Reading, found: Mapping[str, Any], name: str) -> list[Item]:
    votes = found.get(name)
    if not isinstance(votes, Mapping) or not votes:
        return []
    told = "; ".join(f"{who}: {_vote(reading, vote)}" for who, vote in votes.items())
    blind = name == "first_votes" and found.get("first_votes_blind")
    return [Item(told, reading.say(name), reading.say("blind") if blind else "")]


def _vote(reading: Reading, vote: object) -> str:
    """What was voted for, and where that stands towards the conclusion that came of it."""
    if isinstance(vote, Mapping):
        towards = vote.get("on_conclusion")
        where = f" ({reading.say(f'position_{towards}')})" if towards else ""
        return f"{_named(reading, str(vote.get('position') or '-'))}{where}"
    return "-" if vote is None else _named(reading, str(vote))


def _named(reading: Reading, position: str) -> str:
    """A position in its own words, also where it goes by a number."""
    points = reading.detail.get("points") or ()
    title = next((one["title"] for one in points if one["id"] == position), "")
    return shortened(f"{position} {title}".strip(), SHORT).removesuffix(".")


def _support(reading: Reading, found: Mapping[str, Any]) -> list[Item]:
    """The conclusion's support before and after the discussion."""
    first, final = found.get("first_support"), found.get("final_support")
    if first is None or final is None:
        return []
    return [Item(f"{first:.2f} → {final:.2f}", reading.say("support_grew"))]


def _changes(reading: Reading, found: Mapping[str, Any]) -> list[Item]:
    stances = found.get("changes") or ()
    votes = stances if _of_findings(found) else found.get("changed_votes") or ()
    told = [*votes, *(stances if reading.everything and votes is not stances else ())]
    first, last = found.get("first_votes"), found.get("last_votes")
    moved = isinstance(first, Mapping) and isinstance(last, Mapping) and first != last
    said = found.get("helped") in ("confirmed", None)
    silent = votes or moved or said
    nobody = [] if silent else [Item(reading.say("nobody"), reading.say("changed_by"))]
    return [*nobody, *(_change(reading, one) for one in told)]


def _change(reading: Reading, one: Mapping[str, Any]) -> Item:
    about = f", {one['finding']}" if one.get("finding") else ""
    before, after = (_position(reading, one[name]) for name in ("from", "to"))
    word = f"evidence_{one['evidence']}"
    evidence = reading.say(word) if knows(word) else str(one["evidence"])
    why = f" — {one['reason']}" if one.get("reason") else ""
    return Item(f"{before} → {after}{why}", f"{one['participant']}{about}", evidence)


def _position(reading: Reading, held: str | None) -> str:
    word = f"position_{held}"
    return reading.say(word) if knows(word) else held or "-"


def _costs(reading: Reading, found: Mapping[str, Any]) -> list[Item]:
    debate = found.get("debate")
    if not isinstance(debate, Mapping):
        return []
    told = _known(reading, debate.get("cost_usd"))
    each = found.get(f"cost_per_changed_{'finding' if _of_findings(found) else 'vote'}")
    more = "" if each is None else reading.say("cost_per_change", cost=_known(reading, each))
    return [Item(told, reading.say("debate_cost"), more)]


def _known(reading: Reading, cost_usd: float | None) -> str:
    return reading.say("unknown_price") if cost_usd is None else dollars(cost_usd)
