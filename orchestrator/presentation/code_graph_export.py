"""A code graph in the formats that other programs read. Equal graphs give equal texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from orchestrator.core.lines import drop_unseen
from shared.models.code_graph import CodeGraph, Edge, EdgeKind, Node

_STYLES = {
    EdgeKind.CONTAINS: "dotted",
    EdgeKind.IMPORTS: "dashed",
    EdgeKind.INHERITS: "bold",
}
_NODE_KEYS = ("kind", "file", "line", "end_line", "signature")
_EDGE_KEYS = ("kind", "file", "line")


def exported(graph: CodeGraph, form: str) -> Iterator[str]:
    """The graph as pieces of text, in one of `FORMATS`."""
    return _FORMS[form](graph)


def _json(graph: CodeGraph) -> Iterator[str]:
    """One object, a node or an edge a line."""
    yield '{"schema_version": 1,\n"nodes": [\n'
    yield from _separated(json.dumps(node._asdict()) for node in graph.nodes)
    yield '],\n"edges": [\n'
    yield from _separated(json.dumps(_edge(edge)) for edge in graph.edges())
    yield '],\n"problems": [\n'
    yield from _separated(json.dumps(problem._asdict()) for problem in graph.problems)
    yield "]}\n"


def _edge(edge: Edge) -> dict[str, str | int]:
    return {**edge._asdict(), "kind": edge.kind.name.lower()}


def _separated(rows: Iterator[str]) -> Iterator[str]:
    before = ""
    for row in rows:
        yield before + row
        before = ",\n"
    yield "\n"


def _dot(graph: CodeGraph) -> Iterator[str]:
    """https://graphviz.org/doc/info/lang.html"""
    yield "digraph code {\n"
    for node in graph.nodes:
        yield f"  {_quoted(node.id)} [kind={node.kind}, tooltip={_quoted(_place(node))}];\n"
    for edge in graph.edges():
        style = _STYLES.get(edge.kind, "solid")
        label = edge.kind.name.lower()
        ends = f"{_quoted(edge.source)} -> {_quoted(edge.target)}"
        yield f"  {ends} [kind={label}, style={style}];\n"
    yield "}\n"


def _place(node: Node) -> str:
    return f"{node.file}:{node.line}" if node.file else ""


def _quoted(text: str) -> str:
    escaped = _clean(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _clean(text: str) -> str:
    """Without what no text may hold: control characters, and halves of surrogate pairs."""
    return drop_unseen(text).encode("utf-8", "replace").decode().replace("\n", " ")


def _graphml(graph: CodeGraph) -> Iterator[str]:
    """http://graphml.graphdrawing.org/specification.html"""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for owner, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for name in keys:
            kind = "int" if name.endswith("line") else "string"
            yield f'<key id="{owner}_{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph id="code" edgedefault="directed">\n'
    for node in graph.nodes:
        yield f"<node id={_attribute(node.id)}>{_data('node', node._asdict(), _NODE_KEYS)}</node>\n"
    for edge in graph.edges():
        ends = f"source={_attribute(edge.source)} target={_attribute(edge.target)}"
        yield f"<edge {ends}>{_data('edge', _edge(edge), _EDGE_KEYS)}</edge>\n"
    yield "</graph>\n</graphml>\n"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text))


def _data(owner: str, values: Mapping[str, str | int], keys: tuple[str, ...]) -> str:
    return "".join(
        f'<data key="{owner}_{key}">{escape(_clean(str(values[key])))}</data>' for key in keys
    )


_FORMS: Mapping[str, Callable[[CodeGraph], Iterator[str]]] = {
    "json": _json,
    "dot": _dot,
    "graphml": _graphml,
}
FORMATS = tuple(_FORMS)
