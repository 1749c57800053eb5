"""What comes of a discussion: a conclusion, blind ballots on it, and the ending that follows from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from orchestrator.core.consensus.ballots import Count, Vote, count_votes
from orchestrator.core.consensus.convergence import Rule
from orchestrator.core.discussion.spending import Heard
from orchestrator.core.replay.commands import (
    Effect,
    RoundRecord,
    Turn,
    phase,
    record,
    single,
    together,
)
from orchestrator.workflows.forum.case import (
    CLOSING_TURN_S,
    Case,
    Stop,
    Talk,
    refused,
    within,
)
from orchestrator.workflows.forum.discussion import headings
from shared.models.assessment import Assessment, ConvergenceMetrics, Recommendation
from shared.models.deliberation import Ballot, Conclusion
from shared.models.findings import Position
from shared.models.outcomes import Ending
from shared.models.panel import Role

# After these nothing more is worked on, or nobody is there to work on it.
NO_MORE_CALLS = frozenset({Stop.OVER_BUDGET, Stop.DEADLINE})
NO_BALLOT = NO_MORE_CALLS | {Stop.NOBODY_THERE}


@dataclass(frozen=True)
class Closing:
    """How it ended; `ending` is None only for a conclusion that nobody was to vote on."""

    ending: Ending | None = None
    reason: str = ""
    conclusion: str | None = None
    concluded_by: str | None = None
    open_points: tuple[str, ...] = ()
    ballots: Mapping[str, Ballot | None] = field(default_factory=dict)
    count: Count | None = None
    over_budget: bool = False
    heard: tuple[Heard, ...] = ()
    warnings: tuple[str, ...] = ()


def close(case: Case, talk: Talk) -> Effect[Closing]:
    """Conclude, vote, and say how it ended."""
    closing = yield from conclude_talk(case, talk)
    if closing.conclusion is not None and case.options.ballot and talk.stop not in NO_BALLOT:
        yield from phase("Voting")
        closing = yield from vote(case, talk, closing)
    ending, reason = ending_of(talk, closing)
    closing = replace(closing, ending=ending, reason=reason)
    yield from record("ending", RoundRecord, partial(write_down, case, talk, closing))
    return closing


def conclude_talk(case: Case, talk: Talk) -> Effect[Closing]:
    """The conclusion that the orchestrator ended with, or one that it is asked for now."""
    chair = case.orchestrator
    if talk.conclusion is not None:
        return Closing(conclusion=talk.conclusion, concluded_by=chair.name)
    if not talk.speeches or talk.stop is None or talk.stop in NO_MORE_CALLS:
        return Closing(warnings=("the discussion ended without a conclusion",))
    yield from phase("Concluding")
    result = yield from single(
        Turn(
            key="conclusion",
            participant=within(chair, CLOSING_TURN_S),
            role=Role.SYNTHESIS,
            round=len(talk.exchanges),
            reply_model="conclusion",
            prompt=partial(case.prompts.conclusion, headings(talk), talk.stop.value),
        )
    )
    heard = (Heard(chair.name, result),)
    if result.failure is not None:
        warning = (
            f"the discussion ended without a conclusion: {chair.name} could not give one "
            f"({result.failure.kind}: {result.failure.message})"
        )
        over_budget = refused([result]) is Stop.OVER_BUDGET
        return Closing(heard=heard, warnings=(warning,), over_budget=over_budget)
    said = Conclusion.model_validate(result.reply)
    return Closing(
        conclusion=said.conclusion,
        concluded_by=chair.name,
        open_points=said.open_points,
        heard=heard,
    )


def vote(case: Case, talk: Talk, closing: Closing) -> Effect[Closing]:
    """Everybody votes at once and blind: nobody can follow anybody."""
    assert closing.conclusion is not None
    voters = case.participants
    results = yield from together(
        Turn(
            key=f"ballot/{voter.name}",
            participant=within(voter, CLOSING_TURN_S),
            role=Role.BALLOT,
            round=len(talk.exchanges),
            reply_model="ballot",
            prompt=partial(
                case.prompts.ballot,
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
            why = f"{result.failure.kind}: {result.failure.message}"
            warnings.append(f"{voter.name} did not vote on the conclusion: {why}")
    count = counted(case, {name: vote_of(ballot) for name, ballot in ballots.items()})
    if count.converged and count.independent == 1:
        warnings.append("all votes come from one family of models: they count as one vote")
    more = tuple(Heard(voter.name, result) for voter, result in zip(voters, results, strict=True))
    return replace(
        closing,
        ballots=ballots,
        count=count,
        over_budget=refused(results) is Stop.OVER_BUDGET,
        heard=(*closing.heard, *more),
        warnings=(*closing.warnings, *warnings),
    )


def vote_of(ballot: Ballot | None) -> Vote | None:
    """The vote that a ballot is."""
    if ballot is None:
        return None
    return Vote(Position(ballot.position), ballot.confidence, ballot.reason)


def counted(case: Case, votes: Mapping[str, Vote | None]) -> Count:
    """The votes by the forum's threshold and quorum."""
    voters = case.participants
    return count_votes(
        voters,
        votes,
        threshold=case.options.consensus,
        quorum=Rule(quorum=case.options.quorum).quorum_of(len(voters)),
    )


