"""The score of a discussion's end: fitted, and cross-validated on groups that it has not seen.

    python -m benchmarks.consensus_ending --data DIR

prints the constants of `orchestrator/core/consensus/detectors/ending.py`: a logistic regression, in plain Python, over
figures of groups that were heard by models which had not seen them.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, pstdev

from benchmarks.consensus_data import load_groups
from benchmarks.consensus_fitting import CrossFit, cross_fit
from benchmarks.consensus_rounds import one_each
from orchestrator.core.consensus.detectors.ending import WEIGHTS, EndScore
from orchestrator.core.consensus.detectors.text import figures_at_end, follow_discussion

PASSES = 80
RATE = 0.5
DECAY = 0.05
Figures = Mapping[str, float]


def fit_end(figures: Sequence[Figures], agreed: Sequence[bool]) -> EndScore:
    """Logistic regression over standardised figures, its weights in the figures' own units."""
    names = list(WEIGHTS)
    means = [fmean(one[name] for one in figures) for name in names]
    spreads = [max(1e-6, pstdev(one[name] for one in figures)) for name in names]
    rows = [
        [
            (one[name] - mean) / spread
            for name, mean, spread in zip(names, means, spreads, strict=True)
        ]
        for one in figures
    ]
    weights, intercept = [0.0] * len(names), 0.0
    for _ in range(PASSES):
        errors = [
            1 / (1 + math.exp(-intercept - sum(map(math.prod, zip(weights, row, strict=True)))))
            - truth
            for row, truth in zip(rows, agreed, strict=True)
        ]
        slopes = [
            fmean(error * row[at] for error, row in zip(errors, rows, strict=True))
            for at in range(len(names))
        ]
        weights = [
            weight - RATE * (slope + DECAY * weight)
            for weight, slope in zip(weights, slopes, strict=True)
        ]
        intercept -= RATE * fmean(errors)
    own = [weight / spread for weight, spread in zip(weights, spreads, strict=True)]
    shift = sum(map(math.prod, zip(own, means, strict=True)))
    return EndScore(dict(zip(names, own, strict=True)), intercept - shift)


def cross_fit_ends(
    figures: Sequence[Figures], agreed: Sequence[bool], fit: CrossFit
) -> list[EndScore]:
    """For every part of the groups a score that was fitted to the others."""
    scores = []
    for part in range(len(fit.models)):
        others = [at for at, own in enumerate(fit.part_of) if own != part]
        scores.append(fit_end([figures[at] for at in others], [agreed[at] for at in others]))
    return scores


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True)
    groups = load_groups(parser.parse_args().data)
    figures: list[Figures] = []
    agreed: list[bool] = []
    for fit in cross_fit(groups):
        for at, group in enumerate(groups):
            figures.append(
                figures_at_end(follow_discussion(one_each(group), fit.model_for(at))) or {}
            )
            agreed.append(group.consensus)
    score = fit_end(figures, agreed)
    print(f"INTERCEPT = {score.intercept:.2f}")
    for name, weight in score.weights.items():
        print(f'    "{name}": {weight:.2f},')


if __name__ == "__main__":
    main()
