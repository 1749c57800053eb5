"""Recorded reviewers as a panel: how good is the list that the panel shows?

    python -m benchmarks.merging --data FOLDER [--measure FOLDER] [--weights] [--panels] [--json]

FOLDER is a copy of withmartian/code-review-benchmark: `candidates_<judge>.json` (what each tool said of each pull
request), `evaluations_<judge>.json` (which of it the judge matched with a golden comment) and
`golden_<repository>.json`. Each tool is a participant, each of its comments a finding without a place. They go
through the product's own merging (`findings.absorb`) and ranking (`ranking.rank`); a pull request's list ends at the
cut. The only thing that is chosen is that cut (with `--weights` some of the ranking's weights, too), and k for the
naive lists: on one repository, mean over the judges, measured on the others, in turn. With `--measure` they are
chosen on all of FOLDER and measured on the other folder, which is not looked at before.

Counted as the benchmark does (sums over pull requests, F1 = 2 TP / (2 TP + FP + FN)), with one difference that is
against us: a shown finding which matches only golden comments that were matched further up is a false alarm. Judged
is the wording that is shown, by what the judge said of that very comment of that very tool; not "some member of the
group matched". A comment that the judge left out of both lists counts as a false alarm, too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean

from benchmarks.data import folder_of
from benchmarks.recorded_reviews import Counts, Judged, Review, read
from orchestrator.core.findings.affinity import affinities
from orchestrator.core.findings.merging import Raised, absorb
from orchestrator.core.findings.ranking import WEIGHTS, Weights, rank
from shared.models.findings import RaisedFinding

LONGEST_TITLE = 400
PLACE_COST = 0.3  # votes that each place further down must bring more: a long list tires
CUTS = tuple(step / 10 for step in range(5, 66))
SMOOTHED = (
    2  # neighbours on each side over which a cut's figure is averaged before the best is taken
)
GROUPED = 0.47  # affinity for the naive groups, about the middle of the ranking's
LARGEST_K = 8
DRAWN_ORDERS = 5
PANEL_SIZES = (3, 5, 8)
PANELS_DRAWN = 12


# ---- what is shown ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shown:
    """One entry of a list, from the top: what it is worth, and whether it matches something new."""

    worth: float
    found: int
    false: bool


@dataclass(frozen=True)
class Setting:
    """What a list is made with besides the cut."""

    weights: Weights = WEIGHTS
    place_cost: float = PLACE_COST


def ours(review: Review, setting: Setting) -> tuple[Shown, ...]:
    """The product's list: merged, ranked, each entry judged by the wording that is shown."""
    matched: dict[tuple[str, str], dict[str, frozenset[str]]] = {}
    raised = []
    for said in review.said:
        finding = RaisedFinding(title=said.text[:LONGEST_TITLE], detail=said.text[LONGEST_TITLE:])
        raised.append(Raised(said.tool, 1, finding))
        matched.setdefault((finding.title, finding.detail), {})[said.tool] = said.matched
    entries = []
    ranking = rank(absorb(raised).findings, weights=setting.weights)
    for place, ranked in enumerate(ranking):
        said_by = matched[ranked.finding.title, ranked.finding.detail]
        worth = ranked.score - setting.place_cost * place
        entries.append((worth, frozenset().union(*said_by.values())))
    return _judged(entries)


def naive(review: Review, seed: int) -> tuple[Shown, ...]:
    """Groups of near comments by how many tools are in them; the first comment of a group stands for it.

    The tools come in a drawn order: the comments of the one that happens to stand first in a file must not stand
    for most groups.
    """
    order = sorted({said.tool for said in review.said})
    Random(seed).shuffle(order)
    comments = sorted(review.said, key=lambda said: order.index(said.tool))
    near = affinities([said.text for said in comments])
    groups: dict[int, set[str]] = {}
    for index, said in enumerate(comments):
        home = next((at for at in groups if near[index].get(at, 0.0) >= GROUPED), index)
        groups.setdefault(home, set()).add(said.tool)
    ordered = sorted(groups, key=lambda at: -len(groups[at]))
    return _judged([(float(len(groups[at])), comments[at].matched) for at in ordered])


def _judged(entries: Iterable[tuple[float, frozenset[str]]]) -> tuple[Shown, ...]:
    seen: set[str] = set()
    shown = []
    for worth, matched in entries:
        false = matched <= seen
        seen |= matched
        shown.append(Shown(worth, len(seen), false))
    return tuple(shown)


def counts(review: Review, shown: Sequence[Shown], cut: float) -> Counts:
    """The figures of a list that ends before the first entry that is worth less than the cut."""
    end = next((at for at, one in enumerate(shown) if one.worth < cut), len(shown))
    found = shown[end - 1].found if end else 0
    return Counts(found, sum(one.false for one in shown[:end]), review.golden - found)


