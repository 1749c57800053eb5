"""Recorded reviewers as a panel: how good are the first three findings, on repositories that nothing was chosen on?

    python -m benchmarks.merging_first --data FOLDER [--measure KEPT_BACK] [--draws 2000] [--most 3]

The lists of `benchmarks.merging` as a reader of the text meets them, counted in the same way. Four of them:

* `always`: the first three, whatever they are worth;
* `shown`: at most three, without those that are faint (`ranking.foremost`), as the text shows them;
* `held out`: the same, with the share of the best one's votes below which a finding is faint chosen on the other
  repositories (`shown` has the product's own, which was found on these three);
* `calibrated`: the same, and each reviewer's vote weighs what its precision on the other repositories says.

Beside them the best single reviewer, who is known only afterwards, and the one who was best on the other repositories,
which is the one that somebody could have picked. **Drawn**: pull requests drawn anew with replacement, the best single
reviewer of the same draw; the share of the draws in which ours is not below it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from statistics import fmean

from benchmarks.data import folder_of
from benchmarks.merging import LONGEST_TITLE, best_single, repositories_of
from benchmarks.merging_margins import margin
from benchmarks.recorded_reviews import Counts, Judged, Review, read
from orchestrator.core.findings.merging import Raised, absorb
from orchestrator.core.findings.ranking import WEIGHTS, Ranked, foremost, rank
from shared.models.findings import RaisedFinding

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
PRIOR = 20.0  # comments that a reviewer's precision is assumed to rest on before it has made any
LEAST_TRUST, MOST_TRUST = 0.5, 1.5

Trust = tuple[tuple[str, float], ...]
Key = tuple[str, str]  # judge and address


@dataclass(frozen=True)
class Rule:
    """How many findings are shown, and what the votes weigh."""

    share: float
    trusted: Trust = ()


class Lists:
    """The ranked lists of all recorded reviews, made when they are asked for."""

    def __init__(self, judged: Judged, most: int) -> None:
        """Of these reviews, cut after `most`."""
        self.judged = judged
        self.reviews = {(judge, one.url): one for judge, many in judged.items() for one in many}
        self.most = most
        self.ranked = cache(self._ranked)
        self.counted = cache(self._counted)

    def _ranked(self, key: Key, trusted: Trust, share: float) -> tuple[Ranked, ...]:
        raised = [Raised(said.tool, 1, _claim(said.text)) for said in self.reviews[key].said]
        weights = replace(WEIGHTS, beside_the_best=share)
        return rank(absorb(raised).findings, weights=weights, trusted=dict(trusted))

    def _counted(self, key: Key, rule: Rule) -> Counts:
        review = self.reviews[key]
        seen: set[str] = set()
        false = 0
        for place in foremost(self.ranked(key, rule.trusted, rule.share), self.most):
            matched = _matched(review, place)
            false += matched <= seen
            seen |= matched
        return Counts(len(seen), false, review.golden - len(seen))

    def f1(self, rule_of: Callable[[str], Rule], repositories: Sequence[str]) -> float:
        """Mean over the judges, each over the sums of its pull requests."""
        return fmean(self._f1(judge, rule_of, repositories) for judge in self.judged)

    def _f1(self, judge: str, rule_of: Callable[[str], Rule], on: Sequence[str]) -> float:
        counts = (
            self.counted((judge, one.url), rule_of(one.repository))
            for one in self.judged[judge]
            if one.repository in on
        )
        return sum(counts, Counts()).f1


def _claim(text: str) -> RaisedFinding:
    return RaisedFinding(title=text[:LONGEST_TITLE], detail=text[LONGEST_TITLE:])


def _matched(review: Review, place: Ranked) -> frozenset[str]:
    """What the judge matched the shown wording with."""
    wording = (place.finding.title, place.finding.detail)
    same = (
        said.matched
        for said in review.said
        if (said.text[:LONGEST_TITLE], said.text[LONGEST_TITLE:]) == wording
    )
    return frozenset().union(*same)


# ---- chosen elsewhere ---------------------------------------------------------------------------


def trust_from(judged: Judged, repositories: Sequence[str]) -> Trust:
    """What each reviewer's vote weighs by its precision there, mean over the judges."""
    true: dict[str, float] = {}
    made: dict[str, float] = {}
    for reviews in judged.values():
        for one in reviews:
            for said in one.said if one.repository in repositories else ():
                true[said.tool] = true.get(said.tool, 0.0) + bool(said.matched) / len(judged)
                made[said.tool] = made.get(said.tool, 0.0) + 1 / len(judged)
    mean = sum(true.values()) / max(1.0, sum(made.values()))
    factors = {
        tool: (true[tool] + PRIOR * mean) / (made[tool] + PRIOR) / (mean or 1.0) for tool in made
    }
    return tuple(
        (tool, min(MOST_TRUST, max(LEAST_TRUST, factor)))
        for tool, factor in sorted(factors.items())
    )


