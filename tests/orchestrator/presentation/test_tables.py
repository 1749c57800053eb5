"""Columns line up, also with wide characters."""

from rich.cells import cell_len

from orchestrator.core.document import plain
from orchestrator.presentation.tables import table


def test_columns_line_up_with_korean_and_emoji():
    lines = plain(table(("name", "x"), [("클로드", "1"), ("ruff ✋", "2")])).splitlines()
    starts = {cell_len(one[: -len(one.split()[-1])]) for one in lines}
    assert len(starts) == 1


def test_a_cell_that_is_too_wide_is_cut_and_says_so():
    (_, row) = plain(table(("title",), [("가" * 100,)])).splitlines()
    assert row.endswith("…")
    assert cell_len(row) <= 60


def test_a_cell_cannot_break_its_row():
    assert len(plain(table(("a", "b"), [("x\ny\x1b[2J", "z")])).splitlines()) == 2
