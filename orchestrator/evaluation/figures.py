"""The figures of an evaluation: precision, recall, cost per true finding, ..., and panels side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.evaluation.calibration import Reliability, reliability
from orchestrator.evaluation.intervals import Bounds, Tally, bootstrap, summed, wilson
from orchestrator.evaluation.scoring import ScoredCase, SpentOnCase
from shared.models.wire import Wire

# The columns of a case's tally.
_TRUE, _RAISED, _EXPECTED, _CLEAN, _LEFT_ALONE, _COST, _GRADED, _SAME_GRADE, _LOST = range(9)


def _share(part: int, whole: int) -> Callable[[Tally], float | None]:
    return lambda total: total[part] / total[whole] if total[whole] else None


def _recall_of_all(total: Tally) -> float | None:
    labelled = total[_EXPECTED] + total[_LOST]
    return total[_TRUE] / labelled if labelled else None


def _f1(total: Tally) -> float | None:
    both = total[_RAISED] + total[_EXPECTED]
    return 2 * total[_TRUE] / both if both else None


@dataclass(frozen=True)
class FigureRule:
    """A figure of a tally; a share of counts says which, so that its interval is known where no draw differs.

    `counts`: the column of the part, and those whose sum is the whole.
    """

    name: str
    of: Callable[[Tally], float | None]
    counts: tuple[int, tuple[int, ...]] | None = None


FIGURES = (
    FigureRule("precision", _share(_TRUE, _RAISED), (_TRUE, (_RAISED,))),
    FigureRule("recall", _share(_TRUE, _EXPECTED), (_TRUE, (_EXPECTED,))),
    FigureRule("recall_of_all", _recall_of_all, (_TRUE, (_EXPECTED, _LOST))),
    FigureRule("f1", _f1),
    FigureRule("left_alone", _share(_LEFT_ALONE, _CLEAN), (_LEFT_ALONE, (_CLEAN,))),
    FigureRule("same_severity", _share(_SAME_GRADE, _GRADED), (_SAME_GRADE, (_GRADED,))),
    FigureRule("cost_per_true_usd", _share(_COST, _TRUE)),
)
"""What is reported of a panel and of each participant."""
COMPARED = ("precision", "recall", "f1", "left_alone", "cost_per_true_usd")


class EvalFigure(Wire):
    """A figure with its 95 % interval. None: there is nothing to measure it by."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class EvalCounts(Wire):
    """What the figures are made of. `repeats` are among the findings raised, and true ones are not among them."""

    cases: int
    clean: int
    expected: int
    raised: int
    true: int
    repeats: int
    missed: int
    cost_usd: float | None
    calls: int
    unknown_costs: int
    unanswered: int
    """Labels of cases that failed or were not answered: nobody found them, and nobody was measured by them."""


class ScoreSheet(Wire):
    """The counts and figures of a panel, or of one participant."""

    name: str
    counts: EvalCounts
    figures: dict[str, EvalFigure]


class FigureDifference(Wire):
    """The second panel's figure less the first one's on the cases that both have; `sure`: its interval is without 0."""

    figure: str
    first: float | None
    second: float | None
    difference: EvalFigure
    sure: bool


def sheet(
    name: str,
    cases: Sequence[ScoredCase],
    lost: Sequence[int],
    seed: int,
    participant: str | None = None,
) -> ScoreSheet:
    """The figures of these cases: the panel's, or what one participant raised and cost.

    `lost` has for each case that was not answered how many labels it has.
    """
    own = cases if participant is None else [case.of(participant) for case in cases]
    spent = [_spent(case, participant) for case in own]
    tallies = [_tally(case, cost) for case, cost in zip(own, spent, strict=True)]
    tallies += [_nothing(labels) for labels in lost]
    counts = _counts(own, spent, sum(lost))
    return ScoreSheet(name=name, counts=counts, figures=_figures(tallies, counts, seed))


def _figures(tallies: Sequence[Tally], counts: EvalCounts, seed: int) -> dict[str, EvalFigure]:
    if not tallies:
        return {rule.name: EvalFigure() for rule in FIGURES}
    total = summed(tallies)
    drawn = bootstrap(tallies, [rule.of for rule in FIGURES], seed)
    figures = {
        rule.name: _figure(rule.of(total), _widened(bounds, rule, total))
        for rule, bounds in zip(FIGURES, drawn, strict=True)
    }
    if counts.cost_usd is None:
        figures["cost_per_true_usd"] = EvalFigure()
    return figures


def _widened(bounds: Bounds | None, rule: FigureRule, total: Tally) -> Bounds | None:
    """Where every draw says the same (all found, none found), the bootstrap knows no doubt: Wilson's does."""
    if rule.counts is None or (bounds is not None and bounds.low < bounds.high):
        return bounds
    part, whole = rule.counts
    return wilson(total[part], sum(total[column] for column in whole))