def best_share(lists: Lists, repositories: Sequence[str], trusted: Trust) -> float:
    """The share with the highest F1 there; of equals the lowest, which shows more."""
    return max(
        SHARES,
        key=lambda share: (lists.f1(lambda _: Rule(share, trusted), repositories), -share),
    )


def rules(chosen: Lists, on: Sequence[str]) -> dict[str, Rule]:
    """The four lists, what is chosen of them chosen on these repositories."""
    trusted = trust_from(chosen.judged, on)
    return {
        "always": Rule(0.0),
        "shown": Rule(WEIGHTS.beside_the_best),
        "held out": Rule(best_share(chosen, on, ())),
        "calibrated": Rule(best_share(chosen, on, trusted), trusted),
    }


ByRepository = Mapping[str, Mapping[str, Rule]]


def across(lists: Lists) -> ByRepository:
    """For each repository what the others chose."""
    names = repositories_of(lists.judged)
    return {name: rules(lists, [other for other in names if other != name]) for name in names}


# ---- measured -----------------------------------------------------------------------------------


def picked(judged: Judged, elsewhere: Judged, on: Sequence[str]) -> float:
    """F1 of the reviewer who was best on the other repositories, mean over the judges."""
    figures = []
    for judge, reviews in judged.items():
        total = Counts()
        for name in on:
            known = elsewhere.get(judge, ())
            others = [other for other in {one.repository for one in known} if other != name]
            tool, _ = best_single(known, others)
            mine = (one.singles.get(tool) for one in reviews if one.repository == name)
            total = sum(filter(None, mine), total)
        figures.append(total.f1)
    return fmean(figures)


def table(lists: Lists, chosen: ByRepository, elsewhere: Judged) -> Iterator[str]:
    """F1 by repository and over all."""
    names = repositories_of(lists.judged)
    kinds = list(next(iter(chosen.values())))
    heads = " ".join(f"{kind:>11}" for kind in kinds)
    yield f"{'F1, mean over the judges':26} {heads} {'best single':>12} {'one picked':>11}"
    for on in (*([name] for name in names), names):
        figures = [lists.f1(lambda name, kind=kind: chosen[name][kind], on) for kind in kinds]  # type: ignore[misc]
        single = fmean(best_single(reviews, on)[1] for reviews in lists.judged.values())
        shown = " ".join(f"{figure:11.3f}" for figure in figures)
        name = on[0] if len(on) == 1 else "all"
        yield f"{name:26} {shown} {single:12.3f} {picked(lists.judged, elsewhere, on):11.3f}"


def drawn_anew(lists: Lists, chosen: ByRepository, draws: int) -> Iterator[str]:
    """Ours minus the best single reviewer of the same draw, and how often it is not below."""
    repository = {one.url: one.repository for one in lists.reviews.values()}
    urls = sorted(repository)
    tools = sorted({tool for one in lists.reviews.values() for tool in one.singles})
    rng = Random(1)
    samples = [[rng.choice(urls) for _ in urls] for _ in range(draws)]
    singles = [
        fmean(
            max(
                _sum(lists.reviews[judge, url].singles.get(tool) for url in urls_).f1
                for tool in tools
            )
            for judge in lists.judged
        )
        for urls_ in samples
    ]
    for kind in next(iter(chosen.values())):
        counted = {
            key: lists.counted(key, chosen[repository[key[1]]][kind]) for key in lists.reviews
        }
        gains = [
            fmean(_sum(counted.get((judge, url)) for url in urls_).f1 for judge in lists.judged)
            - single
            for urls_, single in zip(samples, singles, strict=True)
        ]
        not_below = sum(gain >= 0 for gain in gains) / len(gains)
        yield f"{kind:11} minus the best single: {margin(gains)}, not below in {not_below:.1%}"


def _sum(counts: Iterator[Counts | None]) -> Counts:
    return sum((one for one in counts if one is not None), Counts())


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="How good the first findings of a panel are.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--measure", type=Path, metavar="FOLDER", help="Kept back: measured only.")
    parser.add_argument("--draws", type=int, default=2000, metavar="N")
    parser.add_argument("--most", type=int, default=3, metavar="N", help="Findings shown (3).")
    options = parser.parse_args()
    judged = read(folder_of(options.data, "code-review-bench"))
    if not judged:
        parser.error(f"{options.data} holds no candidates_*.json; give a folder that does")
    lists = known = Lists(judged, options.most)
    chosen = across(known)
    if options.measure is not None:
        lists = Lists(read(options.measure), options.most)
        everywhere = rules(known, repositories_of(judged))
        chosen = dict.fromkeys(repositories_of(lists.judged), everywhere)
    for line in (*table(lists, chosen, judged), *drawn_anew(lists, chosen, options.draws)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
