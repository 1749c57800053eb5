"""The end of a run: the conclusion, where everybody stood, how it came about, and whether the discussion helped.

A conclusion cannot be voted on before it is there. So every voter says on its ballot, with its opening before its eyes,
how that position would have voted: a participant's own word, with the opening beside it for anyone who doubts it.
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
from orchestrator.core.findings.verdict import effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import AskedQuestion, VoteChange, VoteSupport
from orchestrator.core.wording import under_name
from orchestrator.workflows.forum.closing import Closing, counted
from orchestrator.workflows.forum.context import ForumContext, StopReason, Talk
from orchestrator.workflows.forum.result import (
    BallotAgreement,
    BallotDissent,
    CastBallot,
    ConclusionImpact,
    ForumParticipant,
    ForumResult,
    OpeningPosition,
    UnheardRequest,
)
from shared.models.deliberation import Ballot, Opening
from shared.models.findings import Position
from shared.models.notices import notice
from shared.models.outcomes import Ending, Verdict

AGREED = "agreed"


def conclude(context: ForumContext, talk: Talk, closing: Closing) -> Outcome:
    """`ANSWERED` when the ballots agree, or when a conclusion was wanted without ballots; else `INCONCLUSIVE`."""
    unheard = still_asking(talk)
    answered = closing.conclusion is not None and closing.ending in (Ending.CONVERGED, None)
    return Outcome(
        verdict=Verdict.ANSWERED if answered else Verdict.INCONCLUSIVE,
        ending=closing.ending,
        summary=closing.conclusion or transcript(talk),
        result=_result(context, talk, closing, unheard),
        warnings=(
            *talk.warnings,
            *closing.warnings,
            *(notice("forum_unheard", who=request.participant) for request in unheard),
        ),
    )


def still_asking(talk: Talk) -> tuple[UnheardRequest, ...]:
    """Those who were asking for the floor when the discussion was ended over them: their dissent is kept."""
    if talk.stop is not StopReason.CONCLUDED:
        return ()
    return tuple(
        UnheardRequest(participant=bid.participant, reason=bid.reason)
        for bid in talk.rounds[-1].bids
        if bid.asks
    )


def transcript(talk: Talk) -> str:
    """What was said, one speech after another: the summary of a discussion without a conclusion."""
    blocks = (under_name(speech.participant, speech.text) for speech in talk.speeches)
    return "\n\n".join(blocks) or "Nobody spoke."


def _result(
    context: ForumContext, talk: Talk, closing: Closing, unheard: tuple[UnheardRequest, ...]
) -> ForumResult:
    floors = [floor_round.selected for floor_round in talk.rounds]
    speakers = [speech.participant for speech in talk.speeches]
    return ForumResult(
        question=AskedQuestion.of(context.prompts.question),
        orchestrator=context.orchestrator.name,
        participants=tuple(
            ForumParticipant(
                name=participant.name,
                floors=floors.count(participant.name),
                speeches=speakers.count(participant.name),
            )
            for participant in context.participants
        ),
        conclusion=closing.conclusion,
        concluded_by=closing.concluded_by,
        conclusion_reason=talk.conclusion_reason,
        open_points=closing.open_points,
        stopped_by=None if talk.stop is None else talk.stop.value,
        reason=closing.reason,
        rounds=talk.rounds,
        unheard=unheard,
        ballots=tuple(_ballot(name, ballot) for name, ballot in closing.ballots.items()),
        dissenting_opinions=_dissent(closing),
        agreement=_agreement(closing),
        effective_votes=effective_votes(context.participants),
        receipt=debate_impact(context, talk, closing),
        labels=dict(context.prompts.labels),
        usage=spent((*talk.blind, *talk.turns, *closing.turns)),
    )


def _ballot(name: str, ballot: Ballot | None) -> CastBallot:
    if ballot is None:
        return CastBallot(participant=name, position=None, confidence=None)
    return CastBallot(
        participant=name,
        position=ballot.position,
        confidence=ballot.confidence,
        reason=ballot.reason,
    )


def _dissent(closing: Closing) -> tuple[BallotDissent, ...]:
    """Everybody who did not vote for the conclusion as it is, with the reason."""
    return tuple(
        BallotDissent(
            participant=name,
            position=ballot.position,
            text=ballot.reason,
            confidence=ballot.confidence,
        )
        for name, ballot in closing.ballots.items()
        if ballot is not None and ballot.position in ("partial", "disagree")
    )


def _agreement(closing: Closing) -> BallotAgreement | None:
    count = closing.count
    return None if count is None else BallotAgreement(**dict(count), converged=count.agrees)


# ---- did it help? -------------------------------------------------------------------------------


def debate_impact(context: ForumContext, talk: Talk, closing: Closing) -> ConclusionImpact:
    """First positions and how they would have voted, the votes, who changed on what evidence, and the price."""
    moved = _changed_votes(context, talk, closing)
    first = _first_count(context, talk, closing)
    debated = (*talk.turns, *closing.turns)
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
    """Votes that differ from what their voters' openings would have been, and what that rests on."""
    given = GivenTexts.of(context.prompts.question, context.document)
    spoken = ((speech.participant, speech.text) for speech in talk.speeches)
    quotable = Sources.of(given.hold, spoken)
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
