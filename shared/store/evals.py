"""Evaluations: which labelled cases were given to which panels, and the runs that answer them.

A run is found by its idempotency key, which says what was asked and of whom: an identical case before the same panel is
one run, whichever evaluation asked first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared.models.outcomes import RunStatus
from shared.store.database import Connection


@dataclass(frozen=True)
class EvalRow:
    """An evaluation as it is stored; `body` is its definition."""

    name: str
    body: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True)
class KeyedRun:
    """The run that has an idempotency key, and how it stands."""

    key: str
    run: str
    status: RunStatus


@dataclass(frozen=True)
class CallsRow:
    """What a participant's calls in a run, or in one that it started, cost; `unknown` have no known price."""

    run: str
    participant: str
    calls: int
    cost_usd: float | None
    unknown: int


def create_eval(connection: Connection, name: str, body: str) -> EvalRow:
    """Store an evaluation unless its name is taken; the one that has the name."""
    connection.execute(
        "INSERT INTO evals (name, body) VALUES (%s, %s::jsonb) ON CONFLICT DO NOTHING", (name, body)
    )
    row = find_eval(connection, name)
    assert row is not None
    return row


def find_eval(connection: Connection, name: str) -> EvalRow | None:
    """The evaluation of that name."""
    row = connection.execute(
        "SELECT name, body, created_at FROM evals WHERE name = %s", (name,)
    ).fetchone()
    return None if row is None else EvalRow(*row)


def list_evals(connection: Connection, limit: int) -> list[EvalRow]:
    """The newest evaluations."""
    rows = connection.execute(
        "SELECT name, body, created_at FROM evals ORDER BY created_at DESC, name LIMIT %s", (limit,)
    ).fetchall()
    return [EvalRow(*row) for row in rows]


def replace_eval(connection: Connection, name: str, body: str) -> None:
    """Store what has become of an evaluation's definition."""
    connection.execute("UPDATE evals SET body = %s::jsonb WHERE name = %s", (body, name))


def runs_by_key(connection: Connection, keys: Sequence[str]) -> dict[str, KeyedRun]:
    """The runs that have these idempotency keys; a key that none has is left out."""
    rows = connection.execute(
        "SELECT idempotency_key AS key, id, status FROM runs "
        "WHERE idempotency_key = ANY(%s) AND idempotency_key IS NOT NULL",
        (list(keys),),
    ).fetchall()
    return {row.key: KeyedRun(row.key, row.id, RunStatus(row.status)) for row in rows}


_CALLS = """
SELECT r.root, u.participant, count(*)::int AS calls, sum(u.cost_usd) AS cost_usd,
       (count(*) - count(u.cost_usd))::int AS unknown
  FROM (SELECT id, id AS root FROM runs WHERE id = ANY(%(runs)s)
        UNION ALL SELECT id, root_run FROM runs WHERE root_run = ANY(%(runs)s)) r
  JOIN usage u ON u.run_id = r.id GROUP BY 1, 2 ORDER BY 1, 2
"""


def calls_by_participant(connection: Connection, runs: Sequence[str]) -> list[CallsRow]:
    """What each participant's calls cost in each of these runs, those that they started included."""
    rows = connection.execute(_CALLS, {"runs": list(runs)}).fetchall()
    return [CallsRow(*row) for row in rows]