# ---- the ending ---------------------------------------------------------------------------------

# What a discussion without agreement ended as, by what stopped it.
_WITHOUT_AGREEMENT: dict[Stop, Ending] = {
    Stop.CONCLUDED: Ending.STALLED,
    Stop.ALL_PASSED: Ending.STALLED,
    Stop.MAX_ROUNDS: Ending.EXHAUSTED,
    Stop.TIMEOUT: Ending.EXHAUSTED,
    Stop.LOOPING: Ending.LOOPING,
    Stop.OSCILLATING: Ending.OSCILLATING,
    Stop.NOBODY_THERE: Ending.DEGRADED,
    Stop.OVER_BUDGET: Ending.OVER_BUDGET,
    Stop.DEADLINE: Ending.EXHAUSTED,
}
_WITHOUT_CONCLUSION = {**_WITHOUT_AGREEMENT, Stop.ALL_PASSED: Ending.EXHAUSTED}
_ENDED_BY_ITSELF = frozenset({Stop.CONCLUDED, Stop.ALL_PASSED})

_STOPPED: dict[Stop, str] = {
    Stop.CONCLUDED: "the orchestrator ended the discussion",
    Stop.ALL_PASSED: "nobody had anything left to say",
    Stop.MAX_ROUNDS: "the last round was over",
    Stop.TIMEOUT: "the time was up",
    Stop.LOOPING: "the speeches repeated themselves",
    Stop.OSCILLATING: "the speeches went there and back again",
    Stop.NOBODY_THERE: "nobody answered the floor request any more",
    Stop.OVER_BUDGET: "the budget was used up",
    Stop.DEADLINE: "the run's deadline had passed",
}


def ending_of(talk: Talk, closing: Closing) -> tuple[Ending | None, str]:
    """The ending and its reason. Only ballots make it `converged`; who is missing never helps."""
    assert talk.stop is not None
    stopped = _STOPPED[talk.stop]
    count = closing.count
    if count is None:
        return _without_ballots(talk, closing, stopped)
    voted = f"{count.stated} of {count.expected} took a position, support {count.support:.2f}"
    if count.converged:
        return Ending.CONVERGED, f"{stopped}, and the ballots agree: {voted}"
    if closing.over_budget:
        return Ending.OVER_BUDGET, f"{stopped}, and the budget did not cover the ballots: {voted}"
    if not count.quorate or count.left_open_by_absence:
        missing = ", ".join(count.missing)
        return Ending.DEGRADED, f"{stopped}, and too few voted: {voted}; missing: {missing or '-'}"
    needed = f"{voted} ({count.weighted:.2f} by confidence) of {count.threshold:.2f} needed"
    return _WITHOUT_AGREEMENT[talk.stop], f"{stopped}, and the ballots do not agree: {needed}"


def _without_ballots(talk: Talk, closing: Closing, stopped: str) -> tuple[Ending | None, str]:
    assert talk.stop is not None
    if closing.over_budget:
        return Ending.OVER_BUDGET, f"{stopped}, and the budget did not cover a conclusion"
    if closing.conclusion is not None:
        if talk.stop in _ENDED_BY_ITSELF:
            return None, f"{stopped}; no ballot was held on the conclusion"
        return _WITHOUT_AGREEMENT[talk.stop], f"{stopped}, and no ballot was held"
    attempted = any(one.said is not None for one in talk.exchanges)
    if attempted and not talk.speeches and talk.stop not in NO_MORE_CALLS:
        return Ending.DEGRADED, f"{stopped}, and no speaker brought out a word"
    return _WITHOUT_CONCLUSION[talk.stop], f"{stopped}, and there is no conclusion"


_ADVICE: dict[Ending | None, Recommendation] = {
    Ending.CONVERGED: Recommendation.CONVERGED,
    Ending.STALLED: Recommendation.STALLED,
    Ending.LOOPING: Recommendation.LOOPING,
    Ending.OSCILLATING: Recommendation.OSCILLATING,
    Ending.DEGRADED: Recommendation.DEGRADED,
}


def write_down(case: Case, talk: Talk, closing: Closing) -> RoundRecord:
    """The last assessment: the ballots' figures and the ending."""
    count = closing.count
    support = count.support if count else 0.0
    expected = len(case.participants)
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
            quorum=Rule(quorum=case.options.quorum).quorum_of(expected),
            ending=closing.ending,
            reason=closing.reason,
        ),
        findings=(),
        stances=(),
    )
