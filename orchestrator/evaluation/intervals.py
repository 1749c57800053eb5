"""How far a figure can be trusted: Wilson's interval of a share, and the bootstrap over cases of everything else.

Wilson: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
Bootstrap: percentiles of the figure over cases drawn with replacement; findings of one case are not independent.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Z = 1.959963984540054  # of 95 % of the normal distribution
DRAWS = 2_000
MOST_WORK = 2_000_000  # cases drawn in all: many cases need fewer draws
FEWEST_DRAWS = 200
_TAIL = 0.025

Tally = tuple[float, ...]
"""What a case adds to a figure's sums: counts and dollars, in an order that the figure knows."""


@dataclass(frozen=True)
class Bounds:
    """Between these two the figure lies in 95 of 100 such samples."""

    low: float
    high: float


def wilson(hits: float, of: float) -> Bounds | None:
    """The interval of a share; None of nothing."""
    if of <= 0:
        return None
    share, square = hits / of, Z * Z / of
    middle = (share + square / 2) / (1 + square)
    half = Z * math.sqrt(share * (1 - share) / of + square / (4 * of)) / (1 + square)
    return Bounds(max(0.0, middle - half), min(1.0, middle + half))


def draws_for(cases: int) -> int:
    """How often so many cases are drawn again."""
    return max(FEWEST_DRAWS, min(DRAWS, MOST_WORK // max(cases, 1)))


def bootstrap(
    tallies: Sequence[Tally],
    figures: Sequence[Callable[[Tally], float | None]],
    seed: int,
) -> list[Bounds | None]:
    """The interval of each figure of the tallies' sum; None where fewer than half of the draws have one.

    The same seed and the same cases in the same order give the same intervals.
    """
    if len(tallies) < 2:
        return [None] * len(figures)
    chance, count = random.Random(seed), draws_for(len(tallies))  # noqa: S311 - repeatable on purpose
    drawn: list[list[float]] = [[] for _ in figures]
    for _ in range(count):
        total = summed(chance.choices(tallies, k=len(tallies)))
        for values, figure in zip(drawn, figures, strict=True):
            if (value := figure(total)) is not None:
                values.append(value)
    return [_middle(sorted(values)) if len(values) * 2 > count else None for values in drawn]


def summed(tallies: Sequence[Tally]) -> Tally:
    """Column by column."""
    return tuple(map(sum, zip(*tallies, strict=True)))


def _middle(values: Sequence[float]) -> Bounds:
    last = len(values) - 1
    return Bounds(values[round(_TAIL * last)], values[round((1 - _TAIL) * last)])
