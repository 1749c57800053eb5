"""Secret ballots before the judge, and how the debate ended: agreement is what everybody says, not what a model scored.

Everybody commits at once, then all votes are revealed without names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.core.consensus.ballots import VotedEnding
from orchestrator.core.consensus.choices import PositionVote, Tally, tally
from orchestrator.core.consensus.loop_detection import position_reversal
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.turn_results import (
    TurnResult,
    absences,
    over_budget,
    replies,
    take_turns,
)
from orchestrator.core.findings.stances import Floor, latest
from orchestrator.core.replay.commands import Effect, RoundRecord, Turn, phase
from orchestrator.workflows.panel.context import PanelContext, PanelDebate
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.views import for_ballot
from shared.models.findings import Finding, Position
from shared.models.notices import Notice, notice
from shared.models.outcomes import Ending
from shared.models.panel import Participant
from shared.models.planning import ChoiceBallot

# After these there is nobody, or nothing, to vote with.
BROKEN_OFF = frozenset({Ending.DEGRADED, Ending.OVER_BUDGET})
# Without agreement on everything that was said, debaters may still agree on the answer.
_VOTES_MAY_SETTLE = frozenset({Ending.EXHAUSTED, Ending.STALLED, Ending.LOOPING})
_AGAINST = frozenset({Position.DISAGREE, Position.WITHDRAW})

Votes = Mapping[str, PositionVote | None]
"""The votes by debater; None: it did not vote."""


@dataclass(frozen=True)
class Voting:
    """The votes, what they add up to, and whether they were cast in secret, on `ballots`."""

    votes: Votes
    tally: Tally
    secret: bool = False
    ballots: Mapping[str, ChoiceBallot] = field(default_factory=dict)
    turns: tuple[TurnResult, ...] = ()
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    warnings: tuple[Notice, ...] = ()
    over_budget: bool = False


def vote(context: PanelContext, debate: PanelDebate) -> Effect[Voting]:
    """Ballots where the strategy holds them; otherwise everybody's last position is its vote."""
    if not context.has_ballot or debate.ending in BROKEN_OFF or debate.refused:
        positions = positions_held(debate)
        return Voting(positions, _count(context, debate, positions))
    yield from phase("Voting")
    labels = {voter.name: context.labels(f"ballot/{voter.name}") for voter in context.debaters}
    turns = yield from take_turns(
        ballot(context, debate, debater, labels[debater.name]) for debater in context.debaters
    )
    ballots = replies(turns, ChoiceBallot)
    cast = {name: read_ballot(ballot, debate.candidate_ids) for name, ballot in ballots.items()}
    votes = {turn.participant: cast.get(turn.participant) for turn in turns}
    return Voting(
        votes=votes,
        tally=_count(context, debate, votes),
        secret=True,
        ballots=ballots,
        turns=turns,
        labels=labels,
        warnings=(
            *absences(turns, notice("in_ballot")),
            *(notice("panel_voted_for_nothing", who=name) for name in cast if cast[name] is None),
        ),
        over_budget=over_budget(turns),
    )


def ballot(
    context: PanelContext, debate: PanelDebate, debater: Participant, labels: Mapping[str, str]
) -> Turn:
    """One debater's ballot; the positions stand in an order of its own."""
    return Turn(
        key=f"ballot/{debater.name}",
        participant=debater,
        role=PanelRole.BALLOT,
        round=len(debate.rounds),
        reply_model="ballot.choice",
        prompt=lambda: context.prompts.ballot(
            debater,
            for_ballot(debate, labels, debater.name),
            in_order_of(context, debater.name, debate.candidates),
        ),
        temperature=0.0,
    )


def in_order_of(
    context: PanelContext, reader: str, candidates: Sequence[Finding]
) -> tuple[Finding, ...]:
    """The positions in an order that depends on who reads them: the first one on a list is chosen too often."""
    by_id = {candidate.id: candidate for candidate in candidates}
    order = shuffled_labels(context.spec.seed, f"positions/{reader}", list(by_id))
    return tuple(by_id[identity] for identity in order.values())


def read_ballot(ballot: ChoiceBallot, known: Sequence[str]) -> PositionVote | None:
    """A vote; for NONE a vote against all of them, for an id that does not exist no vote."""
    choice = ballot.choice.strip(" []().")
    if choice == "NONE":
        return PositionVote(None, (), ballot.confidence, ballot.reason)
    if choice not in known:
        return None
    named = (other.strip().upper() for other in ballot.same)
    same = tuple(identity for identity in named if identity in known)
    return PositionVote(choice, same, ballot.confidence, ballot.reason)


