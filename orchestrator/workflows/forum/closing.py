"""How a discussion ends: a conclusion, blind ballots on it, and the ending that follows from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from orchestrator.core.consensus.ballots import Vote, VotedEnding, count_votes
from orchestrator.core.discussion.turn_results import (
    TurnResult,
    over_budget,
    replies,
    take_turn,
    take_turns,
    why_failed,
)
from orchestrator.core.replay.commands import Effect, RoundRecord, Turn, phase, record
from orchestrator.core.results import VoteSupport
from orchestrator.workflows.forum.context import (
    CLOSING_TURN_S,
    ForumContext,
    StopReason,
    Talk,
    within,
)
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.deliberation import Ballot, Conclusion
from shared.models.findings import Position
from shared.models.notices import Notice, notice
from shared.models.outcomes import Ending

# After these nothing more is worked on, or nobody is there to work on it.
NO_MORE_CALLS = frozenset({StopReason.OVER_BUDGET, StopReason.DEADLINE})
NO_BALLOT = NO_MORE_CALLS | {StopReason.NOBODY_THERE}


@dataclass(frozen=True)
class Closing:
    """How it ended; `ending` is None only for a conclusion that nobody was to vote on."""

    ending: Ending | None = None
    reason: Notice | None = None
    conclusion: str | None = None
    concluded_by: str | None = None
    open_points: tuple[str, ...] = ()
    ballots: Mapping[str, Ballot | None] = field(default_factory=dict)
    count: VoteSupport | None = None
    over_budget: bool = False
    turns: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def close(context: ForumContext, talk: Talk) -> Effect[Closing]:
    """Conclude, vote, and say how it ended."""
    closing = yield from conclude_talk(context, talk)
    if closing.conclusion is not None and context.options.ballot and talk.stop not in NO_BALLOT:
        yield from phase("Voting")
        closing = yield from vote(context, talk, closing, closing.conclusion)
    ended = ending_of(talk, closing)
    yield from record("ending", RoundRecord, partial(last_record, context, talk, closing, ended))
    return replace(closing, ending=ended.ending, reason=ended.reason)


def conclude_talk(context: ForumContext, talk: Talk) -> Effect[Closing]:
    """The conclusion that the orchestrator ended with, or one that it is asked for now."""
    chair = context.orchestrator
    if talk.conclusion is not None:
        return Closing(conclusion=talk.conclusion, concluded_by=chair.name)
    if not talk.speeches or talk.stop is None or talk.stop in NO_MORE_CALLS:
        return Closing(warnings=(notice("forum_no_conclusion"),))
    yield from phase("Concluding")
    turn = yield from take_turn(
        Turn(
            key="conclusion",
            participant=within(chair, CLOSING_TURN_S),
            role=ForumRole.SYNTHESIS,
            round=len(talk.rounds),
            reply_model="conclusion",
            prompt=partial(context.prompts.conclusion, talk.speeches, talk.stop.value),
        )
    )
    if turn.failure is not None:
        warning = notice("forum_conclusion_failed", who=chair.name, why=why_failed(turn.failure))
        return Closing(turns=(turn,), warnings=(warning,), over_budget=over_budget([turn]))
    concluded = Conclusion.model_validate(turn.result.reply)
    return Closing(
        conclusion=concluded.conclusion,
        concluded_by=chair.name,
        open_points=concluded.open_points,
        turns=(turn,),
    )


def vote(context: ForumContext, talk: Talk, closing: Closing, conclusion: str) -> Effect[Closing]:
    """Everybody votes at once and blind: nobody can follow anybody."""
    turns = yield from take_turns(
        Turn(
            key=f"ballot/{voter.name}",
            participant=within(voter, CLOSING_TURN_S),
            role=ForumRole.BALLOT,
            round=len(talk.rounds),
            reply_model="ballot",
            prompt=partial(
                context.prompts.ballot,
                voter,
                talk.speeches,
                conclusion,
                talk.openings.get(voter.name),
            ),
        )
        for voter in context.participants
    )
    cast = replies(turns, Ballot)
    warnings = [
        notice("forum_did_not_vote", who=turn.participant, why=why_failed(turn.failure))
        for turn in turns
        if turn.failure is not None
    ]
    count = counted(context, {name: vote_of(ballot) for name, ballot in cast.items()})
    if count.agrees and count.independent == 1:
        warnings.append(notice("forum_one_family"))
    return replace(
        closing,
        ballots={turn.participant: cast.get(turn.participant) for turn in turns},
        count=count,
        over_budget=over_budget(turns),
        turns=(*closing.turns, *turns),
        warnings=(*closing.warnings, *warnings),
    )


def vote_of(ballot: Ballot) -> Vote:
    """The vote that a ballot is."""
    return Vote(Position(ballot.position), ballot.confidence, ballot.reason)


def counted(context: ForumContext, votes: Mapping[str, Vote | None]) -> VoteSupport:
    """The votes by the forum's threshold and quorum."""
    return count_votes(
        context.participants,
        votes,
        threshold=context.options.consensus,
        quorum=context.quorum,
    )


