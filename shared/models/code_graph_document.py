"""A code graph as a document: the same graph gives the same bytes."""

from __future__ import annotations

import json
import zlib
from array import array

from shared.models.code_graph import CodeGraph, FileProblem, Node

_COLUMNS = (
    *("sources", "targets", "kinds", "files", "lines"),
    *("by_target", "source_starts", "target_starts"),
)


def to_document(graph: CodeGraph) -> bytes:
    """The graph as bytes."""
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
