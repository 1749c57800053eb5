"""Columns that stand under one another, also with Korean and emoji, in the room that there is."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.cells import cell_len

from orchestrator.core.lines import Line, Span, Style, clean, line
from orchestrator.presentation.wrapping import cropped, filled

WIDEST = 60
LEAST = 12
GAP = "  "

Row = Sequence[str]


def table(
    heads: Row,
    rows: Sequence[Row],
    width: int | None = None,
    *,
    texts: Collection[int] = (),
    spare: Sequence[int] = (),
    least: int = LEAST,
) -> list[Line]:
    """A head and its rows, each column as wide as its widest cell but at most `WIDEST`.

    To fit into `width` cells (None: as many as it takes), columns become narrower that hold `texts` (none named: the
    last one), the widest first and none below `least`; then those in `spare` are left out, the first one first. Columns
    go by their number.
    """
    cells = [[clean(cell) for cell in row] for row in [heads, *rows]]
    shrinking = frozenset(texts or (len(heads) - 1,))
    kept, widths = _layout(cells, shrinking, spare, width, least)
    lines = []
    for number, row in enumerate(cells):
        padded = [_fitted(row[n], widths[at], n == kept[-1]) for at, n in enumerate(kept)]
        text = GAP.join(padded).rstrip()
        lines.append(line(Span(text, Style.STRONG if number == 0 else Style.PLAIN)))
    return lines


def _layout(
    cells: Sequence[Row],
    shrinking: Collection[int],
    spare: Sequence[int],
    width: int | None,
    least: int,
) -> tuple[list[int], list[int]]:
    """The columns that are kept, and how wide each is."""
    kept, left = list(range(len(cells[0]))), list(spare)
    widths = _widths(cells, kept, shrinking, width, least)
    while left and width is not None and _room(widths) > width:
        kept.remove(left.pop(0))
        widths = _widths(cells, kept, shrinking, width, least if left else LEAST)
    return kept, widths


def _widths(
    cells: Sequence[Row],
    kept: Sequence[int],
    shrinking: Collection[int],
    width: int | None,
    least: int,
) -> list[int]:
    """Of each column as much as it takes, less where those that may shrink are too wide together."""
    widths = [min(max(cell_len(row[n]) for row in cells), WIDEST) for n in kept]
    while width is not None and _room(widths) > width:
        wide = [at for at, n in enumerate(kept) if n in shrinking and widths[at] > least]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _room(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _fitted(cell: str, width: int, last: bool) -> str:
    """The cell, shortened between words."""
    if cell_len(cell) > width:
        piece = cropped(cell, width - 1)
        whole = piece.rpartition(" ")[0] if cell[len(piece) : len(piece) + 1] != " " else piece
        cell = f"{(whole or piece).rstrip()}…"
    return cell if last else filled(cell, width)
