"""The impact of a debate: first vote against verdict, who changed their mind on what evidence, and what it cost."""

from __future__ import annotations

from orchestrator.core.discussion.impact import (
    Sources,
    cost_of,
    evidence_of,
    impact,
    mind_changes,
    price_per,
)
from orchestrator.core.discussion.turn_results import spent
from orchestrator.core.results import VoteChange
from orchestrator.workflows.panel.context import PanelContext, PanelDebate
from orchestrator.workflows.panel.judging import Judged
from orchestrator.workflows.panel.quoting import sources
from orchestrator.workflows.panel.result import HeldPosition, PositionsImpact
from orchestrator.workflows.panel.strategies import SpeakingOrder
from orchestrator.workflows.panel.voting import Voting, first_tally


def debate_impact(
    context: PanelContext, held: PanelDebate, voting: Voting, judged: Judged
) -> PositionsImpact:
    """Did the debate help? A vote has changed when what was held first is not among what is held last."""
    quotable = sources(context, held.statements, held.points, held.rounds)
    moved = _changed_votes(held, voting, quotable)
    debated = (*held.heard, *voting.heard)
    changes = mind_changes(held.ledger, quotable)
    changed = {change.finding for change in changes}
    first = first_tally(context, held).leading
    return PositionsImpact(
        first_votes_blind=context.has_opening or context.strategy.order is SpeakingOrder.AT_ONCE,
        first_votes={
            name: HeldPosition(position=vote.holds, confidence=vote.confidence)
            for name, vote in held.first.items()
        },
        first_leading=first,
        final_leading=voting.tally.leading,
        verdict=judged.choice,
        helped=impact(first, _result(voting, judged), changes=bool(moved)).value,
        changed_votes=moved,
        changes=tuple(change.shown() for change in changes),
        changed_findings=len(changed),
        first_round=spent(held.first_heard),
        debate=spent(debated),
        cost_per_changed_vote=price_per(len(moved), cost_of(debated)),
        cost_per_changed_finding=price_per(len(changed), cost_of(debated)),
    )


def _result(voting: Voting, judged: Judged) -> str | None:
    """The position that the verdict amounts to; None without a verdict, whatever leads: nothing came of it."""
    if judged.verdict is None:
        return None
    return judged.choice or voting.tally.leading


def _changed_votes(held: PanelDebate, voting: Voting, quotable: Sources) -> tuple[VoteChange, ...]:
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
            VoteChange(
                participant=name,
                before=first.holds,
                after=vote.choice,
                round=_round_of_change(held, name, first.holds),
                evidence=evidence_of(name, reason, quote, quotable).value,
                reason=reason,
                quote=quote,
            )
        )
    return tuple(changed)


def _round_of_change(held: PanelDebate, name: str, first: str) -> int | None:
    """The first round in which a debater held something else; None when it changed on the ballot only."""
    own = (one for one in held.statements if one.participant == name)
    return next((one.round for one in own if one.holds != first), None)
