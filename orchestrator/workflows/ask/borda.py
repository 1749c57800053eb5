"""Borda count over rankings that are partial, tied, missing, and never hold the ranker's own entry.

In a ranking of n entries the best gets n - 1 points and the last 0. Entries that share a place share its points
equally; entries that a ranking leaves out share the last places. Everybody is ranked by others only, so an entry's
score is its mean share of the points within its reach (points / (n - 1), in 0..1) over the rankings that it stood in: a
ranking that is missing costs nobody anything. de Borda 1781; ties by average as in Emerson 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Group = tuple[str, ...]


@dataclass(frozen=True)
class RankOrder:
    """One ranking: groups of equal entries, best first; `left_out` shares the last places."""

    groups: tuple[Group, ...]
    left_out: Group = ()

    @property
    def size(self) -> int:
        """How many entries were to be ranked."""
        return sum(map(len, self.groups)) + len(self.left_out)


@dataclass(frozen=True)
class RankPlace:
    """Where an entry ended: equal scores share a place (1, 1, 3). Without a ranking there is neither."""

    name: str
    place: int | None
    score: float | None
    points: float
    rankings: int


def points_of(order: RankOrder) -> dict[str, float]:
    """Everybody's points in one ranking."""
    points: dict[str, float] = {}
    best = order.size - 1
    for group in (*order.groups, order.left_out):
        for name in group:
            points[name] = best - (len(group) - 1) / 2
        best -= len(group)
    return points


def borda(names: Sequence[str], orders: Sequence[RankOrder]) -> tuple[RankPlace, ...]:
    """Everybody's place, best first; equal ones stand in the order of `names`."""
    points = dict.fromkeys(names, 0.0)
    shares: dict[str, list[float]] = {name: [] for name in names}
    for order in orders:
        if order.size < 2:
            continue
        for name, gained in points_of(order).items():
            points[name] += gained
            shares[name].append(gained / (order.size - 1))
    scores = {name: sum(own) / len(own) if own else None for name, own in shares.items()}
    known = [round(score, 9) for score in scores.values() if score is not None]
    places = [
        RankPlace(
            name=name,
            place=None if score is None else 1 + sum(other > round(score, 9) for other in known),
            score=score,
            points=points[name],
            rankings=len(shares[name]),
        )
        for name, score in scores.items()
    ]
    return tuple(sorted(places, key=lambda one: (one.place is None, one.place or 0)))
