"""What of a case can be drawn: the chart with its highlighted places, events in time, values beside their ranges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import groupby

from orchestrator.core.document import Drawing, Grid
from orchestrator.core.pictures import (
    AnnotatedText,
    Chronology,
    DrawnEvent,
    DrawnValue,
    Highlight,
    Plots,
    RangePlot,
    Tick,
)
from orchestrator.core.views.context import shortened
from orchestrator.workflows.case.names import CaseView, quantity
from orchestrator.workflows.case.result import CaseResult
from shared.models.case import CHART, ChartSpan, Measurement, TimelineEvent
from shared.patterns import regex

MOST_PLOTS = 24
_ISO = regex(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2}):(\d{2}))?)?)?", 0)
_LEAST = (0, 1, 1, 0, 0)
_BEFORE = ((1.0, "day"), (7.0, "week"), (30.0, "month"), (365.0, "year"), (3650.0, "decade"))
_SHORT = 120


def place(span: ChartSpan) -> str:
    """`chart:12`, `similar/2:3`"""
    return f"{span.source}:{span.line}"


def places(spans: Iterable[ChartSpan]) -> str:
    """Where they stand, each line once."""
    return ", ".join(dict.fromkeys(map(place, spans)))


def chart(view: CaseView, result: CaseResult) -> AnnotatedText:
    """The chart with the places of the points."""
    highlights = tuple(
        Highlight(span.start, span.end, entry.finding, entry.severity)
        for entry in result.critique
        for span in entry.spans
        if span.source == CHART
    )
    return AnnotatedText(view.message("case_chart"), CHART, result.text, highlights)


# ---- events -------------------------------------------------------------------------------------


def timeline(view: CaseView, events: Sequence[TimelineEvent]) -> Drawing:
    """Events in the order of the timeline; the picture has those whose day is known."""
    visit = _visit_day(events)
    days = [_event_day(event, visit) for event in events]
    drawn = tuple(
        DrawnEvent(
            number,
            day,
            _kind(view, event),
            ": ".join(filter(None, (_when(view, event), _what(event)))),
            event.span.line,
        )
        for number, (event, day) in enumerate(zip(events, days, strict=True), 1)
        if day is not None
    )
    rows = tuple(
        (str(n), _when(view, event), _kind(view, event), _what(event), place(event.span))
        for n, event in enumerate(events, 1)
    )
    heads = _heads(view, "number", "when", "kind", "event", "where")
    name = view.message("case_timeline_name", n=len(drawn))
    return Drawing(Chronology(name, drawn, _ticks(view, drawn, events)), Grid(heads, rows))


def _what(event: TimelineEvent) -> str:
    return shortened(event.text or event.span.text, _SHORT)


def _kind(view: CaseView, event: TimelineEvent) -> str:
    return view.word(f"case_event_{event.kind}", event.kind)


def _when(view: CaseView, event: TimelineEvent) -> str:
    if event.date is not None:
        return event.date.replace("T", " ")
    offset = event.offset_days
    if offset is None:
        return ""
    side = "before" if offset < 0 else "after"
    return (
        view.message(f"case_days_{side}", days=f"{abs(offset):g}")
        if offset
        else view.message("case_event_visit")
    )


def _visit_day(events: Iterable[TimelineEvent]) -> float | None:
    """The day that relative times count from; any day where the chart has no dates at all."""
    dated = [event for event in events if event.date is not None]
    if not dated:
        return 0.0
    visits = (event for event in dated if event.kind in ("visit", "admission"))
    return next((day for event in visits if (day := day_of(event.date)) is not None), None)


def _event_day(event: TimelineEvent, visit: float | None) -> float | None:
    if event.date is not None:
        return day_of(event.date)
    if event.offset_days is None or visit is None or not math.isfinite(event.offset_days):
        return None
    return visit + event.offset_days


def day_of(moment: str | None) -> float | None:
    """A day's number from an ISO date as far as it is known; None for what is no date."""
    match = _ISO.fullmatch(moment or "")
    if match is None:
        return None
    year, month, day, hour, minute = (
        int(part or least) for part, least in zip(match.groups(), _LEAST, strict=True)
    )
    try:
        return date(year, month, day).toordinal() + hour / 24 + minute / 1440
    except ValueError:
        return None


