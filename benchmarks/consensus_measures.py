"""What the figures of `benchmarks.consensus` are: area under the curve, F1, and bootstrap intervals."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

RESAMPLES = 1000


@dataclass(frozen=True)
class Judged:
    """One discussion: its score, whether the detector said converged, and whether it was consensus."""

    score: float
    fired: bool
    consensus: bool


def auc(judged: Sequence[Judged]) -> float:
    """How likely a consensus scores above a dissent; ties count half."""
    yes = [one.score for one in judged if one.consensus]
    no = [one.score for one in judged if not one.consensus]
    if not (yes and no):
        return float("nan")
    return fmean((high > low) + 0.5 * (high == low) for high in yes for low in no)


def precision(judged: Sequence[Judged]) -> float:
    """The share of firings that are consensus."""
    fired = [one.consensus for one in judged if one.fired]
    return fmean(fired) if fired else float("nan")


def recall(judged: Sequence[Judged]) -> float:
    """The share of consensus that it fires on."""
    there = [one.fired for one in judged if one.consensus]
    return fmean(there) if there else float("nan")


def interval(
    judged: Sequence[Judged], figure: Callable[[Sequence[Judged]], float]
) -> tuple[float, float]:
    """The 95 % interval of a figure, from resampled discussions."""
    chance = random.Random(7)
    drawn = (figure(chance.choices(judged, k=len(judged))) for _ in range(RESAMPLES))
    values = sorted(value for value in drawn if value == value)  # noqa: PLR0124 - leaves NaN out
    if not values:
        return float("nan"), float("nan")
    return values[int(0.025 * len(values))], values[int(0.975 * len(values)) - 1]


def f1_by_class(
    truth: Sequence[str], found: Sequence[str], classes: Sequence[str]
) -> dict[str, float]:
    """F1 of every class; their mean is the macro-F1."""
    figures = {}
    for name in classes:
        hits = sum(a == name == b for a, b in zip(truth, found, strict=True))
        total = sum(a == name for a in truth) + sum(b == name for b in found)
        figures[name] = 2 * hits / total if total else 0.0
    return figures