MANY = tuple(
    Setting(
        replace(WEIGHTS, lends_from=lends, lends_all=lends + 0.06, list_exponent=exponent), cost
    )
    for lends in (0.41, 0.44, 0.47)
    for exponent in (0.0, 0.25)
    for cost in (0.3, 0.6)
)


# ---- chosen and measured ------------------------------------------------------------------------


@dataclass(frozen=True)
class Lists:
    """One judge's reviews with their lists."""

    reviews: tuple[Review, ...]
    shown: tuple[tuple[Shown, ...], ...]

    def f1(self, cut: float, repositories: Iterable[str]) -> float:
        """Over all pull requests of these repositories."""
        return self.total(cut, repositories).f1

    def total(self, cut: float, repositories: Iterable[str]) -> Counts:
        """The sums behind `f1`."""
        wanted = set(repositories)
        return sum(
            (
                counts(review, shown, cut)
                for review, shown in zip(self.reviews, self.shown, strict=True)
                if review.repository in wanted
            ),
            Counts(),
        )


def listed(judged: Judged, make: Callable[[Review], tuple[Shown, ...]]) -> dict[str, Lists]:
    """The lists of all judges."""
    return {
        judge: Lists(reviews, tuple(make(review) for review in reviews))
        for judge, reviews in judged.items()
    }


@dataclass(frozen=True)
class Contestants:
    """Our lists by setting, and the naive ones by drawn order."""

    mine: Mapping[Setting, Mapping[str, Lists]]
    plain: tuple[Mapping[str, Lists], ...]

    @classmethod
    def of(cls, judged: Judged, settings: Sequence[Setting]) -> Contestants:
        """All lists, made once."""
        return cls(
            mine={one: listed(judged, partial(ours, setting=one)) for one in settings},
            plain=tuple(listed(judged, partial(naive, seed=seed)) for seed in range(DRAWN_ORDERS)),
        )

    def choose(self, repositories: Sequence[str]) -> Choice:
        """What does best on these repositories, mean over the judges."""
        by_setting = {
            one: best_cut(lists.values(), repositories) for one, lists in self.mine.items()
        }
        setting = max(by_setting, key=lambda one: by_setting[one][1])
        return Choice(
            on="+".join(repositories),
            setting=setting,
            cut=by_setting[setting][0],
            k=max(
                range(1, LARGEST_K + 1),
                key=lambda k: fmean(
                    one.f1(k, repositories) for lists in self.plain for one in lists.values()
                ),
            ),
        )


@dataclass(frozen=True)
class Choice:
    """What was chosen, and on which repositories."""

    on: str
    setting: Setting
    cut: float
    k: int


def best_cut(lists: Iterable[Lists], repositories: Sequence[str]) -> tuple[float, float]:
    """The cut with the best F1, mean over the judges and smoothed over its neighbours, and that figure."""
    everybody = list(lists)
    means = [fmean(one.f1(cut, repositories) for one in everybody) for cut in CUTS]
    smooth = [fmean(means[max(0, at - SMOOTHED) : at + SMOOTHED + 1]) for at in range(len(means))]
    return CUTS[smooth.index(max(smooth))], max(smooth)


def best_single(reviews: Sequence[Review], repositories: Sequence[str]) -> tuple[str, float]:
    """The tool with the best F1 there, known only afterwards."""
    sums: dict[str, Counts] = {}
    for review in reviews:
        if review.repository in repositories:
            for tool, one in review.singles.items():
                sums[tool] = sums.get(tool, Counts()) + one
    return max(((tool, one.f1) for tool, one in sums.items()), key=lambda pair: pair[1])


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    judge: str
    chosen_on: str
    cut: float
    measured_on: str
    single: str
    single_f1: float
    k: int
    naive_f1: float
    ours_f1: float
    precision: float
    recall: float


def row(judge: str, choice: Choice, on: Sequence[str], lists: Contestants) -> Row:
    """Our figure, and that of the naive lists, as chosen elsewhere, beside the best single tool."""
    mine = lists.mine[choice.setting][judge]
    total = mine.total(choice.cut, on)
    tool, single = best_single(mine.reviews, on)
    return Row(
        judge=judge,
        chosen_on=choice.on,
        cut=choice.cut,
        measured_on="+".join(on),
        single=tool,
        single_f1=single,
        k=choice.k,
        naive_f1=fmean(plain[judge].f1(choice.k, on) for plain in lists.plain),
        ours_f1=total.f1,
        precision=total.tp / max(1, total.tp + total.fp),
        recall=total.tp / max(1, total.tp + total.fn),
    )


def repositories_of(judged: Judged) -> list[str]:
    """Every repository that occurs, by name."""
    return sorted({one.repository for reviews in judged.values() for one in reviews})


