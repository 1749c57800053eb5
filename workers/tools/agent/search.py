"""Hybrid search in the code of a workspace: by symbols, text, paths, structure and vectors, fused by rank.

Each way ranks by itself, and a hit's score is the sum of 1 / (60 + rank) over the ways that found it (G. Cormack,
C. Clarke and S. Büttcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009), weighted by how much a way says.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from shared.models.code_graph import EdgeKind, Node, SymbolKind
from shared.models.code_graph_index import CALLS, GraphIndex
from workers.tools.agent.search_text import TextPassage, rank_text
from workers.tools.agent.search_words import SearchQuery, name_parts, quality
from workers.tools.agent.workspace import WorkspaceTree
from workers.tools.code_graph.languages import language_of
from workers.tools.code_graph.tests_reached import is_test

FUSION = 60
SYMBOL, TEXT, PATH, STRUCTURE, VECTOR = "symbol", "text", "path", "structure", "vector"
_WEIGHTS = {SYMBOL: 1.0, TEXT: 1.0, PATH: 1.0, STRUCTURE: 0.4, VECTOR: 2.0}
_EXACT_WEIGHT = 4.0
_RANKED = 200
_SEEDS = 10
_NEAR = CALLS | {EdgeKind.INHERITS, EdgeKind.CONTAINS}
_OUTSIDE_NAME = 0.5
_TEST_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Spot:
    """What can be found: a definition by its place in the graph, or a line of a file."""

    path: str
    line: int
    place: int | None = None


@dataclass(frozen=True)
class Found:
    """A spot with the ways that found it, the one that ranked it best first."""

    spot: Spot
    ways: tuple[str, ...]
    score: float


@dataclass(frozen=True)
class SearchRanking:
    """What one way found, the best first; `weight` is what a rank of it counts for."""

    way: str
    spots: Sequence[Spot]
    weight: float


def search(
    tree: WorkspaceTree, index: GraphIndex, query: SearchQuery, near: Sequence[Spot] = ()
) -> list[Found]:
    """All that was found, the best first; `near` is what means about the same, where somebody makes vectors."""
    exact = rank_names(index, query)
    symbols = rank_symbols(index, query)
    passages = rank_text(tree, index, query.words)
    files = rank_paths(tree, query)
    rankings = [
        SearchRanking(SYMBOL, exact, _EXACT_WEIGHT),
        SearchRanking(SYMBOL, symbols, _WEIGHTS[SYMBOL]),
        SearchRanking(TEXT, _spots(index, passages), _WEIGHTS[TEXT]),
        SearchRanking(VECTOR, near, _WEIGHTS[VECTOR]),
    ]
    candidates = {spot for ranking in rankings for spot in ranking.spots}
    rankings += _by_path(index, files, passages, candidates)
    first = fuse(rankings)
    near = rank_structure(index, first[:_SEEDS])
    found = fuse([*rankings, SearchRanking(STRUCTURE, near, _WEIGHTS[STRUCTURE])])
    return found if query.tests else _tests_later(found)


def _tests_later(found: Iterable[Found]) -> list[Found]:
    """Tests say the words of what they test as often as that does: they count for little."""
    weighed = (
        replace(each, score=round(each.score * _TEST_SHARE, 6)) if is_test(each.spot.path) else each
        for each in found
    )
    return sorted(weighed, key=lambda each: -each.score)


def fuse(rankings: Iterable[SearchRanking]) -> list[Found]:
    """One ranking of several."""
    scores: dict[Spot, float] = defaultdict(float)
    ways: dict[Spot, dict[str, int]] = defaultdict(dict)
    for ranking in rankings:
        for rank, spot in enumerate(ranking.spots, start=1):
            scores[spot] += ranking.weight / (FUSION + rank)
            ways[spot][ranking.way] = min(rank, ways[spot].get(ranking.way, rank))
    order = sorted(scores, key=lambda spot: (-round(scores[spot], 9), spot.path, spot.line))
    return [
        Found(
            spot, tuple(sorted(ways[spot], key=lambda way: ways[spot][way])), round(scores[spot], 6)
        )
        for spot in order
    ]


def rank_names(index: GraphIndex, query: SearchQuery) -> list[Spot]:
    """Definitions that are called exactly as something in the query is written, or end so (`User.save`)."""
    ranked: list[tuple[int, float, int]] = []
    for number, name in enumerate(query.names):
        for place in index.find(name):
            node = index.node(place)
            ranked.append((number, -_likely(node, query), place))
    return _definitions(index, [place for *_, place in sorted(ranked)])


def rank_symbols(index: GraphIndex, query: SearchQuery) -> list[Spot]:
    """Definitions by the words of their names, and less by those of what they stand in."""
    if not query.words:
        return []
    names = _NameQualities(query)
    ranked: list[tuple[float, str, int]] = []
    for place, node in enumerate(index.graph.nodes):
        if not node.file or node.kind == SymbolKind.MODULE:
            continue
        outer, _, name = node.id.rpartition(".")
        share = names.share(name, outer)
        if share:
            ranked.append((-round(share * _likely(node, query), 6), node.id, place))
    return _definitions(index, [place for *_, place in sorted(ranked)[:_RANKED]])


class _NameQualities:
    """How well names have the words of a query; each name is looked at once."""

    def __init__(self, query: SearchQuery) -> None:
        self._words = query.words
        self._whole = sum(word.weight for word in query.words) or 1.0
        self._known: dict[str, tuple[float, ...]] = {}

    def of(self, name: str) -> tuple[float, ...]:
        """For each word how well the name has it."""
        if name not in self._known:
            self._known[name] = tuple(quality(word, name) for word in self._words)
        return self._known[name]

    def share(self, name: str, outer: str, *, alone: bool = False) -> float:
        """The weight of the words that a name has, or less so what it stands in; 0 where itself has none.

        A name of which the words are a small part is less precise. `alone`: what it stands in may have them all.
        """
        own = self.of(name)
        if not (any(own) or alone):
            return 0.0
        around = self.of(outer)
        had = sum(
            word.weight * max(here, there * _OUTSIDE_NAME)
            for word, here, there in zip(self._words, own, around, strict=True)
        )
        parts = max(1, len(name_parts(name)))
        precise = min(1.0, sum(1 for value in own if value) / parts)
        return had / self._whole * (0.6 + 0.4 * precise)


def rank_paths(tree: WorkspaceTree, query: SearchQuery) -> list[tuple[float, str]]:
    """Files by the words of their names, and less by those of their folders."""
    if not query.words:
        return []
    names = _NameQualities(query)
    ranked = []
    for path in tree.paths():
        folder, _, name = path.rpartition("/")
        share = names.share(name.partition(".")[0], folder, alone=True)
        if share:
            ranked.append((share * (1.0 if language_of(path) else 0.7), path))
    return sorted(ranked, key=lambda each: (-round(each[0], 6), each[1]))[:_RANKED]


def rank_structure(index: GraphIndex, seeds: Sequence[Found]) -> list[Spot]:
    """Neighbours of good hits in the graph: what they call, what calls them, what they contain and inherit from."""
    scores: dict[int, float] = defaultdict(float)
    for seed in seeds:
        place = seed.spot.place
        if place is None:
            continue
        for backwards in (False, True):
            around = {*index.neighbours(place, _NEAR, backwards=backwards)}
            for neighbour in around:
                if index.node(neighbour).file:
                    scores[neighbour] += seed.score / (1 + math.log(len(around)))
    order = sorted(scores, key=lambda place: (-round(scores[place], 9), index.node(place).id))
    return _definitions(index, order[:_RANKED])


def _likely(node: Node, query: SearchQuery) -> float:
    """Tests are seldom meant unless they are asked for; a kind that was named is; variables stand for little."""
    share = _TEST_SHARE if is_test(node.file) and not query.tests else 1.0
    if query.kinds:
        kinds = query.kinds | (
            {SymbolKind.METHOD, SymbolKind.FUNCTION}
            if SymbolKind.FUNCTION in query.kinds
            else set()
        )
        share *= 1.0 if node.kind in kinds else 0.8
    return share * (0.7 if node.kind == SymbolKind.VARIABLE else 1.0)


def spot_of(index: GraphIndex, place: int) -> Spot:
    """Where a definition stands."""
    node = index.node(place)
    return Spot(node.file, node.line, place)


def _definitions(index: GraphIndex, places: Iterable[int]) -> list[Spot]:
    return [spot_of(index, place) for place in dict.fromkeys(places)]


def _spots(index: GraphIndex, passages: Sequence[tuple[float, TextPassage]]) -> list[Spot]:
    """The definition of each passage, or its best line."""
    return list(dict.fromkeys(_spot(index, passage) for _, passage in passages[:_RANKED]))


def _spot(index: GraphIndex, passage: TextPassage) -> Spot:
    place = passage.place
    if place is not None and index.node(place).kind != SymbolKind.MODULE:
        return spot_of(index, place)
    return Spot(passage.path, passage.best_line())


def _by_path(
    index: GraphIndex,
    files: Sequence[tuple[float, str]],
    passages: Sequence[tuple[float, TextPassage]],
    candidates: Iterable[Spot],
) -> list[SearchRanking]:
    """The files themselves, and what was found in them by other ways: each has the rank of its file.

    A file is found by text as well where its passages are, taken together.
    """
    sums: Mapping[str, float] = _sums(passages)
    named = {path: rank for rank, (_, path) in enumerate(files, start=1)}
    heads = {path: _head(index, path) for path in named}
    rankings = [SearchRanking(PATH, [heads[path] for _, path in files], _WEIGHTS[PATH])]
    by_sum = sorted((path for path in named if path in sums), key=lambda path: (-sums[path], path))
    rankings.append(SearchRanking(TEXT, [heads[path] for path in by_sum], _WEIGHTS[TEXT]))
    for spot in sorted(candidates, key=lambda spot: (spot.path, spot.line)):
        rank = named.get(spot.path)
        if rank is not None and spot != heads[spot.path]:
            # As if it stood at its file's rank: a ranking of its own with that weight.
            weight = _WEIGHTS[PATH] * (FUSION + 1) / (FUSION + rank)
            rankings.append(SearchRanking(PATH, [spot], weight))
    return rankings


def _head(index: GraphIndex, path: str) -> Spot:
    places = index.by_file.get(path, ())
    module = next((place for place in places if index.node(place).kind == SymbolKind.MODULE), None)
    return Spot(path, 1, module)


def _sums(passages: Sequence[tuple[float, TextPassage]]) -> dict[str, float]:
    sums: dict[str, float] = defaultdict(float)
    for score, passage in passages:
        sums[passage.path] += score
    return sums
