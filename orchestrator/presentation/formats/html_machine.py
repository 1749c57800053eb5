"""A machine of states as inline SVG: every state at its place, faint what leads on, bold and numbered what was taken.

Ways run between the columns; those that pass a column keep to the gaps between its rows, so no state is crossed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import NamedTuple

from orchestrator.core.pictures import Machine, MachineEdge, MachineState
from orchestrator.presentation.formats.html_text import attribute, text

_WIDTH, _HEIGHT, _GAP, _ROW_GAP = 118.0, 42.0, 66.0, 24.0
_EDGE, _TOP = 48.0, 40.0
_PORTS, _NEXT_PORT = 40.0, 19.0
"""How much of a state's side its ways may take, and how far apart they begin where there is room."""
_HEAD, _HALF_HEAD = 7.0, 4.0
_BADGE, _LETTER, _MOST_NUMBERS = 9.0, 6.4, 3
_ALONG = (0.5, 0.36, 0.64, 0.24, 0.76, 0.14, 0.86)
"""Where on its way a number may stand, the best place first."""


class _Point(NamedTuple):
    x: float
    y: float


class _Curve(NamedTuple):
    """A cubic Bezier curve."""

    begin: _Point
    first: _Point
    second: _Point
    end: _Point

    def at(self, share: float) -> _Point:
        """A point of it."""
        back = 1 - share
        weights = (back**3, 3 * back**2 * share, 3 * back * share**2, share**3)
        return _Point(
            sum(w * p.x for w, p in zip(weights, self, strict=True)),
            sum(w * p.y for w, p in zip(weights, self, strict=True)),
        )


