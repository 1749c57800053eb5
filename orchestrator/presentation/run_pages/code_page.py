"""The code that a run is about, by its graph: a symbol among callers, what it calls, tests and family."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from orchestrator.presentation.report import RunReport
from orchestrator.workflows import GRAPH
from orchestrator.workflows.agent.records import TransitionRecord
from shared.models.code_graph import EdgeKind, Node, SymbolKind
from shared.models.code_graph_index import CALLS, GraphIndex

MOST_SHOWN = 40
MOST_CANDIDATES = 60


@dataclass(frozen=True)
class CodeEntry:
    """A symbol that a page leads to. `sites` are the lines at which it is met, as far as edges have some."""

    id: str
    name: str
    owner: str
    kind: str
    place: str
    sites: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodeEntries:
    """Symbols under the code of a heading; `more` were left out."""

    code: str
    entries: tuple[CodeEntry, ...]
    more: int = 0


@dataclass(frozen=True)
class CodeNeighbourhood:
    """A symbol with its callers and what it calls; `others` are tests, family, where it stands, what it holds."""

    symbol: CodeEntry
    signature: str
    summary: str
    callers: CodeEntries
    callees: CodeEntries
    others: tuple[CodeEntries, ...]


_CALLERS = ("code_callers", CALLS, True)
_CALLEES = ("code_callees", CALLS, False)
_OTHERS = (
    ("code_tests", frozenset({EdgeKind.TESTS}), True),
    ("code_tested", frozenset({EdgeKind.TESTS}), False),
    ("code_bases", frozenset({EdgeKind.INHERITS}), False),
    ("code_derived", frozenset({EdgeKind.INHERITS}), True),
    ("code_inside", frozenset({EdgeKind.CONTAINS}), True),
    ("code_members", frozenset({EdgeKind.CONTAINS}), False),
    ("code_imports", frozenset({EdgeKind.IMPORTS}), False),
    ("code_imported", frozenset({EdgeKind.IMPORTS}), True),
)


def graph_named(report: RunReport) -> str | None:
    """The stored graph that the run asked last; None where it asked none."""
    field = "document" if report.run.workflow == GRAPH else "graph"
    replies = (step.reply for step in reversed(report.steps) if step.reply)
    return next((str(reply[field]) for reply in replies if reply.get(field)), None)


def code_page_of(report: RunReport) -> str:
    """The address at which places in the code are looked up; empty where no graph is known."""
    return "" if graph_named(report) is None else f"/runs/{report.run.id}/code"


def neighbourhood(index: GraphIndex, place: int) -> CodeNeighbourhood:
    """All that is next to a node."""
    node = index.node(place)
    others = (_entries(index, place, *each) for each in _OTHERS)
    return CodeNeighbourhood(
        symbol=_entry(node),
        signature=node.signature,
        summary=node.summary,
        callers=_entries(index, place, *_CALLERS),
        callees=_entries(index, place, *_CALLEES),
        others=tuple(each for each in others if each.entries),
    )


def _entries(
    index: GraphIndex, place: int, code: str, kinds: frozenset[EdgeKind], backwards: bool
) -> CodeEntries:
    ends = dict.fromkeys(index.neighbours(place, kinds, backwards=backwards))
    shown = [
        _entry(index.node(end), _sites(index, end, place, kinds, backwards=backwards))
        for end in list(ends)[:MOST_SHOWN]
    ]
    ordered = sorted(shown, key=lambda entry: (entry.kind == SymbolKind.EXTERNAL, entry.id))
    return CodeEntries(code, tuple(ordered), len(ends) - len(shown))


def _sites(
    index: GraphIndex, end: int, place: int, kinds: frozenset[EdgeKind], *, backwards: bool
) -> tuple[str, ...]:
    if not kinds & CALLS:
        return ()
    source, target = (end, place) if backwards else (place, end)
    sites = dict.fromkeys(index.sites(source, target, kinds))
    return tuple(f"{site.path}:{site.line}" for site in sites)


def _entry(node: Node, sites: tuple[str, ...] = ()) -> CodeEntry:
    owner, _, name = node.id.rpartition(".")
    place = f"{node.file}:{node.line}" if node.file else ""
    return CodeEntry(node.id, name, owner, node.kind, place, sites)


def meant(index: GraphIndex, symbol: str, at: str) -> tuple[int, ...]:
    """The nodes that a name or a place (`path:line`) may mean, the likeliest first."""
    if symbol:
        exact = index.place_of(symbol)
        return index.find(symbol) if exact is None else (exact,)
    path, _, line = at.rpartition(":")
    place = index.around(path, int(line)) if line.isdecimal() and len(line) < 8 else None
    return () if place is None else (place,)


def candidates(index: GraphIndex, places: Iterable[int]) -> CodeEntries:
    """What a name may mean."""
    known = list(places)
    shown = tuple(_entry(index.node(place)) for place in known[:MOST_CANDIDATES])
    return CodeEntries("code_candidates", shown, len(known) - len(shown))


def starting_points(report: RunReport, index: GraphIndex) -> CodeEntries:
    """Where a reader may begin: the symbols that an agent looked at, and those in which findings stand."""
    places = dict.fromkeys((*_of_context(report, index), *_of_findings(report, index)))
    shown = candidates(index, places)
    return CodeEntries("code_begin", shown.entries, shown.more)


def _of_context(report: RunReport, index: GraphIndex) -> Iterator[int]:
    bodies = [row.body for row in report.records if row.kind == TransitionRecord.kind]
    if bodies:
        for name in TransitionRecord.model_validate(bodies[-1]).context.current_symbols:
            yield from index.find(name)[:1]


def _of_findings(report: RunReport, index: GraphIndex) -> Iterator[int]:
    for finding in report.ranked:
        if finding.place is not None:
            around = index.around(finding.place.path, finding.place.line)
            if around is not None:
                yield around