def _figure(value: float | None, bounds: Bounds | None) -> EvalFigure:
    if value is None:
        return EvalFigure()
    low, high = (None, None) if bounds is None else (bounds.low, bounds.high)
    return EvalFigure(value=value, low=low, high=high)


def _tally(case: ScoredCase, spent: SpentOnCase) -> Tally:
    graded = [c for c in case.findings if c.true and _label_severity(case, c.label) is not None]
    same = sum(c.judged.finding.severity is _label_severity(case, c.label) for c in graded)
    return (
        case.true,
        len(case.findings),
        len(case.expected),
        case.clean,
        case.clean and not case.findings,
        spent.cost_usd or 0.0,
        len(graded),
        same,
        0,
    )


def _nothing(labels: int) -> Tally:
    """What a case adds that nobody answered."""
    return (*(0.0 for _ in range(_LOST)), labels)


def _label_severity(case: ScoredCase, label: int | None) -> object:
    return None if label is None else case.expected[label].severity


def _spent(case: ScoredCase, participant: str | None) -> SpentOnCase:
    rows = case.outcome.spent
    if participant is not None:
        return rows.get(participant, SpentOnCase(0, 0.0, 0))
    known = [row.cost_usd for row in rows.values() if row.cost_usd is not None]
    calls, unknown = (sum(r.calls for r in rows.values()), sum(r.unknown for r in rows.values()))
    return SpentOnCase(calls, sum(known) if known or not calls else None, unknown)


_COUNTED: Mapping[str, Callable[[ScoredCase], int]] = {
    "clean": lambda case: int(case.clean),
    "expected": lambda case: len(case.expected),
    "raised": lambda case: len(case.findings),
    "true": lambda case: case.true,
    "repeats": lambda case: case.repeats,
    "missed": lambda case: len(case.missed),
}


def _counts(
    cases: Sequence[ScoredCase], spent: Sequence[SpentOnCase], unanswered: int
) -> EvalCounts:
    known = [row.cost_usd for row in spent if row.cost_usd is not None]
    return EvalCounts(
        cases=len(cases),
        **{name: sum(map(count, cases)) for name, count in _COUNTED.items()},
        cost_usd=sum(known) if known or not spent else None,
        calls=sum(row.calls for row in spent),
        unknown_costs=sum(row.unknown for row in spent),
        unanswered=unanswered,
    )


# ---- calibration --------------------------------------------------------------------------------


def by_likelihood(cases: Sequence[ScoredCase]) -> Reliability:
    """What the ranking takes for likely, against what was true."""
    return reliability([(c.judged.likelihood, c.true) for case in cases for c in case.findings])


def by_confidence(cases: Sequence[ScoredCase], participant: str | None = None) -> Reliability:
    """The confidence that participants state (one of them, or all), against what was true."""
    return reliability(
        [
            (confidence, counted.true)
            for case in cases
            for counted in case.findings
            for name, confidence in counted.judged.stated.items()
            if participant in (None, name)
        ]
    )


# ---- two panels ---------------------------------------------------------------------------------


def differences(
    first: Mapping[str, ScoredCase], second: Mapping[str, ScoredCase], seed: int
) -> tuple[FigureDifference, ...]:
    """The paired differences over the cases that both measured: a draw takes a case for both or for neither."""
    common = [name for name in first if name in second]
    if not common:
        return ()
    pairs = [_paired(first[name], second[name]) for name in common]
    total, rules = summed(pairs), _comparable(_priced((first, second), common))
    drawn = bootstrap(pairs, [_difference(rule) for rule in rules], seed)
    return tuple(_compared(rule, total, bounds) for rule, bounds in zip(rules, drawn, strict=True))


def _comparable(priced: bool) -> list[FigureRule]:
    """The figures that panels are compared by; costs only where all are known."""
    names = [name for name in COMPARED if priced or name != "cost_per_true_usd"]
    return [rule for rule in FIGURES if rule.name in names]


def _paired(first: ScoredCase, second: ScoredCase) -> Tally:
    return (*_tally(first, _spent(first, None)), *_tally(second, _spent(second, None)))


def _priced(sides: Sequence[Mapping[str, ScoredCase]], common: Sequence[str]) -> bool:
    """Whether no call of either side has an unknown price: a sum with gaps is not comparable."""
    return all(not _spent(side[name], None).unknown for side in sides for name in common)


def _difference(rule: FigureRule) -> Callable[[Tally], float | None]:
    def difference(total: Tally) -> float | None:
        half = len(total) // 2
        first, second = rule.of(total[:half]), rule.of(total[half:])
        return None if first is None or second is None else second - first

    return difference


def _compared(rule: FigureRule, total: Tally, bounds: Bounds | None) -> FigureDifference:
    half = len(total) // 2
    return FigureDifference(
        figure=rule.name,
        first=rule.of(total[:half]),
        second=rule.of(total[half:]),
        difference=_figure(_difference(rule)(total), bounds),
        sure=bounds is not None and (bounds.low > 0 or bounds.high < 0),
    )
