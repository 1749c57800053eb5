"""Runs that come in a file are history: nothing of them is under way, nobody pays for them, no sum counts them.

A file is not trusted. A row's columns are those of the table here; a run that had not ended is cancelled, its open
steps and questions with it; it is in no line, no batch and nobody's repository (its labels get another name, but for
those that only say something), and its answers are reused by nobody (shared/store/reuse.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from pydantic_core import to_json

from shared.errors import UserError
from shared.models.outcomes import RunStatus, StepStatus
from shared.models.run_file import Imported, RunFileHeader
from shared.store.database import Connection
from shared.store.sealing import sealer_of

LABELS = ("forked_from", "forked_at", "copied_steps", "seats", "applied")
"""Labels that an imported run keeps; by no other one is anything found or done."""
FOREIGN = "origin."
_ENDED_STEPS = (StepStatus.DONE, StepStatus.FAILED, StepStatus.CANCELLED)


@contextmanager
def refusing(file: str) -> Iterator[None]:
    """Raises UserError where rows of a file cannot be stored: wrong types, broken references, a row twice."""
    try:
        yield
    except (psycopg.DataError, psycopg.IntegrityError) as error:
        why = str(error).strip().splitlines()[0]
        raise UserError(
            "{file} holds rows that cannot be stored: {why}; nothing was imported",
            file=file,
            why=why,
        ) from None


def find_import(connection: Connection, run: str) -> Imported | None:
    """Where a run comes from; None for one of this instance."""
    row = connection.execute(
        "SELECT run_id, digest, origin, actor, status, redacted, exported_at, at FROM imports WHERE run_id = %s",
        (run,),
    ).fetchone()
    return None if row is None else Imported(**row._asdict())


def known_runs(connection: Connection, runs: tuple[str, ...]) -> dict[str, str | None]:
    """Those of the runs that are here, with the checksum of the file that they came in (None: their home is here)."""
    rows = connection.execute(
        "SELECT r.id, i.digest FROM runs r LEFT JOIN imports i ON i.run_id = r.id WHERE r.id = ANY(%s)",
        (list(runs),),
    ).fetchall()
    return {row.id: row.digest for row in rows}


def columns_of(connection: Connection, tables: tuple[str, ...]) -> dict[str, frozenset[str]]:
    """The columns of tables as they are here."""
    rows = connection.execute(
        "SELECT table_name, array_agg(column_name::text) AS columns FROM information_schema.columns "
        "WHERE table_schema = current_schema() AND table_name = ANY(%s) GROUP BY 1",
        (list(tables),),
    ).fetchall()
    return {row.table_name: frozenset(row.columns) for row in rows}


def free_usage_ids(connection: Connection, count: int) -> int:
    """The first of so many ids below all that are given: the sums of days hold what is up to some id, never these."""
    row = connection.execute(
        "SELECT least(min(id), 0) - %s AS first FROM usage", (count,)
    ).fetchone()
    assert row is not None
    return int(row.first)


def insert_row(
    connection: Connection, table: str, row: Mapping[str, Any], columns: frozenset[str]
) -> None:
    """Store a row of an imported run; `columns` are those of the table."""
    values = _NEUTRAL.get(table, dict)(dict(row))
    values = sealed_row(connection, table, values)
    named = ", ".join(f'"{name}"' for name in sorted(columns & values.keys()))
    connection.execute(
        f'INSERT INTO "{table}" ({named}) SELECT {named} FROM jsonb_populate_record(NULL::"{table}", %s::jsonb)',
        (to_json(values).decode(),),
    )


def sealed_row(connection: Connection, table: str, row: dict[str, Any]) -> dict[str, Any]:
    """A row as it is stored: of a run only its outcome has texts that are sealed."""
    sealer = sealer_of(connection)
    if not sealer.is_on:
        return row
    if table == "runs":
        return {**row, "outcome": sealer.seal_value(row.get("outcome"))}
    sealed: dict[str, Any] = sealer.seal_value(row)
    return sealed


def note_import(
    connection: Connection,
    header: RunFileHeader,
    digest: str,
    actor: str,
    statuses: Mapping[str, str],
) -> None:
    """Write down where these runs come from."""
    for run in header.runs:
        connection.execute(
            "INSERT INTO imports (run_id, digest, origin, actor, status, redacted, exported_at) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (
                run,
                digest,
                header.origin,
                actor,
                statuses.get(run, ""),
                header.redacted,
                header.exported_at,
            ),
        )


def _run(row: dict[str, Any]) -> dict[str, Any]:
    ended = row.get("status") in {str(status) for status in RunStatus if status.final}
    return {
        **row,
        "status": row["status"] if ended else RunStatus.CANCELLED,
        "finished_at": row.get("finished_at") or row.get("updated_at"),
        "open_steps": 0,
        "watched": False,
        "batch": None,
        "idempotency_key": None,
        "deadline_at": None,
        "blocked_reason": None if ended else row.get("blocked_reason"),
    }


def _spec(row: dict[str, Any]) -> dict[str, Any]:
    spec = dict(row["spec"])
    labels = spec.get("labels") or {}
    spec["labels"] = {
        name if name in LABELS else f"{FOREIGN}{name}": value for name, value in labels.items()
    }
    return {**row, "spec": {**spec, "watched": False}}


def _step(row: dict[str, Any]) -> dict[str, Any]:
    if row.get("status") in _ENDED_STEPS:
        return {**row, "owner": None, "claim": None}
    return {
        **row,
        "status": StepStatus.CANCELLED,
        "finished_at": row.get("leased_at") or row.get("created_at"),
        "owner": None,
        "claim": None,
    }


def _decision(row: dict[str, Any]) -> dict[str, Any]:
    state = "cancelled" if row.get("state") == "open" else row.get("state")
    answered = row.get("answered_at") or row.get("opened_at")
    return {
        **row,
        "state": state,
        "offered": None,
        "deadline_at": None,
        "answered_at": answered,
        "consumed_at": row.get("consumed_at") or answered,
    }


_NEUTRAL = {"runs": _run, "specs": _spec, "steps": _step, "decisions": _decision}
