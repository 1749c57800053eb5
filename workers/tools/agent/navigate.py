"""Finding one's way in the code of a workspace: symbols, chains of calls, imports, and hybrid search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from shared.models.agent import CodeHit, Navigation
from shared.models.code_graph import EdgeKind, Node, SymbolKind
from shared.models.code_graph_index import CALLS, Chain, GraphIndex
from shared.models.findings import Place
from shared.models.notices import notice
from shared.tools.agent_inputs import NavigationInput
from workers.tools.agent.code_base import MEMORY
from workers.tools.agent.code_vectors import near_spots
from workers.tools.agent.reach import meant
from workers.tools.agent.search import (
    SYMBOL,
    TEXT,
    Found,
    SearchRanking,
    Spot,
    fuse,
    rank_names,
    rank_symbols,
    search,
    spot_of,
)
from workers.tools.agent.search_text import grep
from workers.tools.agent.search_words import SearchQuery, read_query
from workers.tools.agent.workspace import WorkspaceTree, open_workspace
from workers.tools.code_graph.languages import language_of
from workers.tools.code_graph.tests_reached import is_test
from workers.tools.registry import ToolContext

DEPTH = 5
SHOWN_LINES = 12
LONGEST_TEXT = 1200
MOST_PROBLEMS = 5
_IMPORTS = frozenset((EdgeKind.IMPORTS,))
_AMBIGUOUS = 5
_FUNCTIONS = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD))
MOST_LARGE = 50


@dataclass(frozen=True)
class NavigationQuestion:
    """What is asked of which code."""

    tree: WorkspaceTree
    index: GraphIndex
    query: SearchQuery
    near: tuple[Spot, ...] = ()
    """What means about the same, where somebody makes vectors."""

    def searched(self) -> list[Found]:
        """All that any way finds."""
        return search(self.tree, self.index, self.query, self.near)


@dataclass(frozen=True)
class NavigationAnswer:
    """A hit without its text; `chain` is shown in place of it."""

    found: Found
    chain: str = ""


def run(inputs: NavigationInput, context: ToolContext) -> Navigation:
    """At most `limit` hits, the best first. An intent that is not known is a search by all ways."""
    with open_workspace(inputs.workspace, context) as tree:
        code = MEMORY.whole(tree, context)
        index = code.index
        question = NavigationQuestion(
            tree,
            index,
            read_query(inputs.query, inputs.target),
            tuple(near_spots(code, context.code, inputs.meaning)),
        )
        answers = _INTENTS.get(inputs.intent, _code)(question)
        shown = answers[: max(1, inputs.limit)]
        hits = code_hits(question, shown)
    problems = tuple(
        notice(problem.problem, path=problem.path, line=problem.line or 1)
        for problem in index.graph.problems[:MOST_PROBLEMS]
    )
    return Navigation(
        hits=hits,
        complete=len(shown) == len(answers),
        total=len(answers),
        files=len({answer.found.spot.path for answer in answers}),
        problems=problems,
        graph=code.document,
    )


def _code(question: NavigationQuestion) -> Sequence[NavigationAnswer]:
    return [NavigationAnswer(found) for found in question.searched()]


def _symbols(question: NavigationQuestion) -> Sequence[NavigationAnswer]:
    """Definitions by name; where no name has anything of the words, whatever search finds."""
    index, query = question.index, question.query
    exact = SearchRanking(SYMBOL, rank_names(index, query), 2.0)
    found = fuse((exact, SearchRanking(SYMBOL, rank_symbols(index, query), 1.0)))
    return [NavigationAnswer(each) for each in found] or _code(question)


def _occurrences(question: NavigationQuestion) -> Sequence[NavigationAnswer]:
    """Every line that has a name that was asked for as a word of its own, code before what is written about it."""
    names = dict.fromkeys(name.rpartition(".")[2] for name in question.query.names)
    lines = grep(question.tree, names, whole_words=True)
    spots = {
        Spot(row.path, row.line)
        for row in lines
        if any(re.search(rf"\b{re.escape(name)}\b", row.text) for name in names)
    }
    ordered = sorted(spots, key=lambda spot: (language_of(spot.path) is None, spot.path, spot.line))
    return [NavigationAnswer(Found(spot, (TEXT,), 1.0)) for spot in ordered] or _code(question)


def _largest(question: NavigationQuestion) -> Sequence[NavigationAnswer]:
    """The longest functions of the product, which a refactoring that names nothing may mean."""
    index = question.index
    functions = [
        place
        for place, node in enumerate(index.graph.nodes)
        if node.kind in _FUNCTIONS and node.file and not is_test(node.file)
    ]
    functions.sort(key=lambda place: (-_lines(index.node(place)), place))
    return [
        NavigationAnswer(Found(spot_of(index, place), ("size",), float(_lines(index.node(place)))))
        for place in functions[:MOST_LARGE]
    ]


def _lines(node: Node) -> int:
    return node.end_line - node.line + 1


def _chains(question: NavigationQuestion) -> Sequence[NavigationAnswer]:
    return _walk(question, CALLS, ("caller", "callee"), _meant(question))


def _dependencies(question: NavigationQuestion) -> Sequence[NavigationAnswer]:
    index = question.index
    modules = dict.fromkeys(_module_of(index, place) for place in _meant(question, modules=True))
    return _walk(
        question, _IMPORTS, ("imported_by", "imports"), [m for m in modules if m is not None]
    )


_INTENTS: Mapping[str, Callable[[NavigationQuestion], Sequence[NavigationAnswer]]] = {
    "symbol_search": _symbols,
    "call_chain": _chains,
    "dependency": _dependencies,
    "code_search": _code,
    "occurrences": _occurrences,
    "largest": _largest,
}


def _meant(question: NavigationQuestion, *, modules: bool = False) -> list[int]:
    """The definitions that are asked about: those of that name, else the best by words."""
    index, query = question.index, question.query
    for name in query.names:
        if places := _of_that_name(index, name):
            return places
    spots = (each.spot.place for each in question.searched())
    places = [place for place in spots if place is not None]
    if not modules:
        places = [place for place in places if index.node(place).kind != SymbolKind.MODULE]
    return places[:1]


def _of_that_name(index: GraphIndex, name: str) -> list[int]:
    """Definitions of that name, no variables; else what it names outside of the repository."""
    named = [place for place in meant(index, name) if index.node(place).kind != SymbolKind.VARIABLE]
    outside = index.place_of(name)
    return named[:_AMBIGUOUS] or ([] if outside is None else [outside])


def _module_of(index: GraphIndex, place: int) -> int | None:
    node = index.node(place)
    if not node.file:
        return place
    heads = (
        each for each in index.by_file[node.file] if index.node(each).kind == SymbolKind.MODULE
    )
    return next(heads, None)


def _walk(
    question: NavigationQuestion,
    kinds: frozenset[EdgeKind],
    ways: tuple[str, str],
    starts: Sequence[int],
) -> Sequence[NavigationAnswer]:
    """What was asked about, then by how near they are those that lead to it and those that it leads to."""
    index = question.index
    answers = [NavigationAnswer(Found(spot_of(index, place), (SYMBOL,), 1.0)) for place in starts]
    reached: list[tuple[int, int, NavigationAnswer]] = []
    for number, way in enumerate(ways):
        backwards = number == 0
        for chain in index.chains(starts, DEPTH, kinds=kinds, backwards=backwards):
            found = Found(spot_of(index, chain.end), (way,), round(1 / len(chain.nodes), 6))
            text = described(index, chain, backwards=backwards)
            reached.append((len(chain.nodes), number, NavigationAnswer(found, text)))
    return [*answers, *(answer for *_, answer in sorted(reached, key=lambda each: each[:2]))]


def described(index: GraphIndex, chain: Chain, *, backwards: bool) -> str:
    """A chain in the direction of its edges: `a -> b -> c`."""
    places = chain.nodes[::-1] if backwards else chain.nodes
    return " -> ".join(index.node(place).id for place in places)


def code_hits(
    question: NavigationQuestion, answers: Iterable[NavigationAnswer]
) -> tuple[CodeHit, ...]:
    """The hits with what stands there."""
    listed = [answer for answer in answers if answer.found.spot.path or answer.chain]
    known = frozenset(question.tree.paths())
    paths = {answer.found.spot.path for answer in listed if not answer.chain} & known
    contents = question.tree.read_all(sorted(paths))
    texts = {path: data.decode("utf-8", "replace").splitlines() for path, data in contents.items()}
    return tuple(_hit(question.index, answer, texts) for answer in listed)


def _hit(
    index: GraphIndex, answer: NavigationAnswer, texts: Mapping[str, Sequence[str]]
) -> CodeHit:
    spot = answer.found.spot
    node = None if spot.place is None else index.node(spot.place)
    last = spot.line if node is None or node.kind == SymbolKind.MODULE else node.end_line
    text = answer.chain or _text(texts.get(spot.path, ()), spot, last)
    symbol = _symbol(index, spot)
    return CodeHit(
        # Nothing of the repository defines what is outside: its name stands for its place.
        place=Place.over(spot.path or symbol or "?", max(1, spot.line), max(1, last)),
        symbol=symbol,
        kind=node.kind if node is not None else "text",
        text=text,
        ways=answer.found.ways,
        score=answer.found.score,
    )


def _symbol(index: GraphIndex, spot: Spot) -> str | None:
    """What stands at a spot, or holds it."""
    place = index.around(spot.path, spot.line) if spot.place is None else spot.place
    return None if place is None else index.node(place).id


def _text(lines: Sequence[str], spot: Spot, last: int) -> str:
    """The beginning of a definition, or a line with those around it."""
    first, end = spot.line, min(last, spot.line + SHOWN_LINES - 1)
    if last == spot.line:
        first, end = max(1, spot.line - 2), spot.line + 3
    return "\n".join(lines[first - 1 : end])[:LONGEST_TEXT]
