"""Counting blind ballots: support by independent voices, silence as the opposite of support, dissent kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.findings.stances import VALUES
from orchestrator.core.findings.verdict import effective_votes
from shared.models.findings import Position
from shared.models.panel import Participant

STATED_VOTES = 2
UNKNOWN_CONFIDENCE = 0.5
_NEARLY = 1e-9


@dataclass(frozen=True)
class Vote:
    """One participant's position on what is voted on."""

    position: Position
    confidence: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Count:
    """What the ballots say.

    `support` is the mean position over independent voices (agree 1, partial 0.5, else 0), `weighted` the same with
    everybody's rescaled confidence; `if_all_spoke` is the support among those who took a position. `independent` counts
    the effective votes among the `stated` ones.
    """

    support: float
    weighted: float
    if_all_spoke: float
    threshold: float
    stated: int
    expected: int
    quorum: int
    independent: int
    missing: tuple[str, ...]
    dissenting: tuple[str, ...]

    @property
    def converged(self) -> bool:
        """Enough took a position, and their support reaches the threshold with and without confidence."""
        needed = self.threshold - _NEARLY
        return self.quorate and self.support >= needed and self.weighted >= needed

    @property
    def quorate(self) -> bool:
        """Enough took a position for anything to be said about agreement."""
        return self.stated >= max(STATED_VOTES, self.quorum)

    @property
    def left_open_by_absence(self) -> bool:
        """Those who voted agree enough, and it is the silent ones that keep this from counting."""
        return bool(self.missing) and self.if_all_spoke >= self.threshold - _NEARLY


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
) -> Count:
    """Count; voters of one family share one vote. Anyone missing or abstaining supports nothing, with full weight.

    So replacing any vote by silence never raises a figure that decides.
    """
    taken = {voter.name: _taken(votes.get(voter.name)) for voter in voters}
    stated = [voter for voter in voters if taken[voter.name] is not None]
    support, weighted = _support(voters, taken)
    return Count(
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


@dataclass(frozen=True)
class _BlocVote:
    """The one vote of participants that are not independent of one another."""

    support: float
    weight: float
    weighted: float


def _support(
    voters: Sequence[Participant], taken: Mapping[str, Vote | None]
) -> tuple[float, float]:
    """The mean position over independent voices, plain and weighted by their confidence."""
    votes = [_bloc_vote([taken[name] for name in bloc]) for bloc in _blocs(voters)]
    weighted = _ratio(sum(vote.weighted for vote in votes), sum(vote.weight for vote in votes))
    return _mean([vote.support for vote in votes]), weighted


def _bloc_vote(votes: Sequence[Vote | None]) -> _BlocVote:
    values = [VALUES[vote.position] if vote else 0.0 for vote in votes]
    weights = [rescaled(vote.confidence) if vote else 1.0 for vote in votes]
    weighted = [weight * value for weight, value in zip(weights, values, strict=True)]
    return _BlocVote(_mean(values), _mean(weights), _mean(weighted))


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
