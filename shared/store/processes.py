"""Presence: which processes are alive, on the database's clock."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shared.store.database import Connection

SILENCE_S = 8.0
"""A process that says nothing for so long has lost its steps."""


@dataclass(frozen=True)
class ProcessRow:
    """A worker or orchestrator process, its `id` unique for ever; `slots` is how many steps it works on at once."""

    id: str
    kind: str
    host: str
    pid: int
    version: str
    slots: int
    seen_at: datetime
    silent_s: float


@dataclass(frozen=True)
class Company:
    """What a process shares its servers with: the schema's revision, and the versions of the living processes."""

    revision: str | None
    versions: frozenset[str]


def beat(
    connection: Connection,
    *,
    process: str,
    kind: str,
    host: str,
    pid: int,
    version: str,
    slots: int = 0,
) -> Company:
    """Say that a process is alive now, and see with whom."""
    row = connection.execute(
        "INSERT INTO processes (id, kind, host, pid, version, slots) VALUES (%s, %s, %s, %s, %s, %s) "
        "ON CONFLICT (id) DO UPDATE SET seen_at = now() "
        "RETURNING (SELECT version_num FROM alembic_version), "
        "ARRAY(SELECT DISTINCT version FROM processes WHERE seen_at > now() - make_interval(secs => %s))",
        (process, kind, host, pid, version, slots, SILENCE_S),
    ).fetchone()
    assert row is not None
    return Company(row[0], frozenset(row[1]))


def leave(connection: Connection, process: str) -> None:
    """A process ends in good order."""
    connection.execute("DELETE FROM processes WHERE id = %s", (process,))


def list_processes(connection: Connection) -> list[ProcessRow]:
    """All known processes, the longest silent last."""
    rows = connection.execute(
        "SELECT id, kind, host, pid, version, slots, seen_at, "
        "extract(epoch FROM now() - seen_at)::float AS silent_s FROM processes ORDER BY seen_at DESC"
    ).fetchall()
    return [ProcessRow(*row) for row in rows]
