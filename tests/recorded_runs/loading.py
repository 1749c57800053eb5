"""A database as an earlier version left it: rows written at its revision, then brought to this version's schema."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from shared.store.database import Connection, Database
from shared.store.migrate import upgrade
from tests.recorded_runs.reading import Row, State

# Rows that name a run come after it.
_TABLES = (
    "processes runs steps usage reservations decisions assessments findings stances events".split()
)
_NUMBERED_ANEW = {("usage", "id")}
_MOMENTS = frozenset(
    "created_at updated_at deadline_at finished_at leased_at lease_until dispatched_at not_before at"
    " opened_at answered_at consumed_at started_at seen_at".split()
)


def load(url: str, *states: State, ago: timedelta | None = None, revision: str = "head") -> None:
    """Fill an empty database and upgrade it, to `revision`. With `ago` the states were taken so long before now."""
    assert len({state.schema for state in states}) == 1
    database = Database(url, pool_size=1, patience_s=10)
    try:
        upgrade(database, states[0].schema)
        database.run(_show_moments_alike)
        for state in states:
            late = None if ago is None else datetime.now(UTC) - ago - state.taken_at
            database.run(partial(_fill, state=state, late=late), atomic=True)
        upgrade(database, revision)
    finally:
        database.close()


def _show_moments_alike(connection: Connection) -> None:
    """Sessions of this database say moments in UTC wherever the test runs."""
    name = connection.execute("SELECT quote_ident(current_database()) AS name").fetchone()
    assert name is not None
    connection.execute(f"ALTER DATABASE {name.name} SET timezone TO 'UTC'")


def _fill(connection: Connection, state: State, late: timedelta | None) -> None:
    documents = [
        {"sha256": name, "content": f"\\x{text.encode().hex()}"}
        for name, text in state.documents.items()
    ]
    _insert(connection, "documents", documents)
    for table in _TABLES:
        rows = state.tables[table]
        _insert(connection, table, [_moved(table, row, late) for row in rows])


def _moved(table: str, row: Row, late: timedelta | None) -> Row:
    kept = {name: value for name, value in row.items() if (table, name) not in _NUMBERED_ANEW}
    if late is None:
        return kept
    return {name: _later(name, value, late) for name, value in kept.items()}


def _later(name: str, value: Any, late: timedelta) -> Any:
    if name not in _MOMENTS or value is None:
        return value
    return (datetime.fromisoformat(value) + late).isoformat()


def _insert(connection: Connection, table: str, rows: list[Row]) -> None:
    if rows:
        names = ", ".join(rows[0])
        connection.execute(
            f"INSERT INTO {table} ({names}) "
            f"SELECT {names} FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb) ON CONFLICT DO NOTHING",
            (json.dumps(rows),),
        )
