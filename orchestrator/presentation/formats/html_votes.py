"""Who held which position in which round, as inline SVG: a lane a position, a line a voter, bold where it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len

from orchestrator.core.pictures import VoterPath, VotesOverRounds
from orchestrator.presentation.formats.html_text import attribute, text
from orchestrator.presentation.wrapping import cropped, head

_LEFT, _STEP, _TOP = 186.0, 96.0, 34.0
_ROW, _LANE_PADDING, _DOT = 24.0, 10.0, 10.0
_LETTERS, _MOST_LINES, _LINE = 26, 3, 15.0
_COLOURS = 5
_LONGEST = 24
"""How many cells of a voter's name are shown."""
_CELL, _NARROWEST = 7.6, 60.0


@dataclass(frozen=True)
class _Dot:
    """Where a voter stands in a round, and in which lane."""

    x: float
    y: float
    lane: int


def votes(shown: VotesOverRounds) -> str:
    """The picture. A screen reader gets the name; the table below it has the facts."""
    if not shown.positions or not shown.voters:
        return ""
    heights = [_height(shown, lane) for lane in range(len(shown.positions))]
    tops = [_TOP + sum(heights[:lane]) for lane in range(len(heights))]
    right = _LEFT + _STEP * len(shown.rounds)
    parts = (
        *(_lane(shown.positions[n], tops[n], heights[n], right) for n in range(len(heights))),
        *(_round(number, name) for number, name in enumerate(shown.rounds)),
        *_lines(shown, tops, heights),
    )
    size = f'viewBox="0 0 {right + _names(shown):g} {_TOP + sum(heights) + 4:g}"'
    label = attribute("aria-label", shown.name)
    return f'<svg class="votes" role="img" {size}{label}>{"".join(parts)}</svg>'


def _names(shown: VotesOverRounds) -> float:
    """The room that names take beside the last round, in which the longest one ends within the picture."""
    longest = max(cell_len(_short(voter.name)) for voter in shown.voters)
    return max(_DOT + 6 + longest * _CELL - _STEP / 2, _NARROWEST)


def _short(name: str) -> str:
    return name if cell_len(name) <= _LONGEST else f"{cropped(name, _LONGEST - 1)}…"


def _together(shown: VotesOverRounds, lane: int, number: int) -> list[int]:
    """The voters of a lane in a round."""
    return [n for n, voter in enumerate(shown.voters) if voter.held[number] == lane]


def _most(shown: VotesOverRounds, lane: int) -> int:
    return max(
        (len(_together(shown, lane, number)) for number in range(len(shown.rounds))), default=0
    )


def _height(shown: VotesOverRounds, lane: int) -> float:
    named = len(_name_lines(shown.positions[lane])) * _LINE
    return max(_most(shown, lane) * _ROW, named) + 2 * _LANE_PADDING


def _name_lines(name: str) -> Sequence[str]:
    return head(name, _LETTERS, _MOST_LINES)


def _lane(name: str, top: float, height: float, right: float) -> str:
    lines = _name_lines(name)
    first = top + height / 2 - (len(lines) - 1) * _LINE / 2 + 4
    spans = "".join(
        f'<tspan x="0" y="{first + number * _LINE:.1f}">{text(row)}</tspan>'
        for number, row in enumerate(lines)
    )
    return (
        f'<g class="lane"><title>{text(name)}</title><rect x="{_LEFT - 8:g}" y="{top + 2:g}" '
        f'width="{right - _LEFT + 16:g}" height="{height - 4:g}" rx="6"/><text>{spans}</text></g>'
    )


def _round(number: int, name: str) -> str:
    return f'<text class="round" x="{_x(number):g}" y="{_TOP - 14:g}">{text(name)}</text>'


def _x(number: int) -> float:
    return _LEFT + _STEP * (number + 0.5)


def _lines(
    shown: VotesOverRounds, tops: Sequence[float], heights: Sequence[float]
) -> Iterator[str]:
    """The voters' lines first, then their dots, which no line may cover."""
    dots = [_dots(shown, voter, tops, heights) for voter in range(len(shown.voters))]
    for number, voter in enumerate(shown.voters):
        yield _line(number, voter, dots[number], shown)
    for number, voter in enumerate(shown.voters):
        yield _marks(number, voter, dots[number])


def _dots(
    shown: VotesOverRounds, voter: int, tops: Sequence[float], heights: Sequence[float]
) -> list[_Dot]:
    dots = []
    for number, lane in enumerate(shown.voters[voter].held):
        if lane is not None:
            here = _together(shown, lane, number)
            middle = tops[lane] + heights[lane] / 2
            y = middle + (here.index(voter) - (len(here) - 1) / 2) * _ROW
            dots.append(_Dot(_x(number), y, lane))
    return dots


def _line(number: int, voter: VoterPath, dots: Sequence[_Dot], shown: VotesOverRounds) -> str:
    parts = []
    for before, after in pairwise(dots):
        half = (before.x + after.x) / 2
        bends = f"{half:.1f} {before.y:.1f} {half:.1f} {after.y:.1f}"
        path = f"M{before.x:.1f} {before.y:.1f}C{bends} {after.x:.1f} {after.y:.1f}"
        kind = "kept" if before.lane == after.lane else "changed"
        names = dict.fromkeys((shown.positions[before.lane], shown.positions[after.lane]))
        title = f"<title>{text(voter.name)}: {text(' → '.join(names))}</title>"
        parts.append(f'<path class="{kind}" d="{path}">{title}</path>')
    return f'<g class="voter voter-{number % _COLOURS + 1}">{"".join(parts)}</g>'


def _marks(number: int, voter: VoterPath, dots: Sequence[_Dot]) -> str:
    circles = "".join(
        f'<circle cx="{dot.x:.1f}" cy="{dot.y:.1f}" r="{_DOT:g}"/>'
        f'<text class="initial" x="{dot.x:.1f}" y="{dot.y + 4:.1f}">{text(voter.name[:1].upper())}</text>'
        for dot in dots
    )
    if not dots:
        return ""
    last = f'<text x="{dots[-1].x + _DOT + 6:.1f}" y="{dots[-1].y + 4:.1f}">{text(_short(voter.name))}</text>'
    return f'<g class="voter voter-{number % _COLOURS + 1}">{circles}{last}</g>'
