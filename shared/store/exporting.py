"""All that is stored of a run and of the runs that it started, row by row, in one snapshot of the database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from shared.models.run_file import TABLES
from shared.store.children import TREE
from shared.store.database import Connection

_DOCUMENTS_AT_ONCE = 20
_OWN = {"runs": "id"}
_ORDER = {"runs": "depth, id", "steps": "run_id, position, key", "usage": "id"}


def one_snapshot(connection: Connection) -> None:
    """Everything that this transaction reads is of one moment; it must be its first statement."""
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def tree_of(connection: Connection, run: str) -> list[str]:
    """A run and everything below it, itself first."""
    rows = connection.execute(
        f"SELECT id FROM runs WHERE id = ANY({TREE.format(run='%(run)s')}) ORDER BY depth, id",
        {"run": run},
    ).fetchall()
    return [row.id for row in rows]


def count_rows(connection: Connection, runs: Sequence[str]) -> dict[str, int]:
    """How many rows of each table belong to these runs."""
    counts = {}
    for table in TABLES:
        row = connection.execute(
            f'SELECT count(*) AS n FROM "{table}" WHERE {_OWN.get(table, "run_id")} = ANY(%s)',
            (list(runs),),
        ).fetchone()
        assert row is not None
        counts[table] = row.n
    return counts


def rows_of(connection: Connection, runs: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(table, row) of these runs. The first run is a root here: what is above it is not told."""
    top = connection.execute("SELECT depth FROM runs WHERE id = %s", (runs[0],)).fetchone()
    depth = 0 if top is None else top.depth
    for table in TABLES:
        own = _OWN.get(table, "run_id")
        order = _ORDER.get(table, "run_id")
        rows = connection.execute(
            f'SELECT to_jsonb(t) AS row FROM "{table}" t WHERE {own} = ANY(%s) ORDER BY {order}',
            (list(runs),),
        )
        for found in rows:
            row = found.row
            if table == "runs":
                row = {**row, **_placed(row, runs[0], depth)}
            yield table, row


def _placed(row: dict[str, Any], top: str, depth: int) -> dict[str, Any]:
    if row["id"] == top:
        return {"parent_run": None, "parent_step": None, "root_run": None, "depth": 0}
    return {"root_run": top, "depth": row["depth"] - depth}


def contents_of(connection: Connection, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Documents with their contents, a few at a time."""
    for at in range(0, len(names), _DOCUMENTS_AT_ONCE):
        rows = connection.execute(
            "SELECT sha256, content FROM documents WHERE sha256 = ANY(%s) ORDER BY sha256",
            (list(names[at : at + _DOCUMENTS_AT_ONCE]),),
        )
        for row in rows:
            yield row.sha256, bytes(row.content)
