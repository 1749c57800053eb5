"""Repeated values of one quantity: rising, falling, crossing their range."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from shared.models.case import LensPoint, Measurement
from shared.models.findings import Severity
from shared.models.notices import notice
from workers.tools.clinical.points import point
from workers.tools.clinical.values import (
    ValueView,
    distance,
    is_critical,
    quantity_notice,
    side_of_range,
)

_CHAIN = 14
"""Characters between values of one chain ("5.9 -> 4.1", "from 1.2 to 1.9") at most."""
_WORSE = 1 / 3
"""Widths of the range by which a value must have moved away from it to be a trend that worsens."""
_MOST_POINTS = 10
_MOST_SHOWN = 8


@dataclass(frozen=True)
class Trend:
    """Values of one quantity in the order of time. `rising` and `falling` are strict from each to the next.

    `worsens`: the last is outside the range, and further from it than the first by a third of its width.
    """

    values: tuple[Measurement, ...]

    @property
    def numbers(self) -> tuple[float, ...]:
        """The values in the quantity's unit."""
        return tuple(value.value for value in self.values if value.value is not None)

    @property
    def rising(self) -> bool:
        """Each is above the one before."""
        return all(a < b for a, b in zip(self.numbers, self.numbers[1:], strict=False))

    @property
    def falling(self) -> bool:
        """Each is below the one before."""
        return all(a > b for a, b in zip(self.numbers, self.numbers[1:], strict=False))

    @property
    def worsens(self) -> bool:
        """Away from the range."""
        return bool(side_of_range(self.values[-1])) and (
            distance(self.values[-1]) - distance(self.values[0]) >= _WORSE
        )


def find_trends(values: tuple[Measurement, ...]) -> tuple[Trend, ...]:
    """Those whose order in time is sure: every value has its own date, or they are written as one chain."""
    by_name: dict[str, list[Measurement]] = defaultdict(list)
    for value in values:
        if value.value is not None:
            by_name[value.name].append(value)
    return tuple(
        Trend(tuple(series))
        for repeated in by_name.values()
        for series in (_dated(repeated) or _longest_chain(repeated),)
        if len(series) > 1 and len({value.value for value in series}) > 1
    )


def worsening_trends(view: ValueView) -> list[LensPoint]:
    """Values that move away from their range.

    Minor where an assessment and plan exist and do not take the quantity up, otherwise a risk factor. One that ends at
    a critical value is told as that.
    """
    trends = find_trends(view.values)
    worse = [
        trend
        for trend in trends
        if trend.worsens
        and (trend.rising or trend.falling)
        and not is_critical(trend.values[-1], view.patient)
    ]
    return [_point(view, trend) for trend in worse[:_MOST_POINTS]]


def _point(view: ValueView, trend: Trend) -> LensPoint:
    last = trend.values[-1]
    message = notice(
        "lens_trend_rising" if trend.rising else "lens_trend_falling",
        quantity=quantity_notice(last.name),
        values=[f"{number:g}" for number in trend.numbers[-_MOST_SHOWN:]],
        unit=last.unit or "",
    )
    return point(
        "worsening_trend",
        Severity.MINOR if view.plan and not view.addressed(last.name) else Severity.INFO,
        message,
        [value.span for value in trend.values[-_MOST_SHOWN:]],
        category="risk",
        citation=last.range_source,
    )


def _dated(values: list[Measurement]) -> list[Measurement]:
    """In the order of their dates, if each has another one."""
    dates = {value.date for value in values}
    if None in dates or len(dates) < len(values):
        return []
    return sorted(values, key=lambda value: value.date or "")


def _longest_chain(values: list[Measurement]) -> list[Measurement]:
    chains: list[list[Measurement]] = []
    for value in values:
        if chains and 0 < value.span.start - chains[-1][-1].span.end <= _CHAIN:
            chains[-1].append(value)
        else:
            chains.append([value])
    return max(chains, key=len)
