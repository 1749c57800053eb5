"""One graph of all languages of a repository."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain

from shared.models.code_graph import CodeGraph, Edge, FileFacts, FileProblem, Node, SymbolKind
from workers.tools.code_graph.collector import uncollected
from workers.tools.code_graph.manifests import MANIFEST, ImportRoots
from workers.tools.code_graph.name_resolution import nodes_of, resolve_names
from workers.tools.code_graph.python_resolution import PythonResolution
from workers.tools.code_graph.tests_reached import test_edges


def make_graph(files: Sequence[FileFacts], python: PythonResolution | None = None) -> CodeGraph:
    """The graph of a program; manifests among the files say where imports lead.

    `python` is what was resolved of it before, and is brought up to date.
    """
    resolution = PythonResolution() if python is None else python
    with uncollected():
        roots = ImportRoots.of(files)
        files = [facts for facts in files if facts.language != MANIFEST]
        resolution.resolve(files)
        edges = {*resolve_names(files, roots), *resolution.edges()}
        edges.update(test_edges(files, tuple(edges)))
        paths = tuple(sorted(facts.path for facts in files))
        problems = tuple(FileProblem(f.path, f.problem, f.problem_line) for f in files if f.problem)
        return _in_columns(_nodes(files, edges), paths, edges, problems)


def _nodes(files: Iterable[FileFacts], edges: Iterable[Edge]) -> tuple[Node, ...]:
    """The definitions of the files, and what is outside of them, by id."""
    named: dict[str, Node] = {}
    for node in chain.from_iterable(map(nodes_of, files)):
        named.setdefault(node.id, node)
    ends = chain.from_iterable((edge.source, edge.target) for edge in edges)
    outside = {name for name in ends if name not in named}
    named.update({name: Node(name, SymbolKind.EXTERNAL, "", 0, 0) for name in outside})
    return tuple(named[key] for key in sorted(named))


def _in_columns(
    nodes: tuple[Node, ...],
    paths: tuple[str, ...],
    edges: Iterable[Edge],
    problems: tuple[FileProblem, ...],
) -> CodeGraph:
    places = {node.id: place for place, node in enumerate(nodes)}
    numbers = {path: number for number, path in enumerate(paths)}
    rows = sorted(
        (places[edge.source], places[edge.target], edge.kind, numbers[edge.file], edge.line)
        for edge in edges
    )
    columns = zip(*rows, strict=True) if rows else ((),) * 5
    sources, targets, kinds, of_files, lines = map(tuple, columns)
    return CodeGraph(
        nodes,
        paths,
        array("I", sources),
        array("I", targets),
        array("B", kinds),
        array("I", of_files),
        array("I", lines),
        array("I", sorted(range(len(targets)), key=targets.__getitem__)),
        _starts(sources, len(nodes)),
        _starts(targets, len(nodes)),
        problems,
    )


def _starts(places: Sequence[int], nodes: int) -> array[int]:
    """Where the edges of each node begin, when they are in the order of these places; the end of all is the last."""
    counts = [0] * (nodes + 1)
    for place in places:
        counts[place + 1] += 1
    return array("I", accumulate(counts))
