"""Columns line up, also with wide characters."""

from dataclasses import replace

import pytest
from rich.cells import cell_len

from orchestrator.core.lines import plain
from orchestrator.presentation.listings import RunList, decisions, runs
from orchestrator.presentation.tables import table
from tests.support.reports import make_decision, make_report


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


HEADS = ("run", "status", "started", "title")
ROW = ("r8scdny4cn", "completed", "2026-11-23 00:32", "an inconvenient deserialisation of values")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_a_table_fits_its_room_and_breaks_no_word(width: int):
    lines = plain(table(HEADS, [ROW], width, spare=(2,))).splitlines()
    assert max(map(cell_len, lines)) <= width
    words = set(lines[1].replace("…", "").split())
    assert words <= {word for cell in ROW for word in cell.split()}
    assert "r8scdny4cn" in words


def test_a_column_that_can_be_spared_goes_when_narrow_words_are_not_enough():
    narrow, wide = (plain(table(HEADS, [ROW], width, spare=(2,))) for width in (50, 56))
    assert "started" not in narrow
    assert "started" in wide


def test_without_a_terminal_every_column_is_as_wide_as_it_takes():
    assert plain(table(HEADS, [ROW])).splitlines()[1].split("  ") == list(ROW)


RUNS = [
    replace(make_report().run, id="r8scdny4cn", title="a change of the configuration's values")
] * 2


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_lists_fit_a_terminal(width: int):
    waiting = [replace(make_decision(), run_id="r8scdny4cn", title="staged changes of the shop")]
    for lines in (runs(RunList(RUNS), width=width), decisions(waiting, width=width)[:2]):
        texts = plain(lines).splitlines()
        assert max(map(cell_len, texts)) <= width
        assert all("r8scdny4cn" in text for text in texts[1:])
