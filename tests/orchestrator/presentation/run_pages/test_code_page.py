"""A symbol among its neighbours: callers, what it calls, tests, family, and what a name or a place may mean."""

from __future__ import annotations

import pytest

from orchestrator.presentation.run_pages.code_page import (
    MOST_SHOWN,
    CodeNeighbourhood,
    candidates,
    meant,
    neighbourhood,
)
from shared.models.code_graph_index import GraphIndex
from tests.support.walked_code import shop_graph

INDEX = GraphIndex(shop_graph())


def around(symbol: str) -> CodeNeighbourhood:
    (place,) = meant(INDEX, symbol, "")
    return neighbourhood(INDEX, place)


def others(symbol: str) -> dict[str, list[str]]:
    return {each.code: [entry.id for entry in each.entries] for each in around(symbol).others}


def test_callers_and_callees_stand_with_the_lines_of_their_calls() -> None:
    shown = around("shop.rounded")
    assert [entry.id for entry in shown.callers.entries] == ["shop.Item.price", "shop.total"]
    assert shown.callers.entries[0].sites == ("shop.py:6",)
    assert [entry.kind for entry in shown.callees.entries] == ["external"]


def test_a_class_has_its_family_and_what_it_holds() -> None:
    assert others("shop.Item") == {
        "code_derived": ["shop.Gift"],
        "code_inside": ["shop"],
        "code_members": ["shop.Item.price"],
    }
    assert others("shop.Gift")["code_bases"] == ["shop.Item"]


def test_the_tests_that_reach_it_are_there() -> None:
    assert others("shop.total")["code_tests"] == ["test_shop.test_total"]


@pytest.mark.parametrize(
    ("symbol", "at", "found"),
    [
        ("shop.Item.price", "", ["shop.Item.price"]),
        ("price", "", ["shop.Item.price"]),
        ("", "shop.py:6", ["shop.Item.price"]),
        ("", "shop.py:1", ["shop"]),
        ("nowhere", "", []),
        ("", "nowhere.py:3", []),
        ("", "shop.py:9999999999999999", []),
        ("", "shop.py", []),
        ("", "", []),
    ],
)
def test_a_name_or_a_place_means(symbol: str, at: str, found: list[str]) -> None:
    assert [INDEX.node(place).id for place in meant(INDEX, symbol, at)] == found


def test_long_lists_say_how_much_was_left_out() -> None:
    places = [0] * 1000
    shown = candidates(INDEX, places)
    assert len(shown.entries) + shown.more == 1000
    assert MOST_SHOWN < len(shown.entries) < 100
