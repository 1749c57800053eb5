"""Bars and columns as inline SVG: no script, no style of their own, every text escaped."""

from __future__ import annotations

from orchestrator.core.pictures import Bar, Bars, Columns
from orchestrator.presentation.formats.html_text import attribute, text

_WIDTH, _LEFT, _RIGHT, _ROW, _BAR = 480.0, 150.0, 60.0, 22.0, 14.0
_LONGEST = 22
_BROAD, _HIGH, _FOOT, _HEAD, _MOST_NAMES = 960.0, 170.0, 24.0, 22.0, 10


def bars(shown: Bars) -> str:
    """A row for each bar: its name, its length, its figure. A reader who does not see it hears all of them."""
    if not shown.bars:
        return ""
    most = max(bar.value for bar in shown.bars) or 1.0
    rows = []
    for number, bar in enumerate(shown.bars):
        top, length = number * _ROW, (_WIDTH - _LEFT - _RIGHT) * bar.value / most
        middle = top + _ROW / 2 + 4
        name = bar.name if len(bar.name) <= _LONGEST else f"{bar.name[: _LONGEST - 1]}…"
        rows.append(
            f"<g><title>{text(bar.name)}: {text(bar.text)}</title>"
            f'<text class="bar-name" x="{_LEFT - 8:g}" y="{middle:g}">{text(name)}</text>'
            f'<rect x="{_LEFT:g}" y="{top + (_ROW - _BAR) / 2:g}" width="{length:.1f}" height="{_BAR:g}"/>'
            f'<text x="{_LEFT + length + 6:.1f}" y="{middle:g}">{text(bar.text)}</text></g>'
        )
    description = "; ".join(f"{bar.name} {bar.text}" for bar in shown.bars)
    label = attribute("aria-label", f"{shown.name}: {description}")
    size = f'viewBox="0 0 {_WIDTH:g} {len(shown.bars) * _ROW:g}"'
    return f'<svg class="bars" role="img" {size}{label}>{"".join(rows)}</svg>'


def columns(shown: Columns) -> str:
    """A column for each figure, the names of some of them below, and the highest figure as a line."""
    if not shown.columns:
        return ""
    most = max(column.value for column in shown.columns)
    step = _BROAD / len(shown.columns)
    every = -(-len(shown.columns) // _MOST_NAMES)
    parts = [
        _column(column, number * step, step, most or 1.0, named=number % every == 0)
        for number, column in enumerate(shown.columns)
    ]
    highest = next(column.text for column in shown.columns if column.value == most)
    description = "; ".join(
        f"{column.name} {column.text}" for column in shown.columns if column.value
    )
    label = attribute("aria-label", f"{shown.name}: {description or highest}")
    size = f'viewBox="0 0 {_BROAD:g} {_HEAD + _HIGH + _FOOT:g}"'
    line = f'<line class="tick" x1="0" x2="{_BROAD:g}" y1="{_HEAD:g}" y2="{_HEAD:g}"/>'
    name = f'<text class="tick-name most" x="0" y="{_HEAD - 6:g}">{text(highest)}</text>'
    return f'<svg class="columns" role="img" {size}{label}>{line}{name}{"".join(parts)}</svg>'


def _column(column: Bar, left: float, step: float, most: float, *, named: bool) -> str:
    height = _HIGH * column.value / most
    bottom = _HEAD + _HIGH
    gap = min(step * 0.3, 12.0)
    name = (
        f'<text class="tick-name" x="{left + step / 2:.1f}" y="{bottom + 16:g}">{text(column.name)}</text>'
        if named
        else ""
    )
    return (
        f"<g><title>{text(column.name)}: {text(column.text)}</title>"
        f'<rect class="reach" x="{left:.1f}" y="{_HEAD:g}" width="{step:.1f}" height="{_HIGH:g}"/>'
        f'<rect x="{left + gap / 2:.1f}" y="{bottom - height:.1f}" width="{step - gap:.1f}" '
        f'height="{height:.1f}" rx="2"/>{name}</g>'
    )
