"""Definitions by the ends of their names, without a table of all names."""

from __future__ import annotations

from array import array

import pytest

from shared.models.code_graph import CodeGraph, EdgeKind, Node
from shared.models.code_graph_index import CALLS, GraphIndex

NAMES = ("a", "a.b", "a.b.b", "a.bb", "b.a", "b.a.b", "c\0d.b", "c.\0", "json.b", "z.B")
NODES = tuple(
    Node(name, "function", "" if name.startswith("json") else "a.py", 1, 1) for name in NAMES
)


def found(name: str) -> list[str]:
    index = GraphIndex(CodeGraph(NODES, ("a.py",)))
    return [index.node(place).id for place in index.find(name)]


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("b", ["a.b", "a.b.b", "b.a.b"]),
        ("a.b", ["a.b"]),  # that is the whole name of one
        ("b.b", ["a.b.b"]),
        ("bb", ["a.bb"]),
        ("BB", ["a.bb"]),  # in any case of letters, where nothing is called just so
        (".b", []),
        ("c", []),
        ("", []),
        ("\0", []),
    ],
)
def test_definitions_are_found_by_whole_parts_of_their_names(name: str, ids: list[str]) -> None:
    assert [each for each in found(name) if "\0" not in each] == ids


def test_what_is_outside_is_not_found_by_the_end_of_its_name() -> None:
    assert "json.b" not in found("b")


def test_steps_that_no_edge_has_are_followed_like_edges() -> None:
    graph = CodeGraph(
        NODES,
        ("a.py",),
        sources=array("I", [0, 1]),
        targets=array("I", [1, 2]),
        kinds=array("B", [EdgeKind.CALLS, EdgeKind.INSTANTIATES]),
        files=array("I", [0, 0]),
        lines=array("I", [1, 1]),
        by_target=array("I", [0, 1]),
        source_starts=array("I", [0, 1, *[2] * 9]),
        target_starts=array("I", [0, 0, 1, *[2] * 8]),
    )
    index = GraphIndex(graph)

    def chains(depth: int, kinds: frozenset[EdgeKind] = CALLS) -> list[tuple[int, ...]]:
        asked = index.chains([2], depth, kinds=kinds, backwards=True, beside=[(2, 5), (2, 1)])
        return [chain.nodes for chain in asked]

    assert chains(1) == [(2, 1), (2, 5)]
    assert chains(2) == [(2, 1), (2, 5), (2, 1, 0)]
    assert chains(1, frozenset((EdgeKind.CALLS,))) == [(2, 5), (2, 1)]
    assert [c.nodes for c in index.chains([0], 5, backwards=False)] == [(0, 1), (0, 1, 2)]
