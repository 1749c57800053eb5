"""What the figures of `benchmarks.consensus` are: area under the curve, F1, and bootstrap intervals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean
from typing import Any, TypeVar

RESAMPLES = 1000
One = TypeVar("One")


@dataclass(frozen=True)
class Row:
    """A line of the report: of what, by which rule, and its figures."""

    title: str
    figures: dict[str, Any]


@dataclass(frozen=True)
class Judged:
    """One discussion: its score, whether the detector said converged, and whether it was consensus."""

    score: float
    fired: bool
    consensus: bool


def area(scored: Iterable[tuple[float, bool]]) -> float:
    """How likely something true scores above something false; ties count half (rank sums)."""
    ranks = 0.0
    below = true = 0
    for _, tied in groupby(sorted(scored), key=lambda one: one[0]):
        group = [one for _, one in tied]
        ranks += sum(group) * (below + (len(group) + 1) / 2)
        below += len(group)
        true += sum(group)
    pairs = true * (below - true)
    return (ranks - true * (true + 1) / 2) / pairs if pairs else float("nan")


def auc(judged: Sequence[Judged]) -> float:
    """How likely a consensus scores above a dissent."""
    return area((one.score, one.consensus) for one in judged)


def precision(judged: Sequence[Judged]) -> float:
    """The share of firings that are consensus."""
    fired = [one.consensus for one in judged if one.fired]
    return fmean(fired) if fired else float("nan")


def recall(judged: Sequence[Judged]) -> float:
    """The share of consensus that it fires on."""
    there = [one.fired for one in judged if one.consensus]
    return fmean(there) if there else float("nan")


def resampled(items: Sequence[One], figure: Callable[[Sequence[One]], float]) -> list[float]:
    """A figure of resampled items, as many as there are, in order; without the samples that have none."""
    chance = random.Random(7)
    drawn = (figure(chance.choices(items, k=len(items))) for _ in range(RESAMPLES))
    return sorted(value for value in drawn if value == value)  # noqa: PLR0124 - leaves NaN out


def interval(items: Sequence[One], figure: Callable[[Sequence[One]], float]) -> tuple[float, float]:
    """The 95 % interval of a figure, from resampled items."""
    values = resampled(items, figure)
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
