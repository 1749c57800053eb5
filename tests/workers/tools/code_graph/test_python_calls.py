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
