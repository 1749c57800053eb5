"""Did the discussion help? What each held before it, and what each voted after it, on the same conclusion.

A conclusion cannot be voted on before it is there. So every voter says on its ballot, with its opening before its eyes,
how that position would have voted: a participant's own word, whose opening stands beside it for whoever doubts it.
"""

from __future__ import annotations

from orchestrator.core.consensus.ballots import Vote
from orchestrator.core.discussion.impact import (
    Impact,
    Sources,
    cost_of,
    evidence_of,
    impact,
    price_per,
)
from orchestrator.core.discussion.turn_results import spent
from orchestrator.core.findings.quotations import GivenTexts
from orchestrator.core.findings.stances import VALUES
from orchestrator.core.results import VoteChange, VoteSupport
from orchestrator.workflows.forum.closing import Closing, counted
from orchestrator.workflows.forum.context import ForumContext, Talk
from orchestrator.workflows.forum.result import ConclusionImpact, OpeningPosition
from shared.models.deliberation import Ballot, Opening
from shared.models.findings import Position
from shared.models.outcomes import Ending

AGREED = "agreed"


def debate_impact(context: ForumContext, talk: Talk, closing: Closing) -> ConclusionImpact:
    """First positions and how they would have voted, the votes, who changed on what evidence, and the price."""
    moved = _changed_votes(context, talk, closing)
    first = _first_count(context, talk, closing)
    debated = (*talk.heard, *closing.heard)
    return ConclusionImpact(
        first_votes_blind=context.options.blind_opening,
        first_votes={
            name: _first_vote(opening, closing.ballots.get(name))
            for name, opening in talk.openings.items()
        },
        first_support=None if first is None else first.support,
        final_support=None if closing.count is None else closing.count.support,
        helped=_impact(first, closing, changes=bool(moved)).value,
        changed_votes=moved,
        first_round=spent(talk.blind),
        debate=spent(debated),
        cost_per_changed_vote=price_per(len(moved), cost_of(debated)),
    )


def _first_vote(opening: Opening, ballot: Ballot | None) -> OpeningPosition:
    return OpeningPosition(
        position=opening.position,
        confidence=opening.confidence,
        reason=opening.reason,
        on_conclusion=None if ballot is None else ballot.before,
    )


def _first_count(context: ForumContext, talk: Talk, closing: Closing) -> VoteSupport | None:
    """The openings counted as votes on the conclusion; None when too few are known."""
    votes = {
        name: Vote(Position(ballot.before), opening.confidence)
        for name, opening in talk.openings.items()
        if (ballot := closing.ballots.get(name)) is not None and ballot.before is not None
    }
    count = counted(context, votes)
    return count if count.quorate else None


def _impact(first: VoteSupport | None, closing: Closing, *, changes: bool) -> Impact:
    final = AGREED if closing.ending is Ending.CONVERGED else None
    if final is not None and first is None:
        return Impact.UNKNOWN
    agreed_at_first = first is not None and first.agrees
    return impact(AGREED if agreed_at_first else None, final, changes=changes)


def _changed_votes(context: ForumContext, talk: Talk, closing: Closing) -> tuple[VoteChange, ...]:
    """Who voted otherwise than its opening would have, and what that rests on."""
    quotable = _sources(context, talk)
    return tuple(
        VoteChange(
            participant=name,
            before=ballot.before,
            after=ballot.position,
            round=None,
            evidence=evidence_of(name, ballot.changed_because, ballot.quote, quotable).value,
            reason=ballot.changed_because or ballot.reason,
            quote=ballot.quote,
        )
        for name, ballot in closing.ballots.items()
        if ballot is not None and name in talk.openings and _moved(ballot)
    )


def _moved(ballot: Ballot) -> bool:
    if ballot.before is None:
        return False
    before, after = VALUES.get(Position(ballot.before)), VALUES.get(Position(ballot.position))
    return before is not None and after is not None and before != after


def _sources(context: ForumContext, talk: Talk) -> Sources:
    said: dict[str, list[str]] = {}
    for speech in talk.speeches:
        said.setdefault(speech.participant, []).append(speech.text or "")
    given = GivenTexts.of(context.prompts.question, context.document)
    return Sources(given.hold, said)
