"""Checks of values by themselves: what cannot be, what cannot be read, what is outside its range."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from shared.models.case import LensPoint, Measurement, PatientFacts
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from workers.tools.clinical.measurements import quantity_of_measurement, written_units
from workers.tools.clinical.points import point
from workers.tools.clinical.quantities import Quantity
from workers.tools.clinical.units import UNITS, convert
from workers.tools.clinical.values import (
    ValueView,
    is_critical,
    quantity_notice,
    side_of_range,
    value_notice,
)

CATEGORY = "values"
_MOST_POINTS = 20
_MOST_LISTED = 12
_UNIT_NAMES = frozenset(unit.name for unit in UNITS)
_CONCENTRATIONS = frozenset(
    unit.name
    for unit in UNITS
    if unit.dimension in {"mass", "amount", "charge", "activity", "cells", "pressure"}
)
"""Units that stand beside a ratio or a score by mistake only."""
_SYMBOL = 2
"""Letters of a name up to which a strange unit more likely means that the letters named something else."""
_SAME_TEMPERATURE = 0.3
"""Kelvin by which two roundings of one temperature may differ."""
_SLIP = 1.0
_MOST_BREATHS = 100.0
_SAME_WEIGHT = 0.03
_ROUNDED = 0.06
"""Shares of a value by which two roundings of it may differ."""
_LEFT_OUT = {
    (True, False): Severity.CRITICAL,
    (True, True): Severity.MAJOR,
    (False, False): Severity.MAJOR,
    (False, True): Severity.MINOR,
}
"""How grave a critical value is that nothing is done about: by whether there is a plan, and a vital sign."""


def impossible_values(view: ValueView) -> list[LensPoint]:
    """Values outside what can exist in a living patient: slips of the pen, whatever the patient has."""
    points = []
    for value in view.values:
        quantity = quantity_of_measurement(value)
        if quantity is None or value.value is None:
            continue
        low, high = _possible_limits(quantity, view.patient)
        if not low <= value.value <= high:
            message = notice(
                "lens_impossible_value",
                value=value_notice(value),
                low=low,
                high=high,
                unit=value.unit or "",
            )
            points.append(
                point("impossible_value", Severity.MAJOR, message, [value.span], category=CATEGORY)
            )
    return points[:_MOST_POINTS]


def _possible_limits(quantity: Quantity, patient: PatientFacts) -> tuple[float, float]:
    """Those of the table; nobody but an infant breathes more than a hundred times a minute."""
    low, high = quantity.possible
    grown = patient.age_years is not None and patient.age_years >= 1
    return (low, _MOST_BREATHS) if grown and quantity.name == "respiratory_rate" else (low, high)


def crossed_pressures(view: ValueView) -> list[LensPoint]:
    """A diastolic pressure that is not below the systolic one it is written with."""
    points = []
    for systolic, diastolic in _pairs(view, "systolic_pressure", "diastolic_pressure"):
        if (
            systolic.value is not None
            and diastolic.value is not None
            and diastolic.value >= systolic.value > 0
        ):
            message = notice(
                "lens_crossed_pressures", systolic=systolic.value, diastolic=diastolic.value
            )
            points.append(
                point(
                    "crossed_pressures",
                    Severity.MAJOR,
                    message,
                    [systolic.span, diastolic.span],
                    category=CATEGORY,
                )
            )
    return points[:_MOST_POINTS]


def values_restated_differently(view: ValueView) -> list[LensPoint]:
    """One value in two units that are not the same value: "39.9 C (100.6 F)"."""
    points = []
    for first, second in pairwise(view.values):
        if (
            first.name != second.name
            or not _restates(view, first, second)
            or not _differ(first, second)
        ):
            continue
        gap = abs((first.value or 0) - (second.value or 0))
        grave = first.name != "temperature" or gap >= _SLIP
        message = notice(
            "lens_restated_differently",
            quantity=quantity_notice(first.name),
            first=first.span.text,
            second=second.span.text,
        )
        severity = Severity.MAJOR if grave else Severity.MINOR
        spans = [first.span, second.span]
        points.append(point("restated_differently", severity, message, spans, category=CATEGORY))
    return points[:_MOST_POINTS]


def unreadable_units(view: ValueView) -> list[LensPoint]:
    """Values whose unit cannot measure their quantity, or that have none and could be in several."""
    return [
        raised for value in view.values for raised in (*_unreadable(value), *_beside_a_ratio(value))
    ][:_MOST_POINTS]


def _beside_a_ratio(value: Measurement) -> Iterator[LensPoint]:
    quantity = quantity_of_measurement(value)
    if quantity and not quantity.unit and value.unit in _CONCENTRATIONS:
        message = notice(
            "lens_unit_of_ratio", quantity=quantity_notice(value.name), unit=value.unit
        )
        yield point("wrong_unit", Severity.MINOR, message, [value.span], category=CATEGORY)


def _unreadable(value: Measurement) -> Iterator[LensPoint]:
    quantity = quantity_of_measurement(value)
    if quantity is None or value.value is not None:
        return
    name = value.span.text.split(" ", 1)[0].strip(":=")
    if value.unit in _UNIT_NAMES and len(name) > _SYMBOL:
        message = notice(
            "lens_wrong_unit",
            quantity=quantity_notice(value.name),
            unit=value.unit,
            usual=quantity.unit,
        )
        yield point("wrong_unit", Severity.MINOR, message, [value.span], category=CATEGORY)
    elif value.unit is None and not written_units(value):
        message = notice(
            "lens_missing_unit",
            quantity=quantity_notice(value.name),
            units=quantity.usual_units or quantity.all_units,
        )
        yield point("missing_unit", Severity.INFO, message, [value.span], category=CATEGORY)


def doubtful_units(view: ValueView) -> list[LensPoint]:
    """Values that are critical in the unit that is written, and within the range in another of the quantity's."""
    points = []
    for value in view.values:
        quantity = quantity_of_measurement(value)
        if quantity is None or not is_critical(value, view.patient):
            continue
        for unit in quantity.units:
            if unit in _written(value) and _ordinary_number(value, quantity, unit):
                message = notice(
                    "lens_doubtful_unit",
                    value=value_notice(value),
                    written=unit,
                    usual=quantity.unit,
                )
                points.append(
                    point("doubtful_unit", Severity.MINOR, message, [value.span], category=CATEGORY)
                )
    return points[:_MOST_POINTS]