def rotated(judged: Judged, settings: Sequence[Setting]) -> Iterator[Row]:
    """Chosen on each repository in turn, measured on each of the others and on all of the others together."""
    lists = Contestants.of(judged, settings)
    names = repositories_of(judged)
    for name in names:
        others = [other for other in names if other != name]
        choice = lists.choose([name])
        for on in [*([other] for other in others), *([others] if len(others) > 1 else [])]:
            for judge in judged:
                yield row(judge, choice, on, lists)


def held_back(judged: Judged, kept: Judged, settings: Sequence[Setting]) -> Iterator[Row]:
    """Chosen on all that is known, measured on what was kept back."""
    choice = Contestants.of(judged, settings).choose(repositories_of(judged))
    lists = Contestants.of(kept, settings)
    names = repositories_of(kept)
    for on in [*([name] for name in names), *([names] if len(names) > 1 else [])]:
        for judge in kept:
            yield row(judge, choice, on, lists)


def drawn(judged: Judged) -> Iterator[tuple[int, float, float]]:
    """Smaller panels: for each size, mean F1 of the best single of each drawn panel and of ours.

    Ours are chosen on each repository in turn and measured on the others; the single is the best one afterwards.
    """
    tools = sorted({said.tool for reviews in judged.values() for r in reviews for said in r.said})
    names = repositories_of(judged)
    for size in PANEL_SIZES:
        singles: list[float] = []
        figures: list[float] = []
        for seed in range(PANELS_DRAWN):
            panel = frozenset(Random(seed).sample(tools, size))
            mine = listed(
                {judge: _only(reviews, panel) for judge, reviews in judged.items()},
                partial(ours, setting=Setting()),
            )
            for name in names:
                others = [other for other in names if other != name] or [name]
                cut, _ = best_cut(mine.values(), [name])
                figures += [lists.f1(cut, others) for lists in mine.values()]
                singles += [best_single(lists.reviews, others)[1] for lists in mine.values()]
        yield size, fmean(singles), fmean(figures)


def _only(reviews: Iterable[Review], panel: frozenset[str]) -> tuple[Review, ...]:
    return tuple(
        replace(
            review,
            said=tuple(said for said in review.said if said.tool in panel),
            singles={tool: one for tool, one in review.singles.items() if tool in panel},
        )
        for review in reviews
    )


# ---- printed ------------------------------------------------------------------------------------


def table(rows: Sequence[Row]) -> str:
    """The rows, those over several repositories with their mean over judges and choices below."""
    head = (
        f"{'judge':14} {'cut chosen on':22} {'cut':>4}  {'measured on':26} {'best single':16} "
        f"{'k of n':>9} {'ours':>5} {'P':>5} {'R':>5}"
    )
    lines = [head, "-" * len(head)]
    lines += [
        f"{one.judge.split('_')[-1][:14]:14} {one.chosen_on[:22]:22} {one.cut:4.1f}  "
        f"{one.measured_on[:26]:26} {one.single_f1:.3f} {one.single[:10]:10} "
        f"{one.naive_f1:.3f} k={one.k} {one.ours_f1:.3f} {one.precision:.3f} {one.recall:.3f}"
        for one in rows
    ]
    widest = max(one.measured_on.count("+") for one in rows)
    over_all = [one for one in rows if one.measured_on.count("+") == widest]
    lines += ["-" * len(head)]
    for judge in dict.fromkeys(one.judge for one in over_all):
        lines.append(_mean(judge.split("_")[-1][:14], [o for o in over_all if o.judge == judge]))
    lines.append(_mean("all judges", over_all))
    return "\n".join(lines)


def _mean(name: str, rows: Sequence[Row]) -> str:
    return (
        f"{name:14} mean over the choices, all repositories that were not chosen on: "
        f"best single {fmean(one.single_f1 for one in rows):.3f}, "
        f"k of n {fmean(one.naive_f1 for one in rows):.3f}, "
        f"ours {fmean(one.ours_f1 for one in rows):.3f}"
    )


def main() -> int:
    """Print the table; with --json the rows."""
    parser = argparse.ArgumentParser(description="Recorded reviewers through merging and ranking.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--measure", type=Path, metavar="FOLDER", help="Kept back: measured only.")
    parser.add_argument("--panels", action="store_true", help="Also panels of 3, 5 and 8 tools.")
    parser.add_argument(
        "--weights",
        action="store_true",
        help="Choose the ranking's weights on the repository, too.",
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    judged = read(folder_of(options.data, "code-review-bench"))
    if not judged:
        parser.error(f"{options.data} holds no candidates_*.json; give a folder that does")
    kept = read(options.measure) if options.measure else None
    settings = MANY if options.weights else (Setting(),)
    rows = list(rotated(judged, settings) if kept is None else held_back(judged, kept, settings))
    print(json.dumps([asdict(one) for one in rows], indent=1) if options.json else table(rows))
    if options.panels:
        for size, single, mine in drawn(judged):
            print(f"panels of {size}: best single {single:.3f}, ours {mine:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
