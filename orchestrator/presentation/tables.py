"""Columns that stand under one another, also with Korean and emoji."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from orchestrator.core.document import Line, Span, Style, clean, line
from orchestrator.presentation.wrapping import cropped, filled

WIDEST = 60


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Line]:
    """A head and its rows, each column as wide as its widest cell but at most `WIDEST`."""
    cells = [[clean(cell) for cell in row] for row in [heads, *rows]]
    last = len(heads) - 1
    widths = [min(max(cell_len(row[n]) for row in cells), WIDEST) for n in range(len(heads))]
    lines = []
    for number, row in enumerate(cells):
        padded = [_fitted(cell, widths[n], n == last) for n, cell in enumerate(row)]
        text = "  ".join(padded).rstrip()
        lines.append(line(Span(text, Style.STRONG if number == 0 else Style.PLAIN)))
    return lines


def _fitted(cell: str, width: int, last: bool) -> str:
    if cell_len(cell) > width:
        return cropped(cell, width - 1) + "…"
    return cell if last else filled(cell, width)