def _ordinary_number(value: Measurement, quantity: Quantity, unit: str) -> bool:
    """Whether the number as it is written would be within the range, were it in the quantity's own unit."""
    if value.value is None or (value.low is None and value.high is None):
        return False
    number = convert(value.value, quantity.unit, unit, quantity.substance)
    if number is None or f"{number:.4g}" not in value.span.text:
        return False
    return (value.low or 0.0) <= number <= (value.high or float("inf"))


def _written(value: Measurement) -> str:
    return value.span.text.replace("µ", "u").replace("μ", "u")


def critical_values(view: ValueView) -> list[LensPoint]:
    """Values at or beyond their critical limits, each quantity once.

    One of this visit that the assessment and plan do not take up is grave, and so is one of a chart without a plan
    that says nothing of what was done about it; what is taken up, or over, is a risk factor.
    """
    points: dict[str, LensPoint] = {}
    for value in view.values:
        source = is_critical(value, view.patient)
        if not source or not _possible(value):
            continue
        raised = _critical(view, value, source)
        known = points.get(value.name)
        if known is None or raised.severity.rank < known.severity.rank:
            points[value.name] = raised
    return list(points.values())


def _critical(view: ValueView, value: Measurement, source: str) -> LensPoint:
    quantity = quantity_of_measurement(value)
    left_out = view.is_current(value) and not _over(view, value) and not view.is_taken_up(value)
    if not left_out:
        code, severity = "lens_critical_value", Severity.INFO
    else:
        code = "lens_critical_value_open" if view.plan else "lens_critical_value_unplanned"
        severity = _LEFT_OUT[bool(view.plan), bool(quantity and quantity.vital)]
    return point(
        "critical_value",
        severity,
        notice(code, value=value_notice(value)),
        [value.span],
        category="risk",
        citation=source,
        advice=notice("lens_advice_address_value") if left_out else None,
    )


def _over(view: ValueView, value: Measurement) -> bool:
    """Whether a later value of a quantity, by its date, is not critical any more."""
    return bool(value.date) and any(
        later.name == value.name
        and (later.date or "") > (value.date or "")
        and later.value is not None
        and not is_critical(later, view.patient)
        for later in view.values
    )


def abnormal_values(view: ValueView) -> list[LensPoint]:
    """One point for all values that are outside their ranges and not critical: risk factors, not errors."""
    outside: dict[tuple[str, float | None], Measurement] = {}
    for value in view.values:
        if _abnormal(view, value):
            outside.setdefault((value.name, value.value), value)
    listed = list(outside.values())[:_MOST_LISTED]
    if not listed:
        return []
    return [
        point(
            "value_out_of_range",
            Severity.INFO,
            notice("lens_abnormal_values", values=[_abnormal_notice(value) for value in listed]),
            [value.span for value in listed],
            category="risk",
            citation="; ".join(dict.fromkeys(value.range_source for value in listed)),
        )
    ]


def _abnormal(view: ValueView, value: Measurement) -> bool:
    return bool(side_of_range(value) and _possible(value) and not is_critical(value, view.patient))


def _abnormal_notice(value: Measurement) -> Notice:
    code = "lens_value_below" if side_of_range(value) < 0 else "lens_value_above"
    return notice(code, value=value_notice(value), range=_range_text(value))


def _range_text(value: Measurement) -> str:
    if value.low is None:
        return f"<= {value.high:g}"
    return f">= {value.low:g}" if value.high is None else f"{value.low:g}-{value.high:g}"


def _possible(value: Measurement) -> bool:
    quantity = quantity_of_measurement(value)
    return (
        quantity is not None
        and value.value is not None
        and quantity.possible[0] <= value.value <= quantity.possible[1]
    )


def _pairs(view: ValueView, first: str, second: str) -> Iterator[tuple[Measurement, Measurement]]:
    """Values that stand next to one another in the text, the first of the one quantity, the second of the other."""
    for i, value in enumerate(view.values[:-1]):
        after = view.values[i + 1]
        if (value.name, after.name) == (first, second):
            yield value, after


def _restates(view: ValueView, first: Measurement, second: Measurement) -> bool:
    """Whether the second stands in a parenthesis right after the first, and both say their unit."""
    between = view.chart.text[first.span.end : second.span.start]
    joined = between.strip() in ("(", "/") and len(between) <= len(" ( ")
    return joined and written_units(first) != written_units(second)


def _differ(first: Measurement, second: Measurement) -> bool:
    if first.value is None or second.value is None:
        return False
    share = _SAME_WEIGHT if first.name in ("weight", "height") else _ROUNDED
    allowed = _SAME_TEMPERATURE if first.name == "temperature" else share * first.value
    return abs(first.value - second.value) > allowed
