"""The end of a run: the conclusion, who stood where, and how it came about."""

from __future__ import annotations

from orchestrator.core.discussion.turn_results import spent
from orchestrator.core.findings.verdict import effective_votes
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import AskedQuestion
from orchestrator.core.wording import under_name
from orchestrator.workflows.forum.closing import Closing
from orchestrator.workflows.forum.context import ForumContext, ForumRound, StopReason, Talk
from orchestrator.workflows.forum.impact import debate_impact
from orchestrator.workflows.forum.result import (
    BallotAgreement,
    BallotDissent,
    CastBallot,
    FloorRound,
    ForumParticipant,
    ForumResult,
    RecordedBid,
    UnheardRequest,
)
from shared.models.deliberation import Ballot
from shared.models.notices import notice
from shared.models.outcomes import Ending, Verdict


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
    """Who asked for the floor when the discussion was ended over them: their dissent is kept."""
    if talk.stop is not StopReason.CONCLUDED:
        return ()
    return tuple(
        UnheardRequest(participant=request.participant, reason=request.reason)
        for request in talk.exchanges[-1].asked
        if request.asks
    )


def transcript(talk: Talk) -> str:
    """What was said, one speech after another: the summary of a discussion without a conclusion."""
    blocks = (under_name(one.participant, one.text or "") for one in talk.speeches)
    return "\n\n".join(blocks) or "Nobody spoke."


def _result(
    context: ForumContext, talk: Talk, closing: Closing, unheard: tuple[UnheardRequest, ...]
) -> ForumResult:
    floors = [exchange.choice.speaker for exchange in talk.exchanges if exchange.choice is not None]
    return ForumResult(
        question=AskedQuestion.of(context.prompts.question),
        orchestrator=context.orchestrator.name,
        participants=tuple(
            ForumParticipant(
                name=participant.name,
                floors=floors.count(participant.name),
                speeches=sum(said.participant == participant.name for said in talk.speeches),
            )
            for participant in context.participants
        ),
        conclusion=closing.conclusion,
        concluded_by=closing.concluded_by,
        conclusion_reason=talk.conclusion_reason,
        open_points=closing.open_points,
        stopped_by=None if talk.stop is None else talk.stop.value,
        reason=closing.reason,
        rounds=tuple(_round(exchange) for exchange in talk.exchanges),
        unheard=unheard,
        ballots=tuple(_ballot(name, ballot) for name, ballot in closing.ballots.items()),
        dissenting_opinions=_dissent(closing),
        agreement=_agreement(closing),
        effective_votes=effective_votes(context.participants),
        receipt=debate_impact(context, talk, closing),
        labels=dict(context.prompts.labels),
        usage=spent((*talk.blind, *talk.heard, *closing.heard)),
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


def _round(exchange: ForumRound) -> FloorRound:
    choice, said = exchange.choice, exchange.said
    return FloorRound(
        number=exchange.number,
        reminded=exchange.reminded,
        bids=tuple(
            RecordedBid(
                participant=request.participant,
                action="REQUEST" if request.asks else "PASS",
                reason=request.reason,
                missing=request.missing,
            )
            for request in exchange.asked
        ),
        selected=None if choice is None else choice.speaker,
        selected_by=None if choice is None else choice.by,
        why=None if choice is None else choice.why.value,
        wished=None if choice is None else choice.wished,
        orchestrator_said="" if choice is None else choice.reason,
        speech=None if said is None else said.text,
    )
