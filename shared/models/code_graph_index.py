"""A graph made ready for questions: who is next to whom, and chains of calls."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, compress, islice
from typing import NamedTuple

from shared.models.code_graph import CodeGraph, EdgeKind, Node, SymbolKind

CALLS = frozenset((EdgeKind.CALLS, EdgeKind.INSTANTIATES))
MOST_REACHED = 5000


class EdgeSite(NamedTuple):
    """A line of a file: where an edge stands."""

    path: str
    line: int


class Chain(NamedTuple):
    """A way from a node to another: places in `nodes`, the one that was asked for first."""

    nodes: tuple[int, ...]

    @property
    def end(self) -> int:
        """The node that was reached."""
        return self.nodes[-1]


class GraphIndex:
    """Answers about one graph; nodes are places in `graph.nodes`."""

    def __init__(self, graph: CodeGraph) -> None:
        self.graph = graph
        self._marked: dict[frozenset[EdgeKind], bytes] = {}

    def place_of(self, name: str) -> int | None:
        """Where the node with an id stands."""
        nodes = self.graph.nodes
        place = bisect_left(nodes, name, key=lambda node: node.id)
        return place if place < len(nodes) and nodes[place].id == name else None

    @cached_property
    def by_name(self) -> Mapping[str, tuple[int, ...]]:
        """Definitions by the last part of their names."""
        named: dict[str, list[int]] = defaultdict(list)
        for place, node in enumerate(self.graph.nodes):
            if node.file:
                named[node.id.rpartition(".")[2]].append(place)
        return {name: tuple(places) for name, places in named.items()}

    @cached_property
    def by_file(self) -> Mapping[str, tuple[int, ...]]:
        """The definitions of each file, in the order of lines, outer ones first."""
        filed: dict[str, list[int]] = defaultdict(list)
        for place, node in enumerate(self.graph.nodes):
            if node.file:
                filed[node.file].append(place)
        lines = self.graph.nodes
        return {
            file: tuple(sorted(places, key=lambda p: (lines[p].line, -lines[p].end_line, p)))
            for file, places in filed.items()
        }

    def node(self, place: int) -> Node:
        """The node at a place."""
        return self.graph.nodes[place]

    def around(self, file: str, line: int) -> int | None:
        """The innermost class or function that holds a line; the module where there is none."""
        best = None
        for place in self.by_file.get(file, ()):
            node = self.graph.nodes[place]
            if node.line > line:
                break
            if node.end_line >= line and (best is None or node.kind != SymbolKind.VARIABLE):
                best = place
        return best

    def find(self, name: str) -> tuple[int, ...]:
        """Definitions of that name: by the whole id, by its end (`User.save`), or in any case of letters."""
        plain = name.strip().strip("`'\"").removesuffix("()").replace("::", ".").replace("#", ".")
        exact = self.place_of(plain)
        if exact is not None:
            return (exact,)
        ends = tuple(p for p in self._ending_in(plain) if self.graph.nodes[p].file)
        return ends or self._in_any_case(plain)

    @cached_property
    def _ids(self) -> str:
        """All ids, each between a dot and a NUL: the first question does not wait for a table of names."""
        return "".join(f".{node.id}\0" for node in self.graph.nodes)

    def _ending_in(self, name: str) -> Iterator[int]:
        """The definitions whose ids have this end."""
        end, place, at = f".{name}\0", 0, 0
        while name and (found := self._ids.find(end, at)) >= 0:
            place += self._ids.count("\0", at, found)
            at = found + 1
            # A name with a NUL in it, which no language has, would be counted twice.
            if place < len(self.graph.nodes) and f".{self.graph.nodes[place].id}\0".endswith(end):
                yield place

    def _in_any_case(self, name: str) -> tuple[int, ...]:
        lowered = f".{name.casefold()}"
        return tuple(
            place
            for place, node in enumerate(self.graph.nodes)
            if node.file and f".{node.id.casefold()}".endswith(lowered)
        )

    def edges_at(self, place: int, kinds: frozenset[EdgeKind], *, backwards: bool) -> Iterator[int]:
        """The edges of these kinds that leave a node, or lead to it, by their numbers."""
        graph = self.graph
        if backwards:
            numbers: Iterable[int] = graph.by_target[
                graph.target_starts[place] : graph.target_starts[place + 1]
            ]
        else:
            numbers = range(graph.source_starts[place], graph.source_starts[place + 1])
        return (number for number in numbers if graph.kinds[number] in kinds)

    def neighbours(
        self, place: int, kinds: frozenset[EdgeKind], *, backwards: bool
    ) -> Iterator[int]:
        """Where edges of these kinds lead from a node, or come from."""
        ends = self.graph.sources if backwards else self.graph.targets
        return (ends[number] for number in self.edges_at(place, kinds, backwards=backwards))

    def sites(self, source: int, target: int, kinds: frozenset[EdgeKind]) -> Iterator[EdgeSite]:
        """Where the edges of these kinds from a node to another stand."""
        graph = self.graph
        for number in self.edges_at(source, kinds, backwards=False):
            if graph.targets[number] == target:
                yield EdgeSite(graph.paths[graph.files[number]], graph.lines[number])

    def chains(
        self,
        starts: Iterable[int],
        depth: int,
        *,
        kinds: frozenset[EdgeKind] = CALLS,
        backwards: bool,
        most: int = MOST_REACHED,
        beside: Iterable[tuple[int, int]] = (),
    ) -> list[Chain]:
        """A shortest chain to each node within `depth` steps, the near ones first; at most `most`.

        `beside` are first steps that no edge has: from one of the starts to a node.
        """
        ways: dict[int, tuple[int, ...]] = {start: (start,) for start in starts}
        fringe, own = [*ways], len(ways)
        step = self._steps(kinds, backwards=backwards)
        more: dict[int, list[int]] = defaultdict(list)
        for place, neighbour in beside:
            more[place].append(neighbour)
        for _ in range(depth):
            further: list[int] = []
            for place in fringe:
                way = ways[place]
                for neighbour in chain(step(place), more.get(place, ())):
                    if neighbour not in ways:
                        ways[neighbour] = (*way, neighbour)
                        further.append(neighbour)
            fringe = further
            if not fringe or len(ways) - own >= most:
                break
        return [Chain(nodes) for nodes in islice(ways.values(), own, own + most)]

    def _steps(
        self, kinds: frozenset[EdgeKind], *, backwards: bool
    ) -> Callable[[int], Iterable[int]]:
        """Where edges of these kinds lead from a node: as `neighbours`, for many nodes one after the other."""
        graph = self.graph
        wanted = self._of_kinds(kinds)
        if backwards:
            starts, numbers, source = (
                graph.target_starts,
                graph.by_target,
                graph.sources.__getitem__,
            )

            def before(place: int) -> Iterable[int]:
                edges = numbers[starts[place] : starts[place + 1]]
                return compress(map(source, edges), map(wanted.__getitem__, edges))

            return before
        firsts, targets = graph.source_starts, graph.targets

        def after(place: int) -> Iterable[int]:
            first, last = firsts[place], firsts[place + 1]
            return compress(targets[first:last], wanted[first:last])

        return after

    def _of_kinds(self, kinds: frozenset[EdgeKind]) -> bytes:
        """A byte for each edge: whether it is of these kinds."""
        if kinds not in self._marked:
            table = bytes(kind in kinds for kind in range(256))
            self._marked[kinds] = self.graph.kinds.tobytes().translate(table)
        return self._marked[kinds]

    def path(self, starts: Iterable[int], ends: Iterable[int], depth: int) -> Chain | None:
        """A shortest chain of calls from one of the nodes to another."""
        wanted = frozenset(ends)
        chains = self.chains(starts, depth, backwards=False, most=len(self.graph.nodes))
        return next((chain for chain in chains if chain.end in wanted), None)
