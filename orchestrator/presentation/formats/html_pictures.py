"""Pictures of a document as inline SVG: no script, no style of their own, every text escaped.

A screen reader gets a picture's name and what it shows in one sentence; the table below it has the facts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from orchestrator.core.pictures import Chronology, DrawnEvent, DrawnValue, Plots, RangePlot, Tick
from orchestrator.presentation.formats.html_text import attribute, text

_WIDTH, _LEFT, _RIGHT = 720.0, 120.0, 24.0
_DOT, _ROW, _MOST_ROWS, _AXIS = 9.0, 22.0, 5, 30.0
_LINEAR_DAYS = 62.0
"""Up to two months an axis has even steps; a longer history would press its last days into one point."""
_LETTER = 7.2
"""How wide a letter of 12 pixels is on average; Korean ones are twice as wide."""
_PLOT_WIDTH, _PLOT_HEIGHT, _EDGE, _LABELS = 232.0, 92.0, 14.0, 48.0


def chronology(shown: Chronology) -> str:
    """Events as numbered dots in lanes; a long history has its last days spread out."""
    if not shown.events:
        return ""
    place = _axis([event.day for event in shown.events])
    parts: list[str] = []
    top = 8.0
    for lane in dict.fromkeys(event.lane for event in shown.events):
        events = sorted((e for e in shown.events if e.lane == lane), key=lambda e: e.day)
        rows = _rows([place(event.day) for event in events])
        height = (max(rows) + 1) * _ROW + 6
        parts.append(_lane(lane, top, height))
        parts += (
            _dot(event, place(event.day), top + 3 + (row + 0.5) * _ROW)
            for event, row in zip(events, rows, strict=True)
        )
        top += height
    size = f'viewBox="0 0 {_WIDTH:g} {top + _AXIS:g}"'
    label = attribute("aria-label", shown.name)
    drawn = "".join((_ticks(shown.ticks, place, top), *parts))  # dots cover the lines of days
    return f'<svg class="chronology" role="img" {size}{label}>{drawn}</svg>'


def _axis(days: Sequence[float]) -> Callable[[float], float]:
    """Where a day stands: even steps, or, for a long history, by the logarithm of the time to its end."""
    first, last = min(days), max(days)
    room, reach = _WIDTH - _LEFT - _RIGHT, last - first

    def place(day: float) -> float:
        before = min(max(last - day, 0.0), reach)
        if reach == 0:
            return _LEFT + room / 2
        share = before / reach if reach <= _LINEAR_DAYS else math.log1p(before) / math.log1p(reach)
        return _LEFT + room * (1 - share)

    return place


def _rows(places: Iterable[float]) -> list[int]:
    """In which row of its lane each dot stands, so that dots do not cover one another."""
    ends: list[float] = []
    rows: list[int] = []
    for place in places:
        free = next((row for row, end in enumerate(ends) if place - end >= 2 * _DOT), None)
        row = len(ends) if free is None else free
        if free is not None:
            ends[row] = place
        elif row < _MOST_ROWS:
            ends.append(place)
        rows.append(min(row, _MOST_ROWS - 1))
    return rows


def _lane(name: str, top: float, height: float) -> str:
    middle = top + height / 2
    end = _WIDTH - _RIGHT / 2
    return (
        f'<line class="lane" x1="{_LEFT - 8:g}" x2="{end:g}" y1="{middle:g}" y2="{middle:g}"/>'
        f'<text class="lane-name" x="0" y="{middle + 4:g}">{text(name)}</text>'
    )


def _dot(event: DrawnEvent, x: float, y: float) -> str:
    title = f"<title>{text(event.text)}</title>"
    circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_DOT:g}"/>'
    number = f'<text x="{x:.1f}" y="{y + 3.5:.1f}">{event.number}</text>'
    return f'<g class="event">{title}{circle}{number}</g>'


def _ticks(ticks: Iterable[Tick], place: Callable[[float], float], top: float) -> str:
    """The names of days, the first ones before those that would cover them."""
    taken: list[tuple[float, float]] = []
    parts: list[str] = []
    for tick in ticks:
        x, half = place(tick.day), _width(tick.text) / 2
        centre = min(max(x, half), _WIDTH - half)
        if any(centre - half < end + 8 and centre + half > begin - 8 for begin, end in taken):
            continue
        taken.append((centre - half, centre + half))
        parts.append(
            f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{top + 4:g}"/>'
            f'<text class="tick-name" x="{centre:.1f}" y="{top + 20:g}">{text(tick.text)}</text>'
        )
    return "".join(parts)


def _width(content: str) -> float:
    return sum(_LETTER if ord(letter) < 0x1100 else 2 * _LETTER for letter in content)


# ---- values beside their ranges -----------------------------------------------------------------


def plots(shown: Plots) -> str:
    """Small plots side by side, each with its name, its last value and its range."""
    figures = "".join(map(_figure, shown.plots))
    return f'<div class="plots">{figures}</div>' if figures else ""


def _figure(plot: RangePlot) -> str:
    if not plot.values:
        return ""
    last = plot.values[-1]
    state = ' class="out"' if last.outside else ""
    caption = (
        f"<figcaption><strong>{text(plot.name)}</strong> "
        f"<span{state}>{text(last.text)}</span>"
        f"<small>{text(plot.range_text)}</small></figcaption>"
    )
    return f"<figure>{caption}{_plot(plot)}</figure>"


def _plot(plot: RangePlot) -> str:
    height = _scale(plot)
    places = _places(plot.values)
    points = [(x, height(value.value)) for x, value in zip(places, plot.values, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    description = "; ".join(" ".join((value.text, value.when)).strip() for value in plot.values)
    label = attribute("aria-label", f"{plot.name}: {description}. {plot.range_text}")
    parts = [
        _band(plot, height),
        f'<polyline points="{line}"/>' if len(points) > 1 else "",
        *(_point(value, x, y, plot) for value, (x, y) in zip(plot.values, points, strict=True)),
    ]
    size = f'viewBox="0 0 {_PLOT_WIDTH:g} {_PLOT_HEIGHT:g}"'
    return f'<svg class="plot" role="img" {size}{label}>{"".join(parts)}</svg>'


def _scale(plot: RangePlot) -> Callable[[float], float]:
    """How high a value stands: the values and the range fill the plot."""
    shown = [value.value for value in plot.values]
    shown += [bound for bound in (plot.low, plot.high) if bound is not None]
    low, high = min(shown), max(shown)
    reach = (high - low) or abs(high) or 1.0

    def height(value: float) -> float:
        share = 0.5 if high == low else (value - low) / reach
        return _PLOT_HEIGHT - _EDGE - share * (_PLOT_HEIGHT - 2 * _EDGE)

    return height


def _places(values: Sequence[DrawnValue]) -> list[float]:
    """Where values stand: by their days where all have one, else one after another."""
    begin, end = _EDGE, _PLOT_WIDTH - _LABELS - _EDGE
    days = [value.day for value in values if value.day is not None]
    dated = len(days) == len(values) and max(days) > min(days)
    steps = days if dated else list(map(float, range(len(values))))
    reach = max(steps) - min(steps)
    if not reach:
        return [(begin + end) / 2 for _ in values]
    return [begin + (end - begin) * (step - min(steps)) / reach for step in steps]


def _band(plot: RangePlot, height: Callable[[float], float]) -> str:
    """The reference range; one that is open on a side reaches the edge."""
    if plot.low is None and plot.high is None:
        return ""
    top = 0.0 if plot.high is None else height(plot.high)
    bottom = _PLOT_HEIGHT if plot.low is None else height(plot.low)
    width, labels = _PLOT_WIDTH - _LABELS, _PLOT_WIDTH - _LABELS + 6
    names = "".join(
        f'<text class="bound" x="{labels:g}" y="{height(bound) + 4:.1f}">{bound:g}</text>'
        for bound in (plot.low, plot.high)
        if bound is not None
    )
    return (
        f'<rect class="range" x="0" y="{top:.1f}" width="{width:g}" '
        f'height="{max(bottom - top, 1):.1f}"/>{names}'
    )


def _point(value: DrawnValue, x: float, y: float, plot: RangePlot) -> str:
    """A dot within the range, a triangle outside it: the colour alone says nothing."""
    title = f"<title>{text(' '.join((value.text, value.when)).strip())}</title>"
    if not value.outside:
        return f'<g class="in">{title}<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/></g>'
    turn = 5 if plot.low is not None and value.value < plot.low else -5
    corners = f"{x:.1f},{y + turn:.1f} {x - 5.5:.1f},{y - turn:.1f} {x + 5.5:.1f},{y - turn:.1f}"
    return f'<g class="out">{title}<polygon points="{corners}"/></g>'
