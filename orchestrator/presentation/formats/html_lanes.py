"""Who did what when, as inline SVG: a lane each, what its time went to by colour and by pattern, idle time folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from orchestrator.core.pictures import AxisMark, Lanes, Spell, TimeLane
from orchestrator.presentation.formats.html_text import attribute, text

_WIDTH, _LEFT, _RIGHT, _TOP = 960.0, 136.0, 16.0, 26.0
_ROW, _BAR, _GAP, _MOST_ROWS = 18.0, 13.0, 8.0, 8
_LONGEST = 18
_LEAST = 1.5
"""No spell is drawn narrower: what was short was there all the same."""


def lanes(shown: Lanes) -> str:
    """The lanes below an axis, and what the colours mean. A screen reader gets the name; the table has the facts."""
    if not any(lane.spells for lane in shown.lanes):
        return ""
    top, drawn = _TOP, []
    for lane in shown.lanes:
        rows = _rows(lane.spells)
        height = (max(rows, default=0) + 1) * _ROW + _GAP
        drawn.append(_lane(lane, rows, top, height))
        top += height
    size = f'viewBox="0 0 {_WIDTH:g} {top + 4:g}"'
    label = attribute("aria-label", shown.name)
    axis = "".join((*(_mark(mark, top) for mark in shown.marks), *_folds(shown.folds, top)))
    legend = "".join(
        f'<li><span class="swatch {text(kind)}"></span>{text(word)}</li>'
        for kind, word in shown.kinds
    )
    return (
        f'<ul class="legend">{legend}</ul>'
        f'<svg class="lanes" role="img" {size}{label}>{axis}{"".join(drawn)}</svg>'
    )


def _rows(spells: Sequence[Spell]) -> list[int]:
    """In which row of its lane each spell stands, so that none covers another."""
    ends: list[float] = []
    rows: list[int] = []
    for spell in spells:
        free = next((row for row, end in enumerate(ends) if spell.begin >= end), None)
        if free is None and len(ends) < _MOST_ROWS:
            free = len(ends)
            ends.append(0.0)
        row = free if free is not None else len(ends) - 1
        ends[row] = max(ends[row], spell.end)
        rows.append(row)
    return rows


def _x(share: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share


def _lane(lane: TimeLane, rows: Sequence[int], top: float, height: float) -> str:
    name = lane.name if len(lane.name) <= _LONGEST else f"{lane.name[: _LONGEST - 1]}…"
    spells = "".join(
        _spell(spell, top + _GAP / 2 + row * _ROW)
        for spell, row in zip(lane.spells, rows, strict=True)
    )
    return (
        f'<g class="lane"><title>{text(lane.name)}</title>'
        f'<rect class="ground" x="{_LEFT:g}" y="{top + 1:g}" width="{_WIDTH - _LEFT - _RIGHT:g}" '
        f'height="{height - 2:g}" rx="4"/>'
        f'<text class="lane-name" x="{_LEFT - 10:g}" y="{top + height / 2 + 4:g}">{text(name)}</text>'
        f"{spells}</g>"
    )


def _spell(spell: Spell, y: float) -> str:
    begin = _x(spell.begin)
    width = max(_x(spell.end) - begin, _LEAST)
    return (
        f'<rect class="{text(spell.kind)}" x="{begin:.1f}" y="{y + (_ROW - _BAR) / 2:.1f}" '
        f'width="{width:.1f}" height="{_BAR:g}" rx="2"><title>{text(spell.text)}</title></rect>'
    )


def _mark(mark: AxisMark, bottom: float) -> str:
    x = _x(mark.share)
    return (
        f'<line class="tick" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6:g}" y2="{bottom:g}"/>'
        f'<text class="tick-name" x="{x:.1f}" y="{_TOP - 11:g}">{text(mark.text)}</text>'
    )


def _folds(folds: Iterable[AxisMark], bottom: float) -> Iterable[str]:
    for fold in folds:
        x = _x(fold.share)
        yield (
            f'<g class="fold"><title>{text(fold.text)}</title>'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6:g}" y2="{bottom:g}"/>'
            f'<text class="tick-name" x="{x:.1f}" y="{_TOP - 11:g}">⋯</text></g>'
        )
