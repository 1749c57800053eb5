"""Which keys stored texts are sealed with; sealing all of them with the first key, in portions that are harmless twice.

What is sealed with another key, or not at all, is read, opened and written again. A run's rows are changed under its
lock, documents one by one; what somebody has locked is the next portion's.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections import Counter
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from shared.store.database import Connection
from shared.store.sealing import MAGIC, MARK, sealer_of

DOCUMENTS_AT_ONCE = 50
COLUMNS: dict[str, tuple[str, ...]] = {
    "specs": ("spec",),
    "requests": ("bodies",),
    "steps": ("reply", "failure_message", "note"),
    "records": ("body",),
    "decisions": ("question", "answer"),
    "findings": ("title", "body"),
    "stances": ("reason",),
    "events": ("body",),
    "runs": ("outcome",),
}
"""The columns of runs whose texts are sealed."""
_TEXTS = frozenset({("findings", "title"), ("stances", "reason")}) | {
    ("steps", "failure_message"),
    ("steps", "note"),
}
OPEN = ""
"""Stands for no key."""


@dataclass(frozen=True)
class SealedWith:
    """How many documents and rows of runs are sealed with a key; without `key`: with none."""

    key: str
    documents: int
    rows: int


def _named(key: str) -> str:
    """How a sealed text begins, up to where the key's id ends within a character of base64."""
    return MARK + urlsafe_b64encode(bytes.fromhex(key))[:10].decode()


def sealed_with(connection: Connection, keys: tuple[str, ...]) -> list[SealedWith]:
    """What is sealed with which key; reads everything."""
    documents: Counter[str] = Counter()
    for row in connection.execute(
        "SELECT CASE WHEN substring(content FROM 1 FOR 5) = %b "
        "THEN encode(substring(content FROM 6 FOR 8), 'hex') ELSE '' END AS key, count(*) AS n "
        "FROM documents GROUP BY 1",
        (MAGIC,),
    ):
        documents[row.key] = row.n
    rows: Counter[str] = Counter()
    known = sorted({*keys, *(key for key in documents if key), *_listed(connection)})
    for table, columns in COLUMNS.items():
        text = f"concat_ws(' ', {', '.join(f'{column}::text' for column in columns)})"
        for key in known:
            rows[key] += _count(
                connection, f'FROM "{table}" WHERE position(%s in {text}) > 0', _named(key)
            )
        rows[OPEN] += _count(connection, f'FROM "{table}" WHERE position(%s in {text}) = 0', MARK)
    return [SealedWith(key, documents[key], rows[key]) for key in (*known, OPEN)]


def _listed(connection: Connection) -> list[str]:
    return [row.id for row in connection.execute("SELECT id FROM sealing_keys").fetchall()]


def _count(connection: Connection, source: str, *values: str) -> int:
    row = connection.execute(f"SELECT count(*) AS n {source}", values).fetchone()
    return 0 if row is None else int(row.n)


def reseal_documents(connection: Connection, after: str) -> tuple[int, str | None]:
    """Seal some documents with the first key: how many were, and where to go on (None at the end)."""
    sealer = sealer_of(connection)
    rows = connection.execute(
        "SELECT sha256, substring(content FROM 1 FOR 13) = %b AS current FROM documents WHERE sha256 > %s "
        f"ORDER BY sha256 LIMIT {DOCUMENTS_AT_ONCE}",
        (MAGIC + bytes.fromhex(sealer.ids[0]), after),
    ).fetchall()
    changed = 0
    for row in rows:
        if row.current:
            continue
        found = connection.execute(
            "SELECT content FROM documents WHERE sha256 = %s FOR UPDATE SKIP LOCKED", (row.sha256,)
        ).fetchone()
        if found is not None:
            connection.execute(
                "UPDATE documents SET content = %b WHERE sha256 = %s",
                (sealer.seal(bytes(found.content)), row.sha256),
            )
            changed += 1
    return changed, rows[-1].sha256 if len(rows) == DOCUMENTS_AT_ONCE else None


def next_run(connection: Connection, after: str) -> str | None:
    """The run after that one, in the order of their names."""
    row = connection.execute(
        "SELECT id FROM runs WHERE id > %s ORDER BY id LIMIT 1", (after,)
    ).fetchone()
    return None if row is None else str(row.id)


def reseal_run(connection: Connection, run: str) -> int:
    """Seal the texts of a run's rows with the first key; how many rows were changed. In one transaction."""
    connection.execute("SELECT id FROM runs WHERE id = %s FOR UPDATE", (run,))
    return sum(_reseal(connection, table, run) for table in COLUMNS)


def _reseal(connection: Connection, table: str, run: str) -> int:
    sealer = sealer_of(connection)
    columns = COLUMNS[table]
    own = "id" if table == "runs" else "run_id"
    text = f"concat_ws(' ', {', '.join(f'{column}::text' for column in columns)})"
    rows = connection.execute(
        f'SELECT ctid::text AS place, {", ".join(columns)} FROM "{table}" '
        f"WHERE {own} = %s AND position(%s in {text}) = 0 AND {text} <> '' FOR UPDATE",
        (run, _named(sealer.ids[0])),
    ).fetchall()
    changed = 0
    for row in rows:
        values = row._asdict()
        sealed = {name: _sealed(sealer, table, name, values[name]) for name in columns}
        if any(MARK in str(value) for value in sealed.values()):
            named = ", ".join(f"{name} = %s" for name in columns)
            connection.execute(
                f'UPDATE "{table}" SET {named} WHERE ctid = %s::tid', (*sealed.values(), row.place)
            )
            changed += 1
    return changed


def _sealed(sealer: Any, table: str, column: str, value: Any) -> str | None:
    if value is None:
        return None
    if (table, column) in _TEXTS:
        return str(sealer.seal_text(value))
    return to_json(sealer.seal_value(value)).decode()


def forget_keys(connection: Connection) -> None:
    """Only the first key seals anything here any more."""
    first = sealer_of(connection).ids[0]
    connection.execute("DELETE FROM sealing_keys WHERE id <> %s", (first,))
