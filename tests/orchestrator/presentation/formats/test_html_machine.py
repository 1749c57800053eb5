"""A machine as SVG: what was taken is numbered, no number covers another, and every text is text."""

from __future__ import annotations

from itertools import combinations, product
from xml.etree import ElementTree

import pytest

from orchestrator.core.pictures import Machine, MachineEdge, MachineState
from orchestrator.presentation.formats.html_machine import machine

HOSTILE = "<script>alert(1)</script>\"'>&"
SIDE = 4


def grid(*edges: MachineEdge, text: str = "mode") -> Machine:
    """Sixteen states in four columns."""
    states = tuple(
        MachineState(text, column, row, visited=True)
        for column, row in product(range(SIDE), range(SIDE))
    )
    return Machine("The way", states, edges, ("a", "b", "c", "d"))


def boxes(markup: str) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each number."""
    svg = ElementTree.fromstring(markup)
    rects = [
        rect
        for group in svg.iter("g")
        if group.get("class") == "step"
        for rect in group.iter("rect")
    ]
    return [
        (x, y, x + width, y + height)
        for x, y, width, height in (
            [float(rect.get(name) or 0) for name in ("x", "y", "width", "height")] for rect in rects
        )
    ]


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def test_only_what_was_taken_has_a_number() -> None:
    markup = machine(grid(MachineEdge(0, 4, "go", (1, 3)), MachineEdge(4, 8, "on")))
    svg = ElementTree.fromstring(markup)
    numbers = [g.findtext("text") for g in svg.iter("g") if g.get("class") == "step"]
    assert numbers == ["1, 3"]
    assert [g.get("class") for g in svg.iter("g")].count("faint") == 1


@pytest.mark.parametrize(
    "edges",
    [
        [(4, 8), (8, 4), (9, 4)],
        [(8, 12), (12, 8), (12, 13), (13, 8), (13, 14), (14, 0)],
        [(0, 1), (1, 0), (0, 0), (1, 1)],
    ],
)
def test_numbers_do_not_cover_one_another_and_stand_within_the_picture(
    edges: list[tuple[int, int]],
) -> None:
    taken = [MachineEdge(a, b, "go", (n, n + 20)) for n, (a, b) in enumerate(edges, 1)]
    markup = machine(grid(*taken))
    found = boxes(markup)
    assert len(found) == len(edges)
    assert not [pair for pair in combinations(found, 2) if overlap(*pair)]
    _, _, width, height = map(float, ElementTree.fromstring(markup).attrib["viewBox"].split())
    assert all(b[0] >= 0 and b[2] <= width and b[1] >= 0 and b[3] <= height for b in found)


def test_of_many_numbers_the_first_and_the_last_are_shown_and_all_are_told() -> None:
    markup = machine(grid(MachineEdge(0, 4, "go", (1, 3, 5, 7, 9))))
    assert "<text" in markup
    assert ">1, 3 … 9</text>" in markup
    assert "<title>1, 3, 5, 7, 9</title>" in markup


def test_every_way_between_two_states_can_be_drawn() -> None:
    everywhere = [MachineEdge(a, b, "go") for a, b in product(range(SIDE * SIDE), repeat=2)]
    svg = ElementTree.fromstring(machine(grid(*everywhere)))
    assert len([*svg.iter("path")]) == (SIDE * SIDE) ** 2


def test_nothing_in_it_is_markup() -> None:
    markup = machine(grid(MachineEdge(0, 4, HOSTILE, (1,)), text=HOSTILE))
    assert "<script" not in markup
    ElementTree.fromstring(markup)


def test_a_reader_who_does_not_see_it_gets_its_name() -> None:
    svg = ElementTree.fromstring(machine(grid()))
    assert (svg.get("role"), svg.get("aria-label")) == ("img", "The way")
