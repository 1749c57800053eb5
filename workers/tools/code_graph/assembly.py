"""One graph of all languages of a repository, and its form as a document."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterable, Sequence
from itertools import chain

from shared.models.code_graph import CodeGraph, Edge, FileFacts, FileProblem, Node, SymbolKind
from workers.tools.code_graph.name_resolution import nodes_of, resolve_names

_COLUMNS = ("sources", "targets", "kinds", "files", "lines")


def make_graph(files: Sequence[FileFacts]) -> CodeGraph:
    """The graph of a program whose names are resolved."""
    named: dict[str, Node] = {}
    for node in chain.from_iterable(map(nodes_of, files)):
        named.setdefault(node.id, node)
    edges = sorted(
        set(resolve_names(files)),
        key=lambda edge: (edge.file, edge.source, edge.target, edge.kind, edge.line),
    )
    for edge in edges:
        for name in (edge.source, edge.target):
            named.setdefault(name, Node(name, SymbolKind.EXTERNAL, "", 0, 0))
    nodes = tuple(named[key] for key in sorted(named))
    problems = tuple(FileProblem(f.path, f.problem, f.problem_line) for f in files if f.problem)
    return _columns(nodes, sorted(facts.path for facts in files), edges, problems)


def _columns(
    nodes: tuple[Node, ...],
    paths: Sequence[str],
    edges: Iterable[Edge],
    problems: tuple[FileProblem, ...],
) -> CodeGraph:
    places = {node.id: place for place, node in enumerate(nodes)}
    numbers = {path: number for number, path in enumerate(paths)}
    whole = CodeGraph(nodes, tuple(paths), problems=problems)
    for edge in edges:
        whole.sources.append(places[edge.source])
        whole.targets.append(places[edge.target])
        whole.kinds.append(edge.kind)
        whole.files.append(numbers[edge.file])
        whole.lines.append(edge.line)
    return whole


def to_document(graph: CodeGraph) -> bytes:
    """The graph as bytes: the same graph gives the same ones."""
    columns = [getattr(graph, name) for name in _COLUMNS]
    head = [graph.nodes, graph.paths, [len(column) for column in columns], graph.problems]
    text = json.dumps(head, separators=(",", ":"), ensure_ascii=False)
    raw = b"".join(_bytes(column) for column in columns)
    return zlib.compress(text.encode("utf-8", "surrogatepass") + b"\n" + raw, 1)


def from_document(document: bytes) -> CodeGraph:
    """The graph that `to_document` wrote."""
    head, _, raw = zlib.decompress(document).partition(b"\n")
    nodes, paths, lengths, problems = json.loads(head.decode("utf-8", "surrogatepass"))
    graph = CodeGraph(
        tuple(Node(*node) for node in nodes),
        tuple(paths),
        problems=tuple(FileProblem(*problem) for problem in problems),
    )
    at = 0
    for name, length in zip(_COLUMNS, lengths, strict=True):
        column = getattr(graph, name)
        size = length * column.itemsize
        column.frombytes(raw[at : at + size])
        if _BIG_ENDIAN:
            column.byteswap()
        at += size
    return graph


_BIG_ENDIAN = array("H", [1]).tobytes() == b"\0\1"


def _bytes(column: array[int]) -> bytes:
    if not _BIG_ENDIAN:
        return column.tobytes()
    swapped = array(column.typecode, column)
    swapped.byteswap()
    return swapped.tobytes()
