"""Whether a stated likelihood is kept: of what is called 80 % likely, are four in five true?

Brier: G. W. Brier, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78 (1950).
Expected calibration error: the mean distance between stated and observed share over the bins, weighted by their counts.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from orchestrator.evaluation.intervals import wilson
from shared.models.wire import Wire

BINS = 5


class ReliabilityBin(Wire):
    """The findings whose likelihood lies from `low` to `high`: how many, what was stated, and how many were true."""

    low: float
    high: float
    count: int
    stated: float
    true: int
    share: float
    share_low: float
    share_high: float


class Reliability(Wire):
    """Stated against observed. None where nobody stated anything."""

    count: int = 0
    brier: float | None = None
    expected_error: float | None = None
    bins: tuple[ReliabilityBin, ...] = Field(default=())


def reliability(stated: Sequence[tuple[float, bool]]) -> Reliability:
    """The table of likelihoods (0 to 1) and whether what was said was true; bins without a finding are left out."""
    if not stated:
        return Reliability()
    binned: dict[int, list[tuple[float, bool]]] = {}
    for likelihood, true in stated:
        binned.setdefault(min(int(likelihood * BINS), BINS - 1), []).append((likelihood, true))
    bins = tuple(_bin(number, binned[number]) for number in sorted(binned))
    count = len(stated)
    return Reliability(
        count=count,
        brier=sum((likelihood - true) ** 2 for likelihood, true in stated) / count,
        expected_error=sum(row.count * abs(row.stated - row.share) for row in bins) / count,
        bins=bins,
    )


def _bin(number: int, stated: Sequence[tuple[float, bool]]) -> ReliabilityBin:
    count, true = len(stated), sum(is_true for _, is_true in stated)
    bounds = wilson(true, count)
    assert bounds is not None
    return ReliabilityBin(
        low=number / BINS,
        high=(number + 1) / BINS,
        count=count,
        stated=sum(likelihood for likelihood, _ in stated) / count,
        true=true,
        share=true / count,
        share_low=bounds.low,
        share_high=bounds.high,
    )
