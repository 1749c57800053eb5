"""Definitions by their meaning: what is embedded of each, and which are nearest to a query.

Vectors are stored with the facts of files (`CodeFacts`), under a hash of all that they depend on: the model, the file's
content and the definitions. So commits and branches share them, and after a change only what the changed files define
is embedded again. Tests, lambdas and variables are left to the other ways.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import NamedTuple

from shared.models.code_graph import Node, SymbolKind
from shared.models.code_graph_index import GraphIndex
from shared.models.embeddings import SearchVector
from shared.text.vectors import unpacked
from workers.tools.agent.code_base import CodeBase
from workers.tools.agent.search import Spot, spot_of
from workers.tools.agent.search_words import name_parts
from workers.tools.code_facts import CodeFacts
from workers.tools.code_graph.tests_reached import is_test

VECTORS_VERSION = 1
"""Changes whenever the text that is embedded of the same definition changes."""
PART_SIZE = 32
BODY_LINES, MOST_TEXT = 8, 700
MOST_NEAR = 200
LEAST_OF_BEST = 0.5
"""What is not half as near as the nearest is no hit: models differ in what they call near."""
_KINDS = frozenset((SymbolKind.CLASS, SymbolKind.FUNCTION, SymbolKind.METHOD))
_KEPT_SPACES = 2


@dataclass(frozen=True)
class FilePart:
    """Some of a file's definitions, whose vectors are stored together under `key`."""

    key: str
    path: str
    places: tuple[int, ...]


def parts_of(
    code: CodeBase, space: str, withheld: Callable[[str], bool] = lambda _: False
) -> Iterator[FilePart]:
    """The definitions of a graph that have vectors, in parts."""
    index = code.index
    for file in code.files:
        if is_test(file.path) or withheld(file.path):
            continue
        places = [p for p in index.by_file.get(file.path, ()) if _has_vector(index.node(p))]
        for start in range(0, len(places), PART_SIZE):
            part = tuple(places[start : start + PART_SIZE])
            names = (index.node(place).id for place in part)
            key = _hash("vectors", str(VECTORS_VERSION), space, file.key, *names)
            yield FilePart(key, file.path, part)


def _has_vector(node: Node) -> bool:
    return node.kind in _KINDS and "<" not in node.id


def text_of(node: Node, lines: Sequence[str]) -> str:
    """What is embedded of a definition: its name in words, where it stands, what is said of it, and how it begins."""
    body = lines[node.line - 1 : min(node.end_line, node.line - 1 + BODY_LINES)]
    words = " ".join(name_parts(node.id.rpartition(".")[2]))
    stripped = (line.strip() for line in body)
    text = "\n".join(filter(None, (words, node.summary, node.file, node.signature, *stripped)))
    return text[:MOST_TEXT]


class NearPlace(NamedTuple):
    """A definition and its cosine to what is searched for."""

    cosine: float
    place: int


class _Vectors(NamedTuple):
    places: list[int]
    numbers: list[array[int]]
    lengths: list[float]


class VectorMemory:
    """The vectors of the graphs that a process searched last."""

    def __init__(self) -> None:
        self._spaces: OrderedDict[tuple[str, str, int, int], _Vectors] = OrderedDict()

    def near(self, code: CodeBase, store: CodeFacts, wanted: SearchVector) -> list[NearPlace]:
        """The nearest definitions first; those without a vector of that space are missing."""
        query = unpacked(wanted.vector)
        vectors = self._vectors(code, store, wanted.space, len(query))
        cosines = (
            NearPlace(round(sum(map(mul, numbers, query)) / length, 6), place)
            for place, numbers, length in zip(*vectors, strict=True)
        )
        ranked = sorted(cosines, key=lambda near: (-near.cosine, near.place))[:MOST_NEAR]
        return [near for near in ranked if near.cosine > max(0.0, LEAST_OF_BEST * ranked[0].cosine)]

    def _vectors(self, code: CodeBase, store: CodeFacts, space: str, size: int) -> _Vectors:
        parts = list(parts_of(code, space))
        stored = store.known([part.key for part in parts])
        name = (code.document, space, size, len(stored))
        if name not in self._spaces:
            self._spaces[name] = _read(parts, store.facts(sorted(stored)), size)
            while len(self._spaces) > _KEPT_SPACES:
                self._spaces.popitem(last=False)
        self._spaces.move_to_end(name)
        return self._spaces[name]


VECTORS = VectorMemory()
"""Those of this process: they are read from the store again at any time."""


def _read(parts: Sequence[FilePart], stored: Mapping[str, bytes], size: int) -> _Vectors:
    vectors = _Vectors([], [], [])
    for part in parts:
        data = stored.get(part.key, b"")
        if len(data) != size * len(part.places):
            continue
        for number, place in enumerate(part.places):
            numbers = array("b", data[number * size : (number + 1) * size])
            length = math.hypot(*numbers)
            if length:
                vectors.places.append(place)
                vectors.numbers.append(numbers)
                vectors.lengths.append(length)
    return vectors


def near_spots(code: CodeBase, store: CodeFacts, wanted: SearchVector | None) -> list[Spot]:
    """What means about the same as what is searched for; nothing where nobody made a vector of it."""
    if wanted is None:
        return []
    index: GraphIndex = code.index
    return [spot_of(index, near.place) for near in VECTORS.near(code, store, wanted)]


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()
