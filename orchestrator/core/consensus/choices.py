"""Counting secret votes among several positions: which one leads, and whether that is agreement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.consensus.ballots import Vote, count_votes
from orchestrator.core.results import VoteSupport
from shared.models.findings import Position
from shared.models.panel import Participant


@dataclass(frozen=True)
class PositionVote:
    """One participant's vote: the position it holds (None: none of them), and those that say the same."""

    choice: str | None
    same: tuple[str, ...] = ()
    confidence: float | None = None
    reason: str = ""

    @property
    def supports(self) -> frozenset[str]:
        """Every position that this vote stands for; none without a choice."""
        return frozenset() if self.choice is None else frozenset((self.choice, *self.same))


@dataclass(frozen=True)
class Tally:
    """Every position's count. `leading` is the one with the most support, None when two different ones share it."""

    counts: Mapping[str, VoteSupport]
    leading: str | None

    @property
    def count(self) -> VoteSupport | None:
        """The leading position's count."""
        return None if self.leading is None else self.counts[self.leading]

    @property
    def converged(self) -> bool:
        """The leading position has the support that was asked for, with and without confidence."""
        return self.count is not None and self.count.agrees


def tally(
    voters: Sequence[Participant],
    votes: Mapping[str, PositionVote | None],
    candidates: Sequence[str],
    *,
    threshold: float,
    quorum: int,
) -> Tally:
    """Count every candidate as `count_votes` does: voters of one family are one voice, a missing one supports none."""
    counts = {
        candidate: count_votes(
            voters,
            {name: _on(vote, candidate) for name, vote in votes.items()},
            threshold=threshold,
            quorum=quorum,
        )
        for candidate in candidates
    }
    return Tally(counts, _leading(counts, votes))


def _on(vote: PositionVote | None, candidate: str) -> Vote | None:
    if vote is None:
        return None
    holds = candidate in vote.supports
    return Vote(Position.AGREE if holds else Position.DISAGREE, vote.confidence, vote.reason)


def _leading(
    counts: Mapping[str, VoteSupport], votes: Mapping[str, PositionVote | None]
) -> str | None:
    """The best supported; of positions that the same people hold, the one that more of them chose first."""
    best = max((_strength(count) for count in counts.values()), default=(0.0, 0.0))
    if best[0] == 0.0:
        return None
    top = [name for name, count in counts.items() if _strength(count) == best]
    taken = [vote for vote in votes.values() if vote is not None]
    if not _same_holders(top, taken):
        return None
    return max(top, key=lambda name: sum(vote.choice == name for vote in taken))


def _same_holders(names: Sequence[str], votes: Sequence[PositionVote]) -> bool:
    return len({tuple(name in vote.supports for vote in votes) for name in names}) == 1


def _strength(count: VoteSupport) -> tuple[float, float]:
    return round(count.support, 9), round(count.weighted, 9)
