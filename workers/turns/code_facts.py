"""The facts of code in Postgres, as tools see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from shared.store.code_graph import (
    find_facts,
    find_graph,
    known_facts,
    put_facts,
    put_graph,
)
from shared.store.database import Database


class StoredCodeFacts:
    """The facts and graphs of the database, shared by all runs, repositories and commits."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def facts(self, keys: Sequence[str]) -> dict[str, bytes]:
        """The facts that are stored under these keys."""
        return self._database.run(partial(find_facts, keys=keys))

    def known(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which facts are stored."""
        return self._database.run(partial(known_facts, keys=keys))

    def keep_facts(self, facts: Mapping[str, bytes]) -> None:
        """Store facts under their keys."""
        self._database.run(partial(put_facts, facts=facts))

    def graph(self, key: str) -> str | None:
        """The document of a tree's graph, or None."""
        return self._database.run(partial(find_graph, key=key))

    def keep_graph(self, key: str, document: str) -> None:
        """Remember the stored document of a tree's graph."""
        self._database.run(partial(put_graph, key=key, document=document))
