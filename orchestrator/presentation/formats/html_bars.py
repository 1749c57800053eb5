"""Bars as inline SVG: no script, no style of their own, every text escaped."""

from __future__ import annotations

from orchestrator.core.pictures import Bars
from orchestrator.presentation.formats.html_text import attribute, text

_WIDTH, _LEFT, _RIGHT, _ROW, _BAR = 480.0, 150.0, 60.0, 22.0, 14.0
_LONGEST = 22


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
    told = "; ".join(f"{bar.name} {bar.text}" for bar in shown.bars)
    label = attribute("aria-label", f"{shown.name}: {told}")
    size = f'viewBox="0 0 {_WIDTH:g} {len(shown.bars) * _ROW:g}"'
    return f'<svg class="bars" role="img" {size}{label}>{"".join(rows)}</svg>'
