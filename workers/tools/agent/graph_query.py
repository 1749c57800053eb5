"""The tool `graph.query`: answers from the graph of a repository's code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from shared.models.code_answers import CodeLink, CodeSymbol, GraphAnswer
from shared.models.code_graph import SymbolKind
from shared.models.code_graph_index import CALLS, Chain, EdgeSite, GraphIndex
from shared.models.findings import Place
from shared.models.notices import notice
from shared.tools.graph_cards import MOST_PORTIONS, GraphInput
from shared.tools.graph_question import GraphQuestion
from workers.tools.agent.code_base import MEMORY, CodeBase, UnreadCode
from workers.tools.agent.code_vectors import near_spots
from workers.tools.agent.navigate import NavigationAnswer, NavigationQuestion, code_hits
from workers.tools.agent.reach import meant, reach
from workers.tools.agent.search import Spot, search
from workers.tools.agent.search_words import read_query
from workers.tools.agent.workspace import WorkspaceTree, open_workspace
from workers.tools.code_graph.tests_reached import is_test
from workers.tools.registry import ToolContext

PORTION_BYTES = 4_000_000
"""What one run of `graph.read` reads; less is read at once, without one."""
MOST_NEAR = 5
_NEAR_NAMES = 20
MOST_CANDIDATES = 20
MOST_SITES = 20
MOST_PROBLEMS = 20


SitesOf = Callable[[int, int], Iterable[EdgeSite]]
"""The lines where one definition depends on another."""


@dataclass(frozen=True)
class _Question:
    """What is asked, with all that an answer is made from."""

    inputs: GraphInput
    tree: WorkspaceTree
    index: GraphIndex
    starts: tuple[int, ...]
    """The definition that each of the names means."""
    near: tuple[Spot, ...] = ()
    """What means about the same as the text."""


def run(inputs: GraphInput, context: ToolContext) -> GraphAnswer:
    """The answer; where much code was never read, how many portions of it have to be read first."""
    with open_workspace(inputs.workspace, context) as tree:
        most = PORTION_BYTES if inputs.divides else None
        code = MEMORY.code_base(tree, context, most)
        if isinstance(code, UnreadCode):
            return GraphAnswer(portions=min(MOST_PORTIONS, -(-code.size // PORTION_BYTES)))
        began = time.perf_counter()
        near = near_spots(code, context.code, inputs.meaning)
        answer = _answer(inputs, tree, code.index, near)
        took_ms = round((time.perf_counter() - began) * 1000, 3)
    return answer.model_copy(update={**_figures(code), "query_ms": took_ms})


def _figures(code: CodeBase) -> dict[str, object]:
    graph = code.index.graph
    return {
        "document": code.document,
        "files": len(graph.paths),
        "symbols": sum(bool(node.file) for node in graph.nodes),
        "edges": len(graph),
        "read": code.read,
        "left_out": code.left_out,
        "problems": tuple(
            notice(problem.problem, path=problem.path, line=problem.line or 1)
            for problem in graph.problems[:MOST_PROBLEMS]
        ),
    }


def _answer(
    inputs: GraphInput, tree: WorkspaceTree, index: GraphIndex, near: Sequence[Spot]
) -> GraphAnswer:
    starts: list[int] = []
    for name in inputs.names:
        places = meant(index, name)
        if len(places) != 1:
            return _unclear(index, name, places)
        starts += places
    return _ANSWERS[inputs.question](_Question(inputs, tree, index, tuple(starts), tuple(near)))


def _unclear(index: GraphIndex, name: str, places: Sequence[int]) -> GraphAnswer:
    """Nothing has the name, or several have: which may be meant."""
    shown = tuple(places[:MOST_CANDIDATES]) or _near(index, name)
    return GraphAnswer(
        unclear=name,
        candidates=tuple(symbol_of(index, place) for place in shown),
        total=len(places),
    )


def _near(index: GraphIndex, name: str) -> tuple[int, ...]:
    """Definitions that are called almost so, as far as their names are written out."""
    parts = name.count(".") + 1
    names = get_close_matches(name.rpartition(".")[2], index.by_name, n=_NEAR_NAMES, cutoff=0.7)
    tails: dict[str, int] = {}
    for place in (place for near in names for place in index.by_name[near]):
        tails.setdefault(".".join(index.node(place).id.split(".")[-parts:]), place)
    nearest = get_close_matches(name, tails, n=MOST_NEAR, cutoff=0.6)
    return tuple(tails[tail] for tail in nearest)


def symbol_of(index: GraphIndex, place: int) -> CodeSymbol:
    """A definition as an answer has it."""
    return CodeSymbol(**_described(index, place))


def _described(index: GraphIndex, place: int) -> dict[str, Any]:
    node = index.node(place)
    last = node.line if node.kind == SymbolKind.MODULE else node.end_line
    where = Place.over(node.file, max(1, node.line), max(1, last)) if node.file else None
    return {"symbol": node.id, "kind": str(node.kind), "place": where, "text": node.signature}


# ---- answers ------------------------------------------------------------------------------------


def _built(_question: _Question) -> GraphAnswer:
    return GraphAnswer()


def _callers(question: _Question) -> GraphAnswer:
    return _walked(question, backwards=True)


def _callees(question: _Question) -> GraphAnswer:
    return _walked(question, backwards=False)


def _chain(question: _Question) -> GraphAnswer:
    """The shortest chain of calls from the first name to the second; of one name all that it leads to."""
    if len(question.starts) < 2:
        return _callees(question)
    first, second = question.starts[:2]
    chain = question.index.path((first,), (second,), question.inputs.depth)
    chains = () if chain is None else (chain,)
    return _linked(question, chains, _calls_of(question), backwards=False)


def _impact(question: _Question) -> GraphAnswer:
    """Who depends on what was named or on anything in it, directly or by others."""
    index = question.index
    reached = reach(question.tree, index, question.starts, question.inputs.depth)
    own = {index.node(place).file for place in question.starts}
    paths = dict.fromkeys(index.node(chain.end).file for chain in reached.chains)
    outside = [chain for chain in reached.chains if not is_test(index.node(chain.end).file)]
    answer = _linked(question, outside, lambda *ends: reached.sites(index, *ends), backwards=True)
    return answer.model_copy(
        update={
            "tests": tuple(filter(is_test, paths)),
            "paths": tuple(path for path in paths if path not in own and not is_test(path)),
        }
    )


def _search(question: _Question) -> GraphAnswer:
    query = read_query(question.inputs.text)
    navigation = NavigationQuestion(question.tree, question.index, query)
    ranked = search(question.tree, question.index, query, question.near)
    shown = [NavigationAnswer(found) for found in ranked[: question.inputs.limit]]
    return GraphAnswer(hits=code_hits(navigation, shown), total=len(ranked))


_ANSWERS: Mapping[GraphQuestion, Callable[[_Question], GraphAnswer]] = {
    GraphQuestion.BUILD: _built,
    GraphQuestion.CALLERS: _callers,
    GraphQuestion.CALLEES: _callees,
    GraphQuestion.CHAIN: _chain,
    GraphQuestion.IMPACT: _impact,
    GraphQuestion.SEARCH: _search,
}


def _walked(question: _Question, *, backwards: bool) -> GraphAnswer:
    chains = question.index.chains(
        question.starts,
        question.inputs.depth,
        backwards=backwards,
        most=len(question.index.graph.nodes),
    )
    return _linked(question, chains, _calls_of(question), backwards=backwards)


def _calls_of(question: _Question) -> SitesOf:
    """The lines of calls, by who calls and who is called."""
    return lambda source, target: question.index.sites(source, target, CALLS)


def _linked(
    question: _Question, chains: Sequence[Chain], sites: SitesOf, *, backwards: bool
) -> GraphAnswer:
    index = question.index
    shown = chains[: question.inputs.limit]
    return GraphAnswer(
        asked=tuple(symbol_of(index, place) for place in dict.fromkeys(question.starts)),
        links=tuple(_link(index, chain, sites, backwards=backwards) for chain in shown),
        total=len(chains),
    )


def _link(index: GraphIndex, chain: Chain, sites: SitesOf, *, backwards: bool) -> CodeLink:
    before, last = chain.nodes[-2:]
    source, target = (last, before) if backwards else (before, last)
    lines = list(dict.fromkeys(sites(source, target)))[:MOST_SITES]
    places = chain.nodes[::-1] if backwards else chain.nodes
    return CodeLink(
        **_described(index, last),
        chain=tuple(index.node(place).id for place in places),
        sites=tuple(Place(path=site.path, line=max(1, site.line)) for site in lines),
    )
