"""What tools keep of code: the facts of files and the graphs of trees, each under a name that says all it depends on.

A worker gives them those of the database; the double lives in memory. `tests/workers/turns/test_code_facts.py` runs
over both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol


class CodeFacts(Protocol):
    """Facts of files and graphs of trees. A tool can add some and read; it can neither change nor remove any."""

    def facts(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The facts that are stored under these keys; what is not stored is missing."""

    def known(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which facts are stored."""

    def keep_facts(self, facts: Mapping[str, bytes]) -> None:
        """Store facts under their keys; those that are there stay as they are."""

    def graph(self, key: str) -> str | None:
        """The document of a tree's graph, or None."""

    def keep_graph(self, key: str, document: str) -> None:
        """Remember the stored document of a tree's graph; the first one stays."""


class MemoryCodeFacts:
    """A `CodeFacts` that lives as long as its process, for tests and for work without a database."""

    def __init__(self) -> None:
        self._facts: dict[str, bytes] = {}
        self._graphs: dict[str, str] = {}

    def facts(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The facts that are stored under these keys."""
        return {key: self._facts[key] for key in keys if key in self._facts}

    def known(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which facts are stored."""
        return frozenset(keys) & self._facts.keys()

    def keep_facts(self, facts: Mapping[str, bytes]) -> None:
        """Store facts under their keys."""
        for key, content in facts.items():
            self._facts.setdefault(key, content)

    def graph(self, key: str) -> str | None:
        """The document of a tree's graph, or None."""
        return self._graphs.get(key)

    def keep_graph(self, key: str, document: str) -> None:
        """Remember the stored document of a tree's graph."""
        self._graphs.setdefault(key, document)
