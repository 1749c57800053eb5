"""Checks of values against one another: a body mass index, a weight in two units."""

from __future__ import annotations

from itertools import islice

from shared.models.case import LensPoint, Measurement
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.points import point
from workers.tools.clinical.reading import NUMBER, read_number
from workers.tools.clinical.reference_ranges import WHO_BMI
from workers.tools.clinical.units import convert
from workers.tools.clinical.value_checks import CATEGORY
from workers.tools.clinical.values import ValueView, quantity_notice

_INDEX_OFF = 0.15
"""Share by which a stated index may differ from the computed one: clothes, shoes, and rounding."""
_WEIGHT_OFF = 0.05
_MOST = 500
_BOTH = regex(
    rf"(?<![\d.,/])(?P<first>{NUMBER}) ?(?P<unit>kg|lbs?|pounds?) ?[(/] ?(?P<second>{NUMBER}) ?"
    r"(?P<other>kg|lbs?|pounds?)\b"
    r"(?! ?\d| ?/)"
)


def index_against_weight(view: ValueView) -> list[LensPoint]:
    """A body mass index that is not the weight by the square of the height (WHO TRS 894)."""
    index, weight, height = (_only(view, name) for name in ("body_mass_index", "weight", "height"))
    if index is None or weight is None or height is None:
        return []
    if not (index.value and weight.value and height.value):
        return []
    computed = weight.value / (height.value / 100) ** 2
    if abs(computed - index.value) <= _INDEX_OFF * computed:
        return []
    message = notice("lens_index_against_weight", index=index.value, computed=f"{computed:.1f}")
    spans = [index.span, weight.span, height.span]
    return [
        point(
            "index_against_weight",
            Severity.MAJOR,
            message,
            spans,
            category=CATEGORY,
            citation=WHO_BMI,
        )
    ]


def _only(view: ValueView, name: str) -> Measurement | None:
    """The value of a quantity that the chart states once, or always the same."""
    values = [value for value in view.values if value.name == name and value.value is not None]
    numbers = [value.value or 0.0 for value in values]
    same = numbers and max(numbers) <= min(numbers) * (1 + _WEIGHT_OFF)
    return values[0] if same else None


def weights_in_two_units(view: ValueView) -> list[LensPoint]:
    """A weight, a gain or a loss in kilograms and pounds that are not the same, whatever names it."""
    measured = {value.span.start for value in view.values if value.name == "weight"}
    points = []
    for match in islice(_BOTH.finditer(view.chart.text), _MOST):
        units = [match["unit"][:2].replace("po", "lb"), match["other"][:2].replace("po", "lb")]
        first, second = read_number(match["first"]), read_number(match["second"])
        value = convert(first, units[0], units[1])
        inside = any(match.start() - 40 <= start <= match.start() for start in measured)
        if units[0] == units[1] or value is None or inside:
            continue
        if abs(value - second) > max(_WEIGHT_OFF * value, 1.0):
            message = notice(
                "lens_restated_differently",
                quantity=quantity_notice("weight"),
                first=f"{match['first']} {match['unit']}",
                second=f"{match['second']} {match['other']}",
            )
            span = view.chart.span(match.start(), match.end())
            points.append(
                point("restated_differently", Severity.MAJOR, message, [span], category=CATEGORY)
            )
    return points
