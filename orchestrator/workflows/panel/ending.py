"""How a debate ended, once the votes are in: agreement is what everybody said it is, not what a model scored."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.core.consensus.loop_detection import position_reversal
from orchestrator.core.findings.stances import Floor
from orchestrator.core.replay.commands import RoundRecord
from orchestrator.workflows.panel.context import PanelContext, PanelDebate
from orchestrator.workflows.panel.voting import Voting
from shared.models.assessment import Assessment, ConvergenceMetrics, Recommendation
from shared.models.findings import Position
from shared.models.notices import Notice, notice, sentences
from shared.models.outcomes import Ending

# Without agreement on everything that was said, debaters may still agree on the answer.
_VOTES_MAY_SETTLE = frozenset({Ending.EXHAUSTED, Ending.STALLED, Ending.LOOPING})
_FINAL = frozenset({Ending.DEGRADED, Ending.OVER_BUDGET})
_AGAINST = frozenset({Position.DISAGREE, Position.WITHDRAW})


@dataclass(frozen=True)
class PanelEnding:
    """The ending, and why."""

    ending: Ending
    reason: Notice | None

    def but(self, ending: Ending, reason: Notice) -> PanelEnding:
        """Another ending, with one more reason."""
        return PanelEnding(ending, sentences(self.reason, reason))


def ending_of(held: PanelDebate, voting: Voting) -> PanelEnding:
    """The ending. Votes end a debate as `converged` only when nobody is known to be against the position or missing."""
    assessment = held.assessment
    if assessment is None or assessment.ending is None:
        return PanelEnding(Ending.DEGRADED, notice("panel_broken_off"))
    before = PanelEnding(assessment.ending, assessment.reason)
    if before.ending in _FINAL:
        return before
    if voting.over_budget:
        return before.but(Ending.OVER_BUDGET, notice("panel_votes_over_budget"))
    if voting.tally.converged:
        return _with_agreement(held, voting, before)
    return _without_agreement(voting, before)


def _with_agreement(held: PanelDebate, voting: Voting, before: PanelEnding) -> PanelEnding:
    leading = voting.tally.leading
    if before.ending is Ending.CONVERGED:
        return before
    if before.ending in _VOTES_MAY_SETTLE and leading is not None and not against(held, leading):
        if swung := position_reversal(held.rounds, held.ledger):
            who = dict.fromkeys(name for name, _ in swung)
            return before.but(before.ending, notice("panel_may_have_swung", who=who))
        return before.but(Ending.CONVERGED, notice("panel_votes_agree", position=leading))
    return before.but(before.ending, notice("panel_only_votes_agree"))


def _without_agreement(voting: Voting, before: PanelEnding) -> PanelEnding:
    counts = voting.tally.counts.values()
    best = max(counts, key=lambda one: one.support, default=None)
    if best is not None and (not best.quorate or best.left_open_by_absence):
        missing = best.missing or ("-",)
        return before.but(Ending.DEGRADED, notice("panel_too_few_voted", who=missing))
    if before.ending is Ending.CONVERGED:
        return before.but(Ending.STALLED, notice("panel_votes_contradict"))
    return before


def against(held: PanelDebate, position: str) -> tuple[str, ...]:
    """Who was last against a position, in so many words or by leaving it, or may have been in a missing turn."""
    point = next((one for one in held.points if one.id == position), None)
    if point is None:
        return ()
    standing = Floor.of(held.rounds, held.ledger).standing(point)
    opposed = (name for name, said in standing.positions.items() if said in _AGAINST)
    return (*opposed, *sorted(standing.missing))


_ADVICE: dict[Ending, Recommendation] = {
    Ending.CONVERGED: Recommendation.CONVERGED,
    Ending.STALLED: Recommendation.STALLED,
    Ending.LOOPING: Recommendation.LOOPING,
    Ending.OSCILLATING: Recommendation.OSCILLATING,
    Ending.DEGRADED: Recommendation.DEGRADED,
}


def write_down(
    context: PanelContext, held: PanelDebate, voting: Voting, ended: PanelEnding
) -> RoundRecord:
    """The last assessment: the votes' figures and the ending; without a vote those of the last round stand."""
    if held.assessment is not None and held.assessment.ending in _FINAL:
        return RoundRecord(assessment=held.assessment, findings=held.points, stances=())
    count = voting.tally.count
    support = 0.0 if count is None else count.support
    expected = len(context.debaters)
    return RoundRecord(
        assessment=Assessment(
            round=len(held.held),
            metrics=ConvergenceMetrics(
                detector="ballots" if voting.secret else "positions",
                agreement_ratio=support,
                avg_stability=None,
                overall_score=support,
                recommendation=_ADVICE.get(ended.ending, Recommendation.CONTINUE),
            ),
            answered=sum(vote is not None for vote in voting.votes.values()),
            expected=expected,
            quorum=context.rule.quorum_of(expected),
            ending=ended.ending,
            reason=ended.reason,
        ),
        findings=held.points,
        stances=(),
    )
