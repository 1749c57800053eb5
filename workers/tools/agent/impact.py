"""The tool `agent.impact`: who depends on what an agent has changed, or on what is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shared.git.hunks import changed_ranges
from shared.git.patch import parse_patch
from shared.models.agent import CodeHit, CodeImpact
from shared.models.code_graph import Node, SymbolKind
from shared.models.code_graph_index import Chain, GraphIndex
from shared.models.findings import Place
from shared.tools.agent_inputs import ImpactInput
from workers.tools.agent.code_base import MEMORY
from workers.tools.agent.patch import difference
from workers.tools.agent.reach import meant, reach
from workers.tools.agent.workspace import WorkspaceTree, open_workspace
from workers.tools.code_graph.tests_reached import is_test
from workers.tools.registry import ToolContext

MOST_CALLERS = 200


def run(inputs: ImpactInput, context: ToolContext) -> CodeImpact:
    """Callers up to `depth` calls away, nearest first; tests among them are named by their files."""
    with open_workspace(inputs.workspace, context) as tree:
        code = MEMORY.whole(tree, context)
        index = code.index
        starts = _named(index, inputs.symbols) if inputs.symbols else _changed(index, tree)
        reached = reach(tree, index, starts, inputs.depth)
    callers = [_caller(index, chain) for chain in reached.chains if index.node(chain.end).file]
    weighed = _weighed([index.node(place) for place in starts], callers)
    return weighed.model_copy(update={"graph": code.document})


def _weighed(starts: Sequence[Node], callers: Sequence[CodeHit]) -> CodeImpact:
    """Tests are named by their files, and are no callers that could break."""
    own = dict.fromkeys(node.file for node in starts)
    paths = dict.fromkeys(hit.place.path for hit in callers)
    product = [hit for hit in callers if not is_test(hit.place.path)]
    return CodeImpact(
        symbols=tuple(node.id for node in starts),
        callers=tuple(product[:MOST_CALLERS]),
        tests=tuple(filter(is_test, dict.fromkeys((*own, *paths)))),
        files=tuple(path for path in paths if path not in own),
    )


def _named(index: GraphIndex, names: Iterable[str]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(place for name in names for place in meant(index, name)))


def _changed(index: GraphIndex, tree: WorkspaceTree) -> tuple[int, ...]:
    """The innermost definitions that hold a changed line."""
    whole = difference(tree, tree.commit).encode("utf-8")
    patches = parse_patch(whole) if whole else ()
    places = (
        index.around(patch.path.decode(), line)
        for patch in patches
        for lines in changed_ranges(patch.hunks)
        for line in range(lines.first, lines.last + 1)
    )
    return tuple(dict.fromkeys(place for place in places if place is not None))


def _caller(index: GraphIndex, chain: Chain) -> CodeHit:
    node = index.node(chain.end)
    first = max(1, node.line)
    last = first if node.kind == SymbolKind.MODULE else max(first, node.end_line)
    return CodeHit(
        place=Place.over(node.file, first, last),
        symbol=node.id,
        kind=node.kind,
        text=" -> ".join(_ids(index, chain.nodes[::-1])),
        ways=("caller",),
        score=round(1 / len(chain.nodes), 6),
    )


def _ids(index: GraphIndex, places: Sequence[int]) -> Iterable[str]:
    return (index.node(place).id for place in places)