# ---- the ending ---------------------------------------------------------------------------------

# What a discussion without agreement ended as, by what stopped it.
_WITHOUT_AGREEMENT: dict[StopReason, Ending] = {
    StopReason.CONCLUDED: Ending.STALLED,
    StopReason.ALL_PASSED: Ending.STALLED,
    StopReason.MAX_ROUNDS: Ending.EXHAUSTED,
    StopReason.TIMEOUT: Ending.EXHAUSTED,
    StopReason.LOOPING: Ending.LOOPING,
    StopReason.OSCILLATING: Ending.OSCILLATING,
    StopReason.NOBODY_THERE: Ending.DEGRADED,
    StopReason.OVER_BUDGET: Ending.OVER_BUDGET,
    StopReason.DEADLINE: Ending.EXHAUSTED,
}
_WITHOUT_CONCLUSION = {**_WITHOUT_AGREEMENT, StopReason.ALL_PASSED: Ending.EXHAUSTED}
_ENDED_BY_ITSELF = frozenset({StopReason.CONCLUDED, StopReason.ALL_PASSED})


def ending_of(talk: Talk, closing: Closing) -> VotedEnding:
    """The ending and its reason. Only ballots make it `converged`; anyone missing never helps."""
    assert talk.stop is not None
    count, stop = closing.count, talk.stop
    if count is None:
        return _without_ballots(talk, closing, stop)
    figures = {"stated": count.stated, "expected": count.expected, "support": count.support}
    reason_of = partial(notice, stop=stop, **figures)
    if count.agrees:
        return VotedEnding(Ending.CONVERGED, reason_of("forum_agreed"))
    if closing.over_budget:
        return VotedEnding(Ending.OVER_BUDGET, reason_of("forum_ballots_over_budget"))
    if not count.quorate or count.left_open_by_absence:
        missing = count.missing or ("-",)
        return VotedEnding(Ending.DEGRADED, reason_of("forum_too_few_voted", missing=missing))
    reason = reason_of("forum_disagreed", weighted=count.weighted, threshold=count.threshold)
    return VotedEnding(_WITHOUT_AGREEMENT[stop], reason)


def _without_ballots(talk: Talk, closing: Closing, stop: StopReason) -> VotedEnding:
    if closing.over_budget:
        return VotedEnding(Ending.OVER_BUDGET, notice("forum_conclusion_over_budget", stop=stop))
    if closing.conclusion is not None:
        if stop in _ENDED_BY_ITSELF:
            return VotedEnding(None, notice("forum_unvoted_conclusion", stop=stop))
        return VotedEnding(_WITHOUT_AGREEMENT[stop], notice("forum_no_ballot", stop=stop))
    attempted = any(floor_round.selected is not None for floor_round in talk.rounds)
    if attempted and not talk.speeches and stop not in NO_MORE_CALLS:
        return VotedEnding(Ending.DEGRADED, notice("forum_silent_speakers", stop=stop))
    return VotedEnding(_WITHOUT_CONCLUSION[stop], notice("forum_nothing_concluded", stop=stop))


def last_record(
    context: ForumContext, talk: Talk, closing: Closing, ended: VotedEnding
) -> RoundRecord:
    """The last assessment: the ballots' figures and the ending."""
    count = closing.count
    return ended.written(
        len(talk.rounds),
        "ballots",
        count,
        answered=count.stated if count else talk.present,
        expected=len(context.participants),
        quorum=context.quorum,
    )