def _ticks(
    view: CaseView, drawn: Sequence[DrawnEvent], events: Sequence[TimelineEvent]
) -> tuple[Tick, ...]:
    """The last and the first day, then whole spans of time before the last."""
    if not drawn:
        return ()
    first, last = (pick(drawn, key=lambda event: event.day) for pick in (min, max))
    ends = {event.day: _when(view, events[event.number - 1]) for event in (last, first)}
    steps = [
        Tick(last.day - days, view.message(f"case_before_{name}"))
        for days, name in _BEFORE
        if days < last.day - first.day
    ]
    return (*(Tick(day, text) for day, text in ends.items()), *reversed(steps))


# ---- values -------------------------------------------------------------------------------------


def values(view: CaseView, measurements: Sequence[Measurement]) -> Drawing:
    """All measured values; plots of those outside their range first, then of those that were measured most often."""
    ordered = sorted(measurements, key=lambda each: (each.name, each.unit or ""))
    groups = [
        tuple(group) for _, group in groupby(ordered, key=lambda each: (each.name, each.unit or ""))
    ]
    plots = [_plot(view, group) for group in groups]
    wanted = sorted(plots, key=lambda plot: (not _any_outside(plot), -len(plot.values), plot.name))
    rows = tuple(
        (
            quantity(view, each.name),
            each.span.text,
            _range_text(view, each),
            _judged(view, each),
            each.date or "",
            place(each.span),
        )
        for each in sorted(measurements, key=lambda each: each.span.start)
    )
    heads = _heads(view, "quantity", "value", "range", "judged", "when", "where")
    shown = tuple(plot for plot in wanted if plot.values)[:MOST_PLOTS]
    return Drawing(Plots(shown), Grid(heads, rows))


def outside(measurement: Measurement) -> str | None:
    """`low` or `high` of its reference range; None within it, or where that is not known."""
    value = measurement.value
    if value is None:
        return None
    if measurement.low is not None and value < measurement.low:
        return "low"
    return "high" if measurement.high is not None and value > measurement.high else None


def _judged(view: CaseView, measurement: Measurement) -> str:
    side = outside(measurement)
    return "" if side is None else view.message(f"case_{side}")


def _any_outside(plot: RangePlot) -> bool:
    return any(value.outside for value in plot.values)


def _plot(view: CaseView, group: Sequence[Measurement]) -> RangePlot:
    """Values in the order of their days where all have one, else as they stand in the chart."""
    known = [each for each in group if each.value is not None and math.isfinite(each.value)]
    if all(day_of(each.date) is not None for each in known):
        known.sort(key=lambda each: day_of(each.date) or 0.0)
    last = known[-1] if known else group[-1]
    return RangePlot(
        quantity(view, last.name),
        last.unit or "",
        tuple(map(_drawn, known)),
        last.low,
        last.high,
        _range_text(view, last),
    )


def _drawn(measurement: Measurement) -> DrawnValue:
    return DrawnValue(
        measurement.value or 0.0,
        f"{round(measurement.value or 0.0, 2):g} {measurement.unit or ''}".strip(),
        measurement.span.line,
        day_of(measurement.date),
        measurement.date or "",
        outside(measurement) is not None,
    )


def _range_text(view: CaseView, measurement: Measurement) -> str:
    """`3.5 to 5.1 mmol/L`; one bound where the range is open."""
    low, high, unit = measurement.low, measurement.high, measurement.unit or ""
    if low is None and high is None:
        return ""
    if low is None or high is None:
        side = "below" if low is None else "above"
        return view.message(
            f"case_range_{side}", bound=f"{high if low is None else low:g}", unit=unit
        )
    return view.message("case_range", low=f"{low:g}", high=f"{high:g}", unit=unit)


def _heads(view: CaseView, *names: str) -> tuple[str, ...]:
    return tuple(view.message(f"case_head_{name}") for name in names)
