"""What a name means in a graph of code, and what a change of it reaches.

Calls and inheritance are edges. A constant is not called, and a class is also named where no object of it is made: who
uses such a name is read from the lines of its own file and of the files that import it. A file that imports a module
that is asked about, and uses none of its names, depends on it by its import alone.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.models.code_graph import EdgeKind, SymbolKind
from shared.models.code_graph_index import CALLS, Chain, EdgeSite, GraphIndex
from workers.tools.agent.workspace import WorkspaceTree

REACHING = CALLS | {EdgeKind.INHERITS}
"""By what a change reaches others: they call what was changed, or inherit from it."""
MOST_IMPORTERS = 1000
"""Files whose lines are read for one question, the first by name."""
_CONTAINED = frozenset((EdgeKind.CONTAINS,))
_IMPORTS = frozenset((EdgeKind.IMPORTS,))
_LAST_MEANT = frozenset((SymbolKind.VARIABLE, SymbolKind.MODULE))
_NAMED = frozenset((SymbolKind.VARIABLE, SymbolKind.CLASS))


@dataclass(frozen=True)
class CodeReach:
    """The chains to what is reached, the near ones first, and where a name is used without an edge."""

    chains: tuple[Chain, ...]
    uses: Mapping[tuple[int, int], tuple[EdgeSite, ...]]
    """The lines, by what is used and what uses it."""

    def sites(self, index: GraphIndex, source: int, target: int) -> Iterable[EdgeSite]:
        """The lines by which `source` depends on `target`."""
        return self.uses.get((target, source)) or index.sites(source, target, REACHING)


def meant(index: GraphIndex, name: str) -> tuple[int, ...]:
    """The definitions that a name means: a symbol's, a file's module, or what stands at `path:line`.

    A file is often called like what it defines (`login` in `login.py`): then that is meant, and the file by its path.
    """
    path, _, line = name.rpartition(":")
    if line.isdigit() and (path := posixpath.normpath(path)) in index.graph.paths:
        place = index.around(path, int(line))
        return () if place is None else (place,)
    if (path := posixpath.normpath(name)) in index.graph.paths:
        return index.by_file[path][:1]
    return _clearest(index, index.find(name))


def _clearest(index: GraphIndex, places: tuple[int, ...]) -> tuple[int, ...]:
    """Of definitions of one name no variables and no file that holds another of them, unless there is nothing else."""
    named = [index.node(place) for place in places]
    others = {node.file for node in named if node.kind not in _LAST_MEANT}
    clear = tuple(
        place
        for place, node in zip(places, named, strict=True)
        if node.kind != SymbolKind.VARIABLE
        and (node.kind != SymbolKind.MODULE or node.file not in others)
    )
    return clear or places


def reach(tree: WorkspaceTree, index: GraphIndex, starts: Sequence[int], depth: int) -> CodeReach:
    """Who depends on the definitions, or on anything in them."""
    inside = tuple(dict.fromkeys(inner for start in starts for inner in _inside(index, start)))
    uses = _uses(tree, index, starts, inside)
    chains = index.chains(
        inside,
        depth,
        kinds=REACHING,
        backwards=True,
        most=len(index.graph.nodes),
        beside=uses,
    )
    return CodeReach(tuple(chains), uses)


def _inside(index: GraphIndex, place: int) -> Iterator[int]:
    """A definition and all that is defined in it."""
    yield place
    for inner in index.neighbours(place, _CONTAINED, backwards=False):
        yield from _inside(index, inner)


def _uses(
    tree: WorkspaceTree, index: GraphIndex, starts: Sequence[int], inside: Sequence[int]
) -> dict[tuple[int, int], tuple[EdgeSite, ...]]:
    """Where names are used that no edge leads to, by what is used and what uses it."""
    found: dict[tuple[int, int], list[EdgeSite]] = defaultdict(list)
    own = frozenset(inside)
    for file, names in _names(index, starts, inside).items():
        module = index.by_file[file][0]
        imports = _importers(index, module)
        for path, line, name in _lines(tree, (file, *imports), names):
            user = index.around(path, line)
            if user is None or user in own:
                continue
            if index.node(user).kind != SymbolKind.MODULE:
                found[names[name], user].append(EdgeSite(path, line))
                imports.pop(path, None)
        if module in own:
            for path, line in imports.items():
                found[module, index.by_file[path][0]].append(EdgeSite(path, line))
    return {pair: tuple(sites) for pair, sites in found.items()}


def _names(
    index: GraphIndex, starts: Sequence[int], inside: Sequence[int]
) -> dict[str, dict[str, int]]:
    """By file, the names that can be used without a call: those that were asked for, and the file's own."""
    named: dict[str, dict[str, int]] = {}
    for place in inside:
        node = index.node(place)
        if not node.file:
            continue
        names = named.setdefault(node.file, {})
        module = index.node(index.by_file[node.file][0])
        outer, _, name = node.id.rpartition(".")
        if node.kind in _NAMED and (place in starts or outer == module.id):
            names.setdefault(name, place)
    return named


def _importers(index: GraphIndex, module: int) -> dict[str, int]:
    """The files that import a module, each with the line where it does."""
    files: dict[str, int] = {}
    for source in sorted(set(index.neighbours(module, _IMPORTS, backwards=True))):
        for site in index.sites(source, module, _IMPORTS):
            files.setdefault(site.path, site.line)
    return dict(sorted(files.items())[:MOST_IMPORTERS])


def _lines(
    tree: WorkspaceTree, paths: Sequence[str], names: Mapping[str, int]
) -> Iterator[tuple[str, int, str]]:
    """Each line that has a name as a word of its own."""
    if not names:
        return
    word = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    known = frozenset(tree.paths())
    contents = tree.read_all([path for path in dict.fromkeys(paths) if path in known])
    for path, data in contents.items():
        for number, text in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
            for name in dict.fromkeys(word.findall(text)):
                yield path, number, name
