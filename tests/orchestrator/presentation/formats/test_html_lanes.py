"""Lanes and columns as SVG: nothing covers another, what is short is seen, and every text is text."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from orchestrator.core.document import Drawing, Grid
from orchestrator.core.pictures import AxisMark, Bar, Columns, Lanes, Spell, TimeLane
from orchestrator.presentation.formats.html import drawing, fragment
from orchestrator.presentation.formats.html_bars import columns
from orchestrator.presentation.formats.html_lanes import lanes
from orchestrator.presentation.locale.translator import ENGLISH

HOSTILE = "<script>alert(1)</script>\"'>&"


def shown(*spells: Spell, name: str = "ada") -> Lanes:
    return Lanes(
        "Who did what",
        (TimeLane(name, spells),),
        (AxisMark(0.5, "30 s"),),
        (),
        (("model", "at work"),),
    )


def rows_of(markup: str) -> list[tuple[float, float, float]]:
    """Left, width and top of each spell."""
    svg = ElementTree.fromstring(markup[markup.index("<svg") :])
    return [
        (float(rect.get("x") or 0), float(rect.get("width") or 0), float(rect.get("y") or 0))
        for rect in svg.iter("rect")
        if rect.get("class") == "model"
    ]


def test_spells_that_overlap_stand_below_one_another() -> None:
    first, second, third = rows_of(
        lanes(
            shown(
                Spell(0.0, 0.5, "model", "a"),
                Spell(0.2, 0.6, "model", "b"),
                Spell(0.5, 0.9, "model", "c"),
            )
        )
    )

    assert first[2] == third[2] != second[2]


def test_a_moment_is_wide_enough_to_be_seen() -> None:
    [(_, width, _)] = rows_of(lanes(shown(Spell(0.3, 0.3, "model", "a"))))

    assert width > 1


def test_a_lane_has_a_bounded_number_of_rows() -> None:
    spells = [Spell(0.0, 1.0, "model", str(n)) for n in range(100)]

    assert len({top for *_, top in rows_of(lanes(shown(*spells)))}) == 8


@pytest.mark.parametrize("texts", [{"name": HOSTILE}, {"name": "\x1b[31m"}], ids=str)
def test_names_and_texts_are_text(texts: dict[str, str]) -> None:
    markup = lanes(shown(Spell(0.0, 0.5, "model", HOSTILE), **texts))

    assert "<script" not in markup
    assert "\x1b" not in markup
    ElementTree.fromstring(markup[markup.index("<svg") :])


def test_without_a_spell_there_is_no_picture() -> None:
    assert lanes(shown()) == ""


def test_columns_stand_on_one_line_and_the_highest_reaches_the_top() -> None:
    markup = columns(
        Columns("Costs", (Bar("1", 1.0, "$1"), Bar("2", 0.0, "-"), Bar("3", 4.0, "$4")))
    )
    svg = ElementTree.fromstring(markup)
    bars = [rect for rect in svg.iter("rect") if rect.get("class") is None]
    heights = [float(bar.get("height") or 0) for bar in bars]

    assert heights[2] == max(heights) == 4 * heights[0]
    assert heights[1] == 0
    assert len({float(bar.get("y") or 0) + float(bar.get("height") or 0) for bar in bars}) == 1
    assert svg.get("aria-label") == "Costs: 1 $1; 3 $4"


@pytest.mark.parametrize("values", [(), (0.0, 0.0)], ids=["none", "only-zeros"])
def test_columns_of_nothing_divide_by_nothing(values: tuple[float, ...]) -> None:
    markup = columns(Columns("Costs", tuple(Bar("1", value, "$0") for value in values)))

    assert ("<svg" in markup) == bool(values)


def test_a_picture_on_a_page_has_its_table_folded_below() -> None:
    shown_drawing = Drawing(
        Columns("Costs", (Bar("1", 1.0, "$1"),)), Grid(("day", "cost"), (("1", HOSTILE),))
    )
    markup = drawing(shown_drawing, ENGLISH)

    assert re.search(
        r"<svg.*</svg>.*<details.*<summary>As a table</summary>.*<table>", markup, re.S
    )
    assert "<script" not in markup
    assert fragment([shown_drawing], ENGLISH).count("<svg") == 1
