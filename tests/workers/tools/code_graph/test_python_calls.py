"""Who calls whom in small Python programs: pairs that must be all there are."""

from __future__ import annotations

from textwrap import dedent

import pytest

from shared.models.code_graph import CodeGraph, EdgeKind
from tests.workers.tools.code_graph.python_functions import CONTAINERS, FUNCTIONS, HANDED_BACK
from tests.workers.tools.code_graph.python_programs import CLASSES, IMPORTS, NAMES
from workers.tools.code_graph.assembly import make_graph
from workers.tools.code_graph.python_outline import outline_python

CASES = [*NAMES, *IMPORTS, *CLASSES, *FUNCTIONS, *HANDED_BACK, *CONTAINERS]


def graph_of(files: dict[str, str]) -> CodeGraph:
    return make_graph(
        [
            outline_python(
                f"{path}.py",
                dedent(text).encode(),
                path.removesuffix("/__init__").replace("/", "."),
            )
            for path, text in files.items()
        ]
    )


def calls(graph: CodeGraph) -> set[str]:
    return {f"{edge.source} > {edge.target}" for edge in graph.edges((EdgeKind.CALLS,))}


@pytest.mark.parametrize(("files", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_the_calls_of_a_program_are(files: dict[str, str], expected: str) -> None:
    assert calls(graph_of(files)) == set(expected.split(", "))


DESCRIPTORS = {
    "lazy": "class lazy:\n    def __init__(self, make):\n        self.make = make\n\n"
    "    def __get__(self, holder, kind):\n        return self.make(holder)\n\n\n"
    "class Base:\n    def __init_subclass__(cls):\n        register(cls)\n\n\ndef register(cls):\n    pass\n",
    "shop": "from lazy import Base, lazy\n\n\nclass Price:\n    def show(self):\n        return 1\n\n\n"
    "class Item(Base):\n    @lazy\n    def price(self):\n        return Price()\n\n\n"
    "def main():\n    return Item().price.show()\n",
}


def test_a_descriptor_is_called_where_it_is_read_and_a_class_is_made_known_to_its_bases() -> None:
    facts = [
        outline_python(f"{name}.py", text.encode(), name) for name, text in DESCRIPTORS.items()
    ]
    edges = make_graph(facts).edges((EdgeKind.CALLS,))
    calls = {(edge.source, edge.target) for edge in edges}
    assert {
        ("shop.main", "lazy.lazy.__get__"),
        ("shop.main", "shop.Price.show"),
        ("lazy.lazy.__get__", "shop.Item.price"),
        ("shop", "lazy.Base.__init_subclass__"),
    } <= calls
