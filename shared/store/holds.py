"""Runs and batches that no purge removes, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shared.store.database import Connection

_LOCK = 0x484F4C44  # "HOLD"


@dataclass(frozen=True)
class Hold:
    """What is held: a run with all that belongs to it, or the runs of a batch."""

    run_id: str | None
    batch: str | None
    reason: str
    actor: str
    created_at: datetime


def lock_holds(connection: Connection) -> None:
    """Until the end of this transaction: nobody purges while something is held, nor the other way round."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))


def add_hold(
    connection: Connection, *, run: str | None, batch: str | None, reason: str, actor: str
) -> bool:
    """Hold a run or a batch from this transaction's commit on; False when it is held already (by another reason)."""
    lock_holds(connection)
    row = connection.execute(
        "INSERT INTO holds (run_id, batch, reason, actor) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT DO NOTHING RETURNING id",
        (run, batch, reason, actor),
    ).fetchone()
    return row is not None


def remove_hold(connection: Connection, *, run: str | None, batch: str | None) -> bool:
    """Let a run or a batch go; False when it was not held."""
    row = connection.execute(
        "DELETE FROM holds WHERE run_id = %s OR batch = %s RETURNING id", (run, batch)
    ).fetchone()
    return row is not None


def list_holds(connection: Connection) -> list[Hold]:
    """All of them, the newest first."""
    rows = connection.execute(
        "SELECT run_id, batch, reason, actor, created_at FROM holds ORDER BY id DESC"
    ).fetchall()
    return [Hold(**row._asdict()) for row in rows]


def is_batch(connection: Connection, name: str) -> bool:
    """Whether runs are counted under that batch's name."""
    row = connection.execute(
        "SELECT EXISTS (SELECT FROM batches WHERE name = %(name)s) OR EXISTS ("
        "SELECT FROM specs WHERE spec->'labels'->>'batch' = %(name)s) AS known",
        {"name": name},
    ).fetchone()
    return bool(row and row.known)
