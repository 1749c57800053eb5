"""Which documents rows refer to: by their names, anywhere in what is stored as JSON, and in documents themselves.

A name is 64 hexadecimal digits, which nothing else of ours is; what looks like one and is none costs a look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shared.patterns import regex
from shared.store.database import Connection

_NAME = regex(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_NAME_IN_BYTES = regex(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_READ_AT_ONCE = 50

_VALUES = """
SELECT run_id, spec AS value FROM specs WHERE run_id = ANY(%(runs)s)
UNION ALL SELECT run_id, bodies FROM requests WHERE run_id = ANY(%(runs)s)
UNION ALL SELECT run_id, reply FROM steps WHERE run_id = ANY(%(runs)s) AND reply IS NOT NULL
UNION ALL SELECT run_id, body FROM records WHERE run_id = ANY(%(runs)s)
UNION ALL SELECT run_id, body FROM events WHERE run_id = ANY(%(runs)s)
UNION ALL SELECT run_id, jsonb_build_array(question, answer, offered, shown_sha256) FROM decisions
           WHERE run_id = ANY(%(runs)s)
UNION ALL SELECT id, outcome FROM runs WHERE id = ANY(%(runs)s) AND outcome IS NOT NULL
UNION ALL SELECT run_id, to_jsonb(response) FROM usage WHERE run_id = ANY(%(runs)s) AND response IS NOT NULL
UNION ALL SELECT run_id, participant FROM batched_calls WHERE run_id = ANY(%(runs)s)
"""


def names_in(value: Any) -> Iterator[str]:
    """The names of documents in a value of JSON, among them what only looks like one."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, str):
            if len(inner) >= 64:
                yield from _NAME.findall(inner)
        elif isinstance(inner, dict):
            waiting += inner.keys()
            waiting += inner.values()
        elif isinstance(inner, list):
            waiting += inner


class References:
    """What runs refer to, directly or by documents that name others; each document is read once."""

    def __init__(self) -> None:
        """Nothing has been read."""
        self._named: dict[str, frozenset[str]] = {}

    def of_runs(self, connection: Connection, runs: Sequence[str]) -> dict[str, set[str]]:
        """The stored documents that each of these runs refers to."""
        named: dict[str, set[str]] = {run: set() for run in runs}
        for row in connection.execute(_VALUES, {"runs": list(runs)}):
            named[row.run_id].update(names_in(row.value))
        return {run: self._closed(connection, names) for run, names in named.items()}

    def of_values(self, connection: Connection, values: Iterable[Any]) -> set[str]:
        """The stored documents that these values of JSON refer to."""
        return self._closed(connection, {name for value in values for name in names_in(value)})

    def _closed(self, connection: Connection, names: set[str]) -> set[str]:
        """With what is named in the documents of these names, and so on; without what is no document."""
        reached: set[str] = set()
        waiting = set(names)
        while waiting:
            self._read(connection, waiting - self._named.keys())
            there = {name for name in waiting if name in self._named}
            reached |= there
            waiting = {inner for name in there for inner in self._named[name]} - reached
        return reached

    def _read(self, connection: Connection, names: set[str]) -> None:
        wanted = sorted(names)
        for at in range(0, len(wanted), _READ_AT_ONCE):
            rows = connection.execute(
                "SELECT sha256, content FROM documents WHERE sha256 = ANY(%s)",
                (wanted[at : at + _READ_AT_ONCE],),
            )
            for row in rows:
                inner = {name.decode() for name in _NAME_IN_BYTES.findall(row.content)}
                self._named[row.sha256] = frozenset(inner - {row.sha256})
