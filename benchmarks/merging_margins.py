"""How far the figures of `benchmarks.merging` carry: pull requests drawn anew, a repository held out, other weights.

    python -m benchmarks.merging_margins --data FOLDER [--settings 150]

Three questions, each with the cut chosen where it is not measured. **Drawn**: F1 over pull requests drawn with
replacement (2,000 times; 95 % of the draws), ours and ours minus the naive lists and minus the best single tool of the
same draw. **Held out**: the cut chosen on all repositories but one, measured on that one. **Other weights**: as many
random settings of the ranking as are asked for; the best of them on the other repositories, measured on the one held
out. If the best ones fall back to the middle there, choosing weights on so few pull requests is choosing noise.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean, median

from benchmarks.data import folder_of
from benchmarks.merging import (
    DRAWN_ORDERS,
    Lists,
    Setting,
    best_cut,
    counts,
    listed,
    naive,
    ours,
    repositories_of,
)
from benchmarks.recorded_reviews import Counts, Judged, read
from orchestrator.core.findings.ranking import WEIGHTS

DRAWS = 2000
WITHIN = 0.95
CUT, K = 2.1, 4  # what most of the choices in `benchmarks.merging` come to
BEST = 10

ByJudge = Mapping[str, Lists]


@dataclass(frozen=True)
class Margin:
    """A figure with the range that holds 95 % of the draws."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        """`.616 [.529, .698]`."""
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def margin(drawn: Sequence[float]) -> Margin:
    """Mean and range of the draws."""
    ordered = sorted(drawn)
    outside = round(len(ordered) * (1 - WITHIN) / 2)
    return Margin(fmean(ordered), ordered[outside], ordered[-1 - outside])


def drawn_anew(
    judged: Judged, mine: ByJudge, plain: Sequence[ByJudge], draws: int = DRAWS
) -> tuple[Margin, Margin, Margin]:
    """F1 of ours, ours minus the naive lists, and ours minus the best single tool of each draw."""
    urls = sorted({one.url for reviews in judged.values() for one in reviews})
    found = _by_url(mine, CUT)
    others = [_by_url(lists, K) for lists in plain]
    singles = {
        (judge, one.url): one.singles for judge, reviews in judged.items() for one in reviews
    }
    tools = sorted({tool for one in singles.values() for tool in one})
    rng = Random(1)
    figures: list[tuple[float, float, float]] = []
    for _ in range(draws):
        chosen = [rng.choice(urls) for _ in urls]
        own = fmean(_f1(found, judge, chosen) for judge in judged)
        naively = fmean(_f1(one, judge, chosen) for one in others for judge in judged)
        best = fmean(
            max(_f1_of_tool(singles, judge, chosen, tool) for tool in tools) for judge in judged
        )
        figures.append((own, own - naively, own - best))
    first, second, third = (margin(column) for column in zip(*figures, strict=True))
    return first, second, third


_Counted = dict[tuple[str, str], Counts]


def _by_url(lists: ByJudge, cut: float) -> _Counted:
    return {
        (judge, review.url): counts(review, shown, cut)
        for judge, one in lists.items()
        for review, shown in zip(one.reviews, one.shown, strict=True)
    }


def _f1(counted: _Counted, judge: str, urls: Sequence[str]) -> float:
    return sum((counted.get((judge, url), Counts()) for url in urls), Counts()).f1


def _f1_of_tool(
    singles: Mapping[tuple[str, str], Mapping[str, Counts]],
    judge: str,
    urls: Sequence[str],
    tool: str,
) -> float:
    return sum((singles.get((judge, url), {}).get(tool, Counts()) for url in urls), Counts()).f1


@dataclass(frozen=True)
class HeldOut:
    """One repository held out: ours with the cut of the others; random settings there, all and the best ones."""

    repository: str
    cut: float
    ours: float
    settings: float | None = None
    best_chosen: float | None = None
    best_measured: float | None = None


def held_out(judged: Judged, mine: ByJudge, others: Sequence[ByJudge]) -> Iterator[HeldOut]:
    """A row for each repository; `others` are the lists of random settings, none for ours alone."""
    names = repositories_of(judged)
    for name in names:
        rest = [one for one in names if one != name]
        cut, _ = best_cut(mine.values(), rest)
        row = HeldOut(name, cut, _mean_f1(mine, cut, [name]))
        if others:
            tried = [(best_cut(one.values(), rest)[0], one) for one in others]
            figures = sorted(
                ((_mean_f1(one, at, rest), _mean_f1(one, at, [name])) for at, one in tried),
                reverse=True,
            )
            row = replace(
                row,
                settings=median(there for _, there in figures),
                best_chosen=fmean(here for here, _ in figures[:BEST]),
                best_measured=fmean(there for _, there in figures[:BEST]),
            )
        yield row


def _mean_f1(lists: ByJudge, cut: float, repositories: Sequence[str]) -> float:
    return fmean(one.f1(cut, repositories) for one in lists.values())


def random_settings(many: int) -> Iterator[Setting]:
    """Settings around the product's own, the same ones every time."""
    rng = Random(7)
    for _ in range(many):
        start = rng.uniform(0.36, 0.50)
        weights = replace(
            WEIGHTS,
            lends_from=start,
            lends_all=start + rng.choice((0.02, 0.04, 0.06, 0.10, 0.15)),
            lent=rng.uniform(0.50, 0.95),
            repeats=rng.uniform(0.40, 0.65),
            repeated=rng.uniform(0.5, 3.0),
            list_exponent=rng.uniform(0.0, 0.5),
            late=rng.uniform(0.0, 0.3),
        )
        yield Setting(weights, rng.uniform(0.1, 0.6))


def report(judged: Judged, settings: int, say: Callable[[str], None] = print) -> None:
    """Measure and tell."""
    mine = listed(judged, partial(ours, setting=Setting()))
    plain = [listed(judged, partial(naive, seed=seed)) for seed in range(DRAWN_ORDERS)]
    own, over_naive, over_single = drawn_anew(judged, mine, plain)
    say(f"pull requests drawn anew, cut {CUT}: ours {own}")
    say(f"  minus {K} of n: {over_naive}")
    say(f"  minus the best single tool of each draw: {over_single}")
    others = [listed(judged, partial(ours, setting=one)) for one in random_settings(settings)]
    for row in held_out(judged, mine, others):
        line = f"{row.repository} held out, cut {row.cut:.1f}: ours {row.ours:.3f}"
        if row.settings is not None:
            line += (
                f"; {settings} random settings, median {row.settings:.3f}, the best {BEST} "
                f"{row.best_chosen:.3f} where they were chosen and {row.best_measured:.3f} here"
            )
        say(line)


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="How far the figures of benchmarks.merging carry.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--settings", type=int, default=150, metavar="N", help="Random ones (150).")
    options = parser.parse_args()
    judged = read(folder_of(options.data, "code-review-bench"))
    if not judged:
        parser.error(f"{options.data} holds no candidates_*.json; give a folder that does")
    report(judged, max(options.settings, 0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
