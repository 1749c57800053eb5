"""Counting blind ballots: support by independent voices, silence as the opposite of support, dissent kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.stances import VALUES
from orchestrator.core.findings.verdict import effective_votes
from orchestrator.core.replay.commands import RoundRecord
from orchestrator.core.results import VoteSupport
from shared.models.assessment import Assessment, ConvergenceMetrics, Recommendation
from shared.models.findings import Finding, Position
from shared.models.notices import Notice, sentences
from shared.models.outcomes import Ending
from shared.models.panel import Participant

UNKNOWN_CONFIDENCE = 0.5


@dataclass(frozen=True)
class Vote:
    """One participant's position on what is voted on."""

    position: Position
    confidence: float | None = None
    reason: str = ""


def rescaled(confidence: float | None) -> float:
    """A stated confidence as a weight; models state high ones too easily (ReConcile, arXiv 2309.13007)."""
    if confidence is None:
        return UNKNOWN_CONFIDENCE
    steps = ((1.0, 1.0), (0.9, 0.8), (0.8, 0.5), (0.6, 0.3))
    return next((weight for least, weight in steps if confidence >= least), 0.1)


def count_votes(
    voters: Sequence[Participant],
    votes: Mapping[str, Vote | None],
    *,
    threshold: float,
    quorum: int,
) -> VoteSupport:
    """Count; voters of one family share one vote. Anyone missing or abstaining supports nothing, with full weight.

    So replacing any vote by silence never raises a figure that decides.
    """
    taken = {voter.name: _taken(votes.get(voter.name)) for voter in voters}
    stated = [voter for voter in voters if taken[voter.name] is not None]
    support, weighted = _support(voters, taken)
    return VoteSupport(
        support=support,
        weighted=weighted,
        if_all_spoke=_support(stated, taken)[0],
        threshold=threshold,
        stated=len(stated),
        expected=len(voters),
        quorum=quorum,
        independent=effective_votes(stated),
        missing=tuple(name for name, vote in taken.items() if vote is None),
        dissenting=tuple(name for name, vote in taken.items() if _dissents(vote)),
    )


def _support(
    voters: Sequence[Participant], taken: Mapping[str, Vote | None]
) -> tuple[float, float]:
    """The mean position over independent voices, plain and weighted by their confidence."""
    values, weights, weighted = [], [], []
    for bloc in _blocs(voters):
        votes = [_value_and_weight(taken[name]) for name in bloc]
        values.append(_mean([value for value, _ in votes]))
        weights.append(_mean([weight for _, weight in votes]))
        weighted.append(_mean([weight * value for value, weight in votes]))
    return _mean(values), _ratio(sum(weighted), sum(weights))


def _value_and_weight(vote: Vote | None) -> tuple[float, float]:
    return (VALUES[vote.position], rescaled(vote.confidence)) if vote else (0.0, 1.0)


def _dissents(vote: Vote | None) -> bool:
    return vote is not None and vote.position is not Position.AGREE


def _taken(vote: Vote | None) -> Vote | None:
    """The vote, unless it takes no position."""
    return vote if vote is not None and vote.position in VALUES else None


def _blocs(voters: Sequence[Participant]) -> list[list[str]]:
    """Names by independent vote: the participants that `effective_votes` counts as one."""
    blocs: list[list[Participant]] = []
    for voter in voters:
        same = next((bloc for bloc in blocs if effective_votes((bloc[0], voter)) == 1), None)
        if same is None:
            blocs.append([voter])
        else:
            same.append(voter)
    return [[voter.name for voter in bloc] for bloc in blocs]


def _mean(values: Sequence[float]) -> float:
    return _ratio(sum(values), len(values))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# ---- the last assessment ------------------------------------------------------------------------

_ADVICE: dict[Ending | None, Recommendation] = {
    Ending.CONVERGED: Recommendation.CONVERGED,
    Ending.STALLED: Recommendation.STALLED,
    Ending.LOOPING: Recommendation.LOOPING,
    Ending.OSCILLATING: Recommendation.OSCILLATING,
    Ending.DEGRADED: Recommendation.DEGRADED,
}


@dataclass(frozen=True)
class VotedEnding:
    """How a debate ended once the votes were in, and why; `ending` is None where nobody was to vote."""

    ending: Ending | None
    reason: Notice | None

    def but(self, ending: Ending, reason: Notice) -> VotedEnding:
        """Another ending, with one more reason."""
        return VotedEnding(ending, sentences(self.reason, reason))

    def written(
        self,
        number: int,
        detector: str,
        support: VoteSupport | None,
        *,
        answered: int,
        expected: int,
        quorum: int,
        findings: tuple[Finding, ...] = (),
    ) -> RoundRecord:
        """The assessment after the last round: the figures of the votes, and the ending."""
        ratio = 0.0 if support is None else support.support
        metrics = ConvergenceMetrics(
            detector=detector,
            agreement_ratio=ratio,
            avg_stability=None,
            overall_score=ratio,
            recommendation=_ADVICE.get(self.ending, Recommendation.CONTINUE),
        )
        return RoundRecord(
            assessment=Assessment(
                round=number,
                metrics=metrics,
                answered=answered,
                expected=expected,
                quorum=quorum,
                ending=self.ending,
                reason=self.reason,
            ),
            findings=findings,
            stances=(),
        )
