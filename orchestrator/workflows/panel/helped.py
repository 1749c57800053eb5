"""The receipt: first vote against final verdict, who changed their mind on what evidence, and what that cost."""

from __future__ import annotations

from typing import Any

from orchestrator.core.receipt import GIVEN, cost_of, evidence_of, mind_changes, price_per
from orchestrator.core.spending import spent
from orchestrator.workflows.panel.case import Case, Debate
from orchestrator.workflows.panel.judging import Judged
from orchestrator.workflows.panel.strategies import Order
from orchestrator.workflows.panel.voting import Voting, first_tally


def receipt(case: Case, held: Debate, voting: Voting, judged: Judged) -> dict[str, Any]:
    """Did the debate help? A vote has changed when what was held first is not among what is held last."""
    sources = _sources(case, held)
    moved = _changed_votes(held, voting, sources)
    debated = (*held.heard, *voting.heard)
    first = first_tally(case, held).leading
    return {
        "first_votes_blind": case.has_opening or case.strategy.order is Order.AT_ONCE,
        "first_votes": {
            name: {"position": one.holds, "confidence": one.confidence}
            for name, one in held.first.items()
        },
        "first_leading": first,
        "final_leading": voting.tally.leading,
        "verdict": judged.choice,
        "helped": _helped(first, judged.choice or voting.tally.leading, len(moved)),
        "changed_votes": moved,
        "changes": [one.shown() for one in mind_changes(held.ledger, sources)],
        "first_round": spent(held.first_heard),
        "debate": spent(debated),
        "cost_per_changed_vote": price_per(len(moved), cost_of(debated)),
    }


def _helped(first: str | None, final: str | None, moved: int) -> str:
    """One word: `changed` and `settled` are what a debate is for; `confirmed` could have been had for less."""
    if final is None:
        return "unsettled"
    if first is None:
        return "settled"
    if first != final:
        return "changed"
    return "confirmed" if not moved else "confirmed_after_changes"


def _sources(case: Case, held: Debate) -> dict[str, list[str]]:
    sources: dict[str, list[str]] = {GIVEN: list(case.given)}
    for one in held.statements:
        sources.setdefault(one.participant, []).append(f"{one.position}\n{one.argument}")
    return sources


def _changed_votes(
    held: Debate, voting: Voting, sources: dict[str, list[str]]
) -> list[dict[str, Any]]:
    changed = []
    for name, first in held.first.items():
        vote = voting.votes.get(name)
        if vote is None or first.holds in vote.supports:
            continue
        statement = held.latest.get(name)
        moved_in_debate = statement is not None and statement.holds != first.holds
        reason, quote = vote.reason, voting.quotes.get(name)
        if moved_in_debate and statement is not None:
            reason = statement.changed_because or reason
            quote = statement.quote or quote
        changed.append(
            {
                "participant": name,
                "from": first.holds,
                "to": vote.choice,
                "round": _round_of_change(held, name, first.holds),
                "evidence": evidence_of(name, reason, quote, sources).value,
                "reason": reason,
                "quote": quote,
            }
        )
    return changed


def _round_of_change(held: Debate, name: str, first: str) -> int | None:
    """The first round in which a debater held something else; None when it changed on the ballot only."""
    own = (one for one in held.statements if one.participant == name)
    return next((one.round for one in own if one.holds != first), None)