def positions_held(debate: PanelDebate) -> Votes:
    """Votes from the debate itself: what each holds, and the positions that it last agreed to."""
    choices: dict[str, PositionVote] = {}
    for name, position in debate.holds.items():
        statement = debate.latest.get(name)
        agreed = tuple(
            candidate.id
            for candidate in debate.candidates
            if latest(debate.ledger, candidate).get(name) is Position.AGREE
            and candidate.id != position
        )
        confidence = statement.confidence if statement else debate.first[name].confidence
        reason = statement.changed_because if statement else ""
        choices[name] = PositionVote(position, agreed, confidence, reason)
    return choices


def first_tally(context: PanelContext, debate: PanelDebate) -> Tally:
    """What the first votes, before the debate, added up to."""
    votes = {
        name: PositionVote(vote.position, (), vote.confidence)
        for name, vote in debate.first.items()
    }
    return _tally(context, votes, [vote.position for vote in debate.first.values()])


def _count(context: PanelContext, debate: PanelDebate, votes: Votes) -> Tally:
    return _tally(context, votes, debate.candidate_ids)


def _tally(context: PanelContext, votes: Votes, candidates: Sequence[str]) -> Tally:
    return tally(
        context.debaters,
        votes,
        list(dict.fromkeys(candidates)),
        threshold=context.options.consensus_threshold,
        quorum=context.rule.quorum_of(len(context.debaters)),
    )


# ---- the ending ---------------------------------------------------------------------------------


def ending_of(debate: PanelDebate, voting: Voting) -> VotedEnding:
    """The ending. Votes end a debate as `converged` only when nobody is known to be against the position or missing."""
    assessment = debate.assessment
    if assessment is None or assessment.ending is None:
        return VotedEnding(Ending.DEGRADED, notice("panel_broken_off"))
    before = VotedEnding(assessment.ending, assessment.reason)
    if assessment.ending in BROKEN_OFF:
        return before
    if voting.over_budget:
        return before.but(Ending.OVER_BUDGET, notice("panel_votes_over_budget"))
    if voting.tally.converged:
        return _with_agreement(debate, voting, before, assessment.ending)
    return _without_agreement(voting, before)


def _with_agreement(
    debate: PanelDebate, voting: Voting, before: VotedEnding, ending: Ending
) -> VotedEnding:
    leading = voting.tally.leading
    if ending is Ending.CONVERGED:
        return before
    if ending not in _VOTES_MAY_SETTLE or leading is None or against(debate, leading):
        return before.but(ending, notice("panel_only_votes_agree"))
    if swung := position_reversal(debate.taken, debate.ledger):
        names = dict.fromkeys(name for name, _ in swung)
        return before.but(ending, notice("panel_may_have_swung", who=names))
    return before.but(Ending.CONVERGED, notice("panel_votes_agree", position=leading))


def _without_agreement(voting: Voting, before: VotedEnding) -> VotedEnding:
    best = max(voting.tally.counts.values(), key=lambda count: count.support, default=None)
    if best is not None and (not best.quorate or best.left_open_by_absence):
        missing = best.missing or ("-",)
        return before.but(Ending.DEGRADED, notice("panel_too_few_voted", who=missing))
    if before.ending is Ending.CONVERGED:
        return before.but(Ending.STALLED, notice("panel_votes_contradict"))
    return before


def against(debate: PanelDebate, position: str) -> tuple[str, ...]:
    """Those who were last against a position, explicitly or by leaving it, or may have been in a missing turn."""
    point = debate.point(position)
    if point is None:
        return ()
    standing = Floor.of(debate.taken, debate.ledger).standing(point)
    opposed = (name for name, stance in standing.positions.items() if stance in _AGAINST)
    return (*opposed, *sorted(standing.missing))


def last_record(
    context: PanelContext, debate: PanelDebate, voting: Voting, ended: VotedEnding
) -> RoundRecord:
    """The last assessment: the votes' figures and the ending; without a vote those of the last round stand."""
    if debate.assessment is not None and debate.ending in BROKEN_OFF:
        return RoundRecord(assessment=debate.assessment, findings=debate.points, stances=())
    expected = len(context.debaters)
    return ended.written(
        len(debate.rounds),
        "ballots" if voting.secret else "positions",
        voting.tally.count,
        answered=sum(vote is not None for vote in voting.votes.values()),
        expected=expected,
        quorum=context.rule.quorum_of(expected),
        findings=debate.points,
    )
