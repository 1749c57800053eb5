"""The lens of severity and risk: values, what they contradict, how they move, and early-warning scores."""

from __future__ import annotations

from collections.abc import Callable

from shared.models.case import LensPoint, LensResult
from shared.models.notices import Notice, notice
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.chart import load_chart
from workers.tools.clinical.dates import ambiguous_dates
from workers.tools.clinical.languages import LANGUAGES
from workers.tools.clinical.points import once_each
from workers.tools.clinical.risk_scores import chart_scores
from workers.tools.clinical.trends import worsening_trends
from workers.tools.clinical.value_checks import (
    abnormal_values,
    critical_values,
    crossed_pressures,
    doubtful_units,
    impossible_values,
    unreadable_units,
    values_restated_differently,
)
from workers.tools.clinical.value_relations import index_against_weight, weights_in_two_units
from workers.tools.clinical.value_words import words_against_values
from workers.tools.clinical.values import ValueView
from workers.tools.registry import ToolContext

CHECKS: tuple[Callable[[ValueView], list[LensPoint]], ...] = (
    impossible_values,
    crossed_pressures,
    values_restated_differently,
    weights_in_two_units,
    index_against_weight,
    words_against_values,
    doubtful_units,
    unreadable_units,
    critical_values,
    worsening_trends,
    abnormal_values,
)
"""In the order of their weight. Add a check here (docs/design/case-numbers.md)."""
_MOST_DATES = 5


def run(inputs: LensInput, context: ToolContext) -> LensResult:
    """Every check once, the gravest points first; in another language than English and Korean it abstains."""
    if inputs.chart.language not in LANGUAGES:
        return LensResult(
            abstains=(notice("lens_values_no_language", language=inputs.chart.language),),
            looked=False,
        )
    view = ValueView(load_chart(context, inputs.subject), inputs)
    if not view.values:
        abstains = (notice("lens_no_values"), *_ambiguous(view))
        points = weights_in_two_units(view)
        return LensResult(points=tuple(points), abstains=abstains, looked=bool(points))
    scores, risks = chart_scores(view)
    points = once_each((raised for check in CHECKS for raised in check(view)), 1) + risks
    points.sort(key=lambda raised: (raised.severity.rank, raised.spans[0].start))
    return LensResult(points=tuple(points), scores=scores, abstains=_ambiguous(view))


def _ambiguous(view: ValueView) -> tuple[Notice, ...]:
    """Dates that could be read in two ways, once each."""
    dates = dict.fromkeys(
        view.chart.text[written.start : written.end] for written in ambiguous_dates(view.chart)
    )
    return (notice("lens_ambiguous_dates", dates=tuple(dates)[:_MOST_DATES]),) if dates else ()
