"""What tests reach of the program proper, themselves or by way of helpers among the tests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from shared.models.code_graph import Edge, EdgeKind, FileFacts, SymbolKind
from workers.tools.agent.search_words import name_parts

_CALLED = frozenset((EdgeKind.CALLS, EdgeKind.INSTANTIATES))
_CODE = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD))
MOST_HELPERS = 500
"""Of the helpers that one test leads to."""


def is_test(path: str) -> bool:
    """True for files that hold tests by the usual names, in any language."""
    file = PurePosixPath(path)
    parts = name_parts(file.name.partition(".")[0])
    folders = {part.casefold() for part in file.parts[:-1]}
    ends = file.name.casefold().rsplit(".", 2)[1:-1]
    named = bool(parts) and (
        parts[0] in ("test", "tests", "conftest") or parts[-1] in ("test", "tests", "spec")
    )
    return (
        named
        or bool({"test", "spec"} & set(ends))
        or bool({"tests", "test", "__tests__", "spec", "specs"} & folders)
    )


def test_edges(files: Iterable[FileFacts], edges: Iterable[Edge]) -> Iterator[Edge]:
    """From each test to what it calls outside of the tests, at the line of the test."""
    tests, helpers, product = _functions(files)
    calls: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        if edge.kind in _CALLED and edge.source in helpers:
            calls[edge.source].add(edge.target)
    for name, (path, line) in tests.items():
        for target in sorted(_reached(name, calls) & product):
            yield Edge(name, target, EdgeKind.TESTS, path, line)


def _functions(
    files: Iterable[FileFacts],
) -> tuple[dict[str, tuple[str, int]], set[str], set[str]]:
    """Tests with their places, all that is defined in files of tests, and all that is defined elsewhere."""
    tests: dict[str, tuple[str, int]] = {}
    helpers: set[str] = set()
    product: set[str] = set()
    for facts in files:
        among_tests = is_test(facts.path)
        for symbol in facts.symbols:
            name = f"{facts.module}.{symbol.name}".rstrip(".")
            (helpers if among_tests else product).add(name)
            if among_tests and symbol.kind in _CODE and _names_test(symbol.name):
                tests.setdefault(name, (facts.path, symbol.line))
    return tests, helpers, product


def _names_test(name: str) -> bool:
    return name.rpartition(".")[2].casefold().startswith("test")


def _reached(start: str, calls: Mapping[str, Iterable[str]]) -> set[str]:
    """What a test calls, and what the helpers call that it calls."""
    reached: set[str] = set()
    waiting, seen = [start], {start}
    while waiting and len(seen) <= MOST_HELPERS:
        for target in calls.get(waiting.pop(), ()):
            reached.add(target)
            if target in calls and target not in seen:
                seen.add(target)
                waiting.append(target)
    return reached
