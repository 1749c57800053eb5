"""Are comments that mean one golden comment nearer to one another than to the rest?

    python -m benchmarks.nearness --data FOLDER

FOLDER as for `benchmarks.merging`. Every pair of comments of two tools on one pull request, one of which at least
matched a golden comment: alike when they matched a common one. Printed is the AUC (how often a pair that is alike is
nearer than one that is not) of the ranking's affinity and of the merging's likeness.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from pathlib import Path

from benchmarks.consensus_measures import area
from benchmarks.recorded_reviews import Review, Said, read
from orchestrator.core.findings.affinity import affinities
from orchestrator.core.findings.sameness import ComparableClaim, text_alike

Measure = Callable[[Review], Callable[[int, int], float]]


def affinity(review: Review) -> Callable[[int, int], float]:
    """What ranking uses."""
    near = affinities([said.text for said in review.said])
    return lambda one, other: near[one].get(other, 0.0)


def likeness(review: Review) -> Callable[[int, int], float]:
    """What merging uses."""
    claims = [_claim(said) for said in review.said]
    return lambda one, other: text_alike(claims[one], claims[other])


def _claim(said: Said) -> ComparableClaim:
    return ComparableClaim(
        title=said.text, detail="", rule=None, place=None, turn=(said.tool, 1, "")
    )


def pairs(reviews: Iterable[Review], measure: Measure) -> Iterator[tuple[float, bool]]:
    """How near each pair is, and whether it is alike."""
    for review in reviews:
        near = measure(review)
        for (one, a), (other, b) in combinations(enumerate(review.said), 2):
            if a.tool != b.tool and (a.matched or b.matched):
                yield near(one, other), bool(a.matched & b.matched)


def main() -> None:
    """Print both AUCs by judge."""
    parser = argparse.ArgumentParser(description="Affinity of comments that mean the same.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    for judge, reviews in read(parser.parse_args().data).items():
        ranking, merging = (list(pairs(reviews, measure)) for measure in (affinity, likeness))
        print(
            f"{judge}: {len(ranking)} pairs, AUC of the ranking's affinity {area(ranking):.3f}, "
            f"of the merging's likeness {area(merging):.3f}"
        )


if __name__ == "__main__":
    main()
