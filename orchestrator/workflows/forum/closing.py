"""What comes of a discussion: a conclusion, blind ballots on it, and the ending that follows from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from orchestrator.core.consensus.ballots import Vote, count_votes
from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.turn_results import TurnResult, why_failed
from orchestrator.core.replay.commands import (
    Effect,
    RoundRecord,
    Turn,
    phase,
    record,
    single,
    together,
)
from orchestrator.core.results import VoteSupport
from orchestrator.workflows.forum.context import (
    CLOSING_TURN_S,
    ForumContext,
    StopReason,
    Talk,
    refused,
    within,
)
from orchestrator.workflows.forum.discussion import headings
from orchestrator.workflows.forum.roles import ForumRole
from shared.models.assessment import Assessment, ConvergenceMetrics, Recommendation
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
    heard: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def close(context: ForumContext, talk: Talk) -> Effect[Closing]:
    """Conclude, vote, and say how it ended."""
    closing = yield from conclude_talk(context, talk)
    if closing.conclusion is not None and context.options.ballot and talk.stop not in NO_BALLOT:
        yield from phase("Voting")
        closing = yield from vote(context, talk, closing)
    ending, reason = ending_of(talk, closing)
    closing = replace(closing, ending=ending, reason=reason)
    yield from record("ending", RoundRecord, partial(write_down, context, talk, closing))
    return closing


def conclude_talk(context: ForumContext, talk: Talk) -> Effect[Closing]:
    """The conclusion that the orchestrator ended with, or one that it is asked for now."""
    chair = context.orchestrator
    if talk.conclusion is not None:
        return Closing(conclusion=talk.conclusion, concluded_by=chair.name)
    if not talk.speeches or talk.stop is None or talk.stop in NO_MORE_CALLS:
        return Closing(warnings=(notice("forum_no_conclusion"),))
    yield from phase("Concluding")
    result = yield from single(
        Turn(
            key="conclusion",
            participant=within(chair, CLOSING_TURN_S),
            role=ForumRole.SYNTHESIS,
            round=len(talk.exchanges),
            reply_model="conclusion",
            prompt=partial(context.prompts.conclusion, headings(talk), talk.stop.value),
        )
    )
    heard = (TurnResult(chair.name, result),)
    if result.failure is not None:
        warning = notice("forum_conclusion_failed", who=chair.name, why=why_failed(result.failure))
        over_budget = refused([result]) is StopReason.OVER_BUDGET
        return Closing(heard=heard, warnings=(warning,), over_budget=over_budget)
    said = Conclusion.model_validate(result.reply)
    return Closing(
        conclusion=said.conclusion,
        concluded_by=chair.name,
        open_points=said.open_points,
        heard=heard,
    )


def vote(context: ForumContext, talk: Talk, closing: Closing) -> Effect[Closing]:
    """Everybody votes at once and blind: nobody can follow anybody."""
    assert closing.conclusion is not None
    voters = context.participants
    results = yield from together(
        Turn(
            key=f"ballot/{voter.name}",
            participant=within(voter, CLOSING_TURN_S),
            role=ForumRole.BALLOT,
            round=len(talk.exchanges),
            reply_model="ballot",
            prompt=partial(
                context.prompts.ballot,
                voter,
                headings(talk),
                closing.conclusion,
                talk.openings.get(voter.name),
            ),
        )
        for voter in voters
    )
    ballots: dict[str, Ballot | None] = {}
    warnings = []
    for voter, result in zip(voters, results, strict=True):
        ballots[voter.name] = None if result.failure else Ballot.model_validate(result.reply)
        if result.failure is not None:
            why = why_failed(result.failure)
            warnings.append(notice("forum_did_not_vote", who=voter.name, why=why))
    count = counted(context, {name: vote_of(ballot) for name, ballot in ballots.items()})
    if count.agrees and count.independent == 1:
        warnings.append(notice("forum_one_family"))
    more = tuple(
        TurnResult(voter.name, result) for voter, result in zip(voters, results, strict=True)
    )
    return replace(
        closing,
        ballots=ballots,
        count=count,
        over_budget=refused(results) is StopReason.OVER_BUDGET,
        heard=(*closing.heard, *more),
        warnings=(*closing.warnings, *warnings),
    )


def vote_of(ballot: Ballot | None) -> Vote | None:
    """The vote that a ballot is."""
    if ballot is None:
        return None
    return Vote(Position(ballot.position), ballot.confidence, ballot.reason)


def counted(context: ForumContext, votes: Mapping[str, Vote | None]) -> VoteSupport:
    """The votes by the forum's threshold and quorum."""
    voters = context.participants
    return count_votes(
        voters,
        votes,
        threshold=context.options.consensus,
        quorum=ConvergenceRule(quorum=context.options.quorum).quorum_of(len(voters)),
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


def ending_of(talk: Talk, closing: Closing) -> tuple[Ending | None, Notice]:
    """The ending and its reason. Only ballots make it `converged`; who is missing never helps."""
    assert talk.stop is not None
    count, stop = closing.count, talk.stop
    if count is None:
        return _without_ballots(talk, closing, stop)
    told = partial(
        notice,
        stop=stop,
        stated=count.stated,
        expected=count.expected,
        support=count.support,
    )
    if count.agrees:
        return Ending.CONVERGED, told("forum_agreed")
    if closing.over_budget:
        return Ending.OVER_BUDGET, told("forum_ballots_over_budget")
    if not count.quorate or count.left_open_by_absence:
        return Ending.DEGRADED, told("forum_too_few_voted", missing=count.missing or ("-",))
    reason = told("forum_disagreed", weighted=count.weighted, threshold=count.threshold)
    return _WITHOUT_AGREEMENT[stop], reason


def _without_ballots(
    talk: Talk, closing: Closing, stop: StopReason
) -> tuple[Ending | None, Notice]:
    if closing.over_budget:
        return Ending.OVER_BUDGET, notice("forum_conclusion_over_budget", stop=stop)
    if closing.conclusion is not None:
        if stop in _ENDED_BY_ITSELF:
            return None, notice("forum_unvoted_conclusion", stop=stop)
        return _WITHOUT_AGREEMENT[stop], notice("forum_no_ballot", stop=stop)
    attempted = any(one.said is not None for one in talk.exchanges)
    if attempted and not talk.speeches and stop not in NO_MORE_CALLS:
        return Ending.DEGRADED, notice("forum_silent_speakers", stop=stop)
    return _WITHOUT_CONCLUSION[stop], notice("forum_nothing_concluded", stop=stop)


_ADVICE: dict[Ending | None, Recommendation] = {
    Ending.CONVERGED: Recommendation.CONVERGED,
    Ending.STALLED: Recommendation.STALLED,
    Ending.LOOPING: Recommendation.LOOPING,
    Ending.OSCILLATING: Recommendation.OSCILLATING,
    Ending.DEGRADED: Recommendation.DEGRADED,
}


def write_down(context: ForumContext, talk: Talk, closing: Closing) -> RoundRecord:
    """The last assessment: the ballots' figures and the ending."""
    count = closing.count
    support = count.support if count else 0.0
    expected = len(context.participants)
    return RoundRecord(
        assessment=Assessment(
            round=len(talk.exchanges),
            metrics=ConvergenceMetrics(
                detector="ballots",
                agreement_ratio=support,
                avg_stability=None,
                overall_score=support,
                recommendation=_ADVICE.get(closing.ending, Recommendation.CONTINUE),
            ),
            answered=count.stated if count else talk.present,
            expected=expected,
            quorum=ConvergenceRule(quorum=context.options.quorum).quorum_of(expected),
            ending=closing.ending,
            reason=closing.reason,
        ),
        findings=(),
        stances=(),
    )