@dataclass(frozen=True)
class _Way:
    """An edge as it runs: its curves, and the side (1 right, -1 left) of the state that it enters."""

    edge: MachineEdge
    curves: tuple[_Curve, ...]
    enters: int

    @property
    def middle(self) -> _Curve:
        """The curve on which its numbers stand."""
        return self.curves[len(self.curves) // 2]


class _Side(NamedTuple):
    """A side of a state: 1 is the right one."""

    state: int
    side: int


def machine(shown: Machine) -> str:
    """The picture. A screen reader gets the name; the table below has the way."""
    faint = [_way(shown, edge, 0.0, 0.0, 0.0) for edge in shown.edges if not edge.taken]
    taken = _taken_ways(shown)
    width = _EDGE * 2 + _WIDTH * len(shown.heads) + _GAP * (len(shown.heads) - 1)
    rows = max((state.row for state in shown.states), default=0) + 1
    height = _TOP + rows * (_HEIGHT + _ROW_GAP)
    parts = (
        *(_drawn(way, "faint") for way in faint),
        *(_drawn(way, "taken") for way in taken),
        *(_column(number, head) for number, head in enumerate(shown.heads)),
        *map(_state, shown.states),
        *_badges(taken),
    )
    label = attribute("aria-label", shown.name)
    size = f'viewBox="0 0 {width:g} {height:g}"'
    return f'<svg class="machine" role="img" {size}{label}>{"".join(parts)}</svg>'


# ---- places -------------------------------------------------------------------------------------


def _x(column: int) -> float:
    return _EDGE + column * (_WIDTH + _GAP)


def _y(row: int) -> float:
    """The middle of a row."""
    return _TOP + row * (_HEIGHT + _ROW_GAP) + _HEIGHT / 2


def _port(state: MachineState, side: int, offset: float) -> _Point:
    return _Point(_x(state.column) + (_WIDTH if side > 0 else 0.0), _y(state.row) + offset)


def _sides(source: MachineState, target: MachineState) -> tuple[int, int]:
    """By which side a way leaves its source and enters its target; within a column down is right, up is left."""
    if source.column != target.column:
        forward = 1 if target.column > source.column else -1
        return forward, -forward
    side = 1 if target.row >= source.row else -1
    return side, side


# ---- ways ---------------------------------------------------------------------------------------


def _taken_ways(shown: Machine) -> list[_Way]:
    """What was taken, each way with a place of its own at both ends and in the gap that it runs along."""
    edges = [edge for edge in shown.edges if edge.taken]
    ports = _ports(shown, edges)
    channels: Mapping[int, Iterator[int]] = defaultdict(count)
    ways = []
    for edge in edges:
        source, target = shown.states[edge.source], shown.states[edge.target]
        far = abs(source.column - target.column) > 1
        nth = next(channels[_channel(source, target)]) if far else 0
        leaves, enters = ports[edge.source, edge.target]
        ways.append(_way(shown, edge, leaves, enters, _beside(nth)))
    return ways


def _beside(nth: int) -> float:
    """0, 6, -6, 12, ... of the middle."""
    return (nth + 1) // 2 * (6.0 if nth % 2 else -6.0)


def _ports(
    shown: Machine, edges: Sequence[MachineEdge]
) -> Mapping[tuple[int, int], tuple[float, float]]:
    """How far from the middle of its side each way leaves and enters, so that they do not cross at once."""
    ends: dict[_Side, list[tuple[float, bool, tuple[int, int], int]]] = defaultdict(list)
    for edge in edges:
        source, target = shown.states[edge.source], shown.states[edge.target]
        leaves, enters = _sides(source, target)
        key = (edge.source, edge.target)
        back = (
            target.column < source.column
        )  # of two ways between the same states it is the lower one
        ends[_Side(edge.source, leaves)].append((_y(target.row), back, key, 0))
        ends[_Side(edge.target, enters)].append((_y(source.row), back, key, 1))
    offsets: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for side in ends.values():
        step = min(_NEXT_PORT, _PORTS / max(len(side) - 1, 1))
        for place, (_, _, key, end) in enumerate(sorted(side)):
            offsets[key][end] = (place - (len(side) - 1) / 2) * step
    return {key: (leaves, enters) for key, (leaves, enters) in offsets.items()}


def _way(shown: Machine, edge: MachineEdge, leaves: float, enters: float, channel: float) -> _Way:
    source, target = shown.states[edge.source], shown.states[edge.target]
    out, into = _sides(source, target)
    begin, tip = _port(source, out, leaves), _port(target, into, enters)
    end = _Point(tip.x + into * _HEAD, tip.y)
    if edge.source == edge.target:
        begin, end = begin._replace(y=begin.y - 8), end._replace(y=end.y + 8)
    if out == into:
        reach = min(24.0 + 5.0 * abs(target.row - source.row), _GAP / 2 - 4)
        bulge = _Curve(
            begin,
            begin._replace(x=begin.x + out * reach),
            end._replace(x=begin.x + out * reach),
            end,
        )
        return _Way(edge, (bulge,), into)
    stops = [begin, *_channel_stops(source, target, out, channel), end]
    return _Way(edge, tuple(_swung(*pair) for pair in pairwise(stops)), into)


def _channel(source: MachineState, target: MachineState) -> int:
    """The gap above the row of that number, by which a way passes columns."""
    below = target.row > source.row or source.row == 0
    return source.row + (1 if below else 0)


def _channel_stops(
    source: MachineState, target: MachineState, out: int, beside: float
) -> Iterable[_Point]:
    """Where a way that passes columns enters and leaves the gap between rows; none between neighbours."""
    if abs(source.column - target.column) == 1:
        return ()
    y = _y(_channel(source, target)) - (_HEIGHT + _ROW_GAP) / 2 + beside
    near, far = _x(source.column + out), _x(target.column - out)
    return (_Point(near, y), _Point(far + _WIDTH, y)) if out > 0 else (
        _Point(near + _WIDTH, y), _Point(far, y),
    )  # fmt: skip


def _swung(begin: _Point, end: _Point) -> _Curve:
    half = (begin.x + end.x) / 2
    return _Curve(begin, begin._replace(x=half), end._replace(x=half), end)


# ---- what is drawn ------------------------------------------------------------------------------


def _drawn(way: _Way, kind: str) -> str:
    begin = way.curves[0].begin
    path = f"M{begin.x:.1f} {begin.y:.1f}" + "".join(
        f"C{c.first.x:.1f} {c.first.y:.1f} {c.second.x:.1f} {c.second.y:.1f} {c.end.x:.1f} {c.end.y:.1f}"
        for c in way.curves
    )
    end = way.curves[-1].end
    tip = f"{end.x - way.enters * _HEAD:.1f},{end.y:.1f}"
    back = " ".join(f"{end.x:.1f},{end.y + half:.1f}" for half in (-_HALF_HEAD, _HALF_HEAD))
    return (
        f'<g class="{kind}"><title>{text(way.edge.text)}</title><path d="{path}"/>'
        f'<polygon points="{tip} {back}"/></g>'
    )


def _column(number: int, head: str) -> str:
    x = _x(number) + _WIDTH / 2
    return f'<text class="column" x="{x:g}" y="{_TOP - 20:g}">{text(head)}</text>'


def _state(state: MachineState) -> str:
    kind = "current" if state.current else "visited" if state.visited else "idle"
    x, y = _x(state.column), _y(state.row)
    return (
        f'<g class="state {kind}"><rect x="{x:g}" y="{y - _HEIGHT / 2:g}" width="{_WIDTH:g}" '
        f'height="{_HEIGHT:g}" rx="8"/><text x="{x + _WIDTH / 2:g}" y="{y + 4:g}">'
        f"{text(state.text)}</text></g>"
    )


def _badges(ways: Sequence[_Way]) -> Iterator[str]:
    """The numbers on the ways, beside one another where they would cover each other."""
    placed: list[tuple[_Point, float]] = []
    for way in ways:
        numbers, times = _numbers(way.edge.taken), ", ".join(map(str, way.edge.taken))
        half = max(_BADGE, (len(numbers) * _LETTER + 8) / 2)
        points = [way.middle.at(share) for share in _ALONG]
        free = (point for point in points if not _covers(point, half, placed))
        point = next(free, points[0])
        placed.append((point, half))
        yield (
            f'<g class="step"><title>{times}</title><rect x="{point.x - half:.1f}" y="{point.y - _BADGE:.1f}" '
            f'width="{2 * half:.1f}" height="{2 * _BADGE:g}" rx="{_BADGE:g}"/>'
            f'<text x="{point.x:.1f}" y="{point.y + 4:.1f}">{text(numbers)}</text></g>'
        )


def _numbers(taken: Sequence[int]) -> str:
    """`3, 5, 8`; of more the first two and the last."""
    if len(taken) <= _MOST_NUMBERS:
        return ", ".join(map(str, taken))
    return f"{taken[0]}, {taken[1]} … {taken[-1]}"


def _covers(point: _Point, half: float, placed: Iterable[tuple[_Point, float]]) -> bool:
    return any(
        abs(point.x - other.x) < half + wide + 1 and abs(point.y - other.y) < 2 * _BADGE + 1
        for other, wide in placed
    )
