"""Schedules, and their firings: the moments at which one started a run, or should have.

A firing's row is made once, by whoever first notices that it is due. Whoever takes it holds a lease; a process that
dies loses it, and the next one submits with the same idempotency key: at most one run for each firing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from shared.store.database import Connection
from shared.store.projects import seen, seen_project, seen_projects

LEASE_S = 20.0
MOST_ATTEMPTS = 3
KEPT_FIRINGS = 1_000


class FiringState(StrEnum):
    """How a firing stands. `nothing`: there was nothing to submit; `missed`: nobody was there to start it."""

    DUE = "due"
    SUBMITTED = "submitted"
    NOTHING = "nothing"
    FAILED = "failed"
    MISSED = "missed"


@dataclass(frozen=True)
class Schedule:
    """A schedule as it is stored. `command` is what follows `quorate`; it runs in `directory`.

    `host` is the only machine that starts it (None: any), `project` what its runs belong to (None: none). `due_at` is
    the next due time, `next_at` that with its jitter; both are None when there is none.
    """

    name: str
    cron: str
    timezone: str
    command: tuple[str, ...]
    directory: str
    host: str | None
    jitter_s: float
    missed: str
    paused: bool
    due_at: datetime | None
    next_at: datetime | None
    project: str | None = None


@dataclass(frozen=True)
class Firing:
    """One firing; `status` and `verdict` are those of its run."""

    schedule: str
    due_at: datetime
    state: FiringState
    attempts: int
    run: str | None
    message: str | None
    ended_at: datetime | None
    status: str | None
    verdict: str | None


@dataclass(frozen=True)
class FiringClaim:
    """A firing that this process starts; `token` is the lease's."""

    schedule: Schedule
    due_at: datetime
    token: int


_SCHEDULE = (
    "s.name, s.cron, s.timezone, s.command, s.directory, s.host, s.jitter_s, s.missed, s.paused, "
    "s.due_at, s.next_at, s.project"
)


def now_of(connection: Connection) -> datetime:
    """The database's clock."""
    row = connection.execute("SELECT now()").fetchone()
    assert row is not None
    moment: datetime = row[0]
    return moment


def add_schedule(connection: Connection, schedule: Schedule) -> bool:
    """Store a schedule; False when its name is taken."""
    values = (
        schedule.name,
        schedule.cron,
        schedule.timezone,
        json.dumps(schedule.command),
        schedule.directory,
        schedule.host,
        schedule.jitter_s,
        schedule.missed,
        schedule.paused,
        schedule.due_at,
        schedule.next_at,
        schedule.project,
    )
    stored = connection.execute(
        "INSERT INTO schedules (name, cron, timezone, command, directory, host, jitter_s, missed, paused, due_at, "
        "next_at, project) VALUES (%s, %s, %s, %s::jsonb, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
        values,
    )
    return stored.rowcount == 1


def find_schedule(connection: Connection, name: str, *, lock: bool = False) -> Schedule | None:
    """The schedule of that name; `lock`: nobody else changes it until the transaction ends."""
    row = connection.execute(
        f"SELECT {_SCHEDULE} FROM schedules s WHERE s.name = %(name)s AND {seen_project(connection, 's.project')}"
        f"{' FOR UPDATE' if lock else ''}",
        {"name": name, **seen_projects(connection)},
    ).fetchone()
    return None if row is None else _schedule(row)


def list_schedules(connection: Connection) -> list[Schedule]:
    """All of them by name."""
    rows = connection.execute(
        f"SELECT {_SCHEDULE} FROM schedules s WHERE {seen_project(connection, 's.project')} ORDER BY s.name",
        seen_projects(connection),
    ).fetchall()
    return [_schedule(row) for row in rows]


def due_schedules(connection: Connection) -> list[Schedule]:
    """Those whose start has come, locked; what another process looks at is left to it."""
    rows = connection.execute(
        f"SELECT {_SCHEDULE} FROM schedules s WHERE s.next_at <= now() AND NOT s.paused "
        "ORDER BY s.next_at LIMIT 100 FOR UPDATE SKIP LOCKED"
    ).fetchall()
    return [_schedule(row) for row in rows]


def set_next(
    connection: Connection,
    name: str,
    due_at: datetime | None,
    next_at: datetime | None,
    *,
    paused: bool = False,
) -> None:
    """When a schedule is due next, and whether it is paused."""
    connection.execute(
        "UPDATE schedules SET due_at = %s, next_at = %s, paused = %s WHERE name = %s",
        (due_at, next_at, paused, name),
    )


def remove_schedule(connection: Connection, name: str) -> bool:
    """Forget a schedule and its firings; their runs stay. False when there is none of that name."""
    removed = connection.execute("DELETE FROM schedules WHERE name = %s", (name,))
    return removed.rowcount == 1


def add_firing(
    connection: Connection, name: str, due_at: datetime, state: FiringState = FiringState.DUE
) -> bool:
    """Enter a firing; False when it is known already. The oldest ones of its schedule are forgotten."""
    added = connection.execute(
        "INSERT INTO firings (schedule, due_at, state, ended_at) "
        "VALUES (%s, %s, %s, CASE WHEN %s = 'due' THEN NULL ELSE now() END) ON CONFLICT DO NOTHING",
        (name, due_at, state.value, state.value),
    )
    connection.execute(
        "DELETE FROM firings WHERE schedule = %s AND state <> 'due' AND due_at < (SELECT due_at FROM firings "
        "WHERE schedule = %s ORDER BY due_at DESC OFFSET %s LIMIT 1)",
        (name, name, KEPT_FIRINGS),
    )
    return added.rowcount == 1


_CLAIM = f"""
WITH taken AS (
  UPDATE firings f SET token = f.token + 1, attempts = f.attempts + 1,
         claimed_until = now() + make_interval(secs => %(lease)s)
   WHERE (f.schedule, f.due_at) = (
     SELECT d.schedule, d.due_at FROM firings d JOIN schedules s ON s.name = d.schedule
      WHERE d.state = 'due' AND d.attempts < %(most)s AND (d.claimed_until IS NULL OR d.claimed_until < now())
        AND (s.host IS NULL OR s.host = %(host)s)
        AND (%(schedule)s::text IS NULL OR d.schedule = %(schedule)s)
      ORDER BY d.due_at LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
  RETURNING f.schedule, f.due_at AS fires_at, f.token)
SELECT {_SCHEDULE}, t.fires_at, t.token FROM taken t JOIN schedules s ON s.name = t.schedule
"""


def claim_firing(
    connection: Connection, host: str, schedule: str | None = None
) -> FiringClaim | None:
    """Take the oldest firing that is due for this host, of one schedule if it is named; None when there is none."""
    values = {"lease": LEASE_S, "most": MOST_ATTEMPTS, "host": host, "schedule": schedule}
    row = connection.execute(_CLAIM, values).fetchone()
    return None if row is None else FiringClaim(_schedule(row), row.fires_at, row.token)


def keep_claim(connection: Connection, claim: FiringClaim) -> bool:
    """Lengthen the lease; False when somebody else holds the firing, or it has ended."""
    kept = connection.execute(
        "UPDATE firings SET claimed_until = now() + make_interval(secs => %s) "
        "WHERE schedule = %s AND due_at = %s AND token = %s AND state = 'due'",
        (LEASE_S, claim.schedule.name, claim.due_at, claim.token),
    )
    return kept.rowcount == 1


def give_back(connection: Connection, claim: FiringClaim) -> None:
    """Let somebody else start the firing at once; the attempt does not count."""
    connection.execute(
        "UPDATE firings SET claimed_until = NULL, attempts = attempts - 1 "
        "WHERE schedule = %s AND due_at = %s AND token = %s AND state = 'due'",
        (claim.schedule.name, claim.due_at, claim.token),
    )


def end_firing(
    connection: Connection,
    claim: FiringClaim,
    state: FiringState,
    *,
    run: str | None = None,
    message: str | None = None,
) -> bool:
    """Say what came of a firing; False when somebody else holds it."""
    ended = connection.execute(
        "UPDATE firings SET state = %s, run_id = %s, message = %s, ended_at = now() "
        "WHERE schedule = %s AND due_at = %s AND token = %s AND state = 'due'",
        (state.value, run, message, claim.schedule.name, claim.due_at, claim.token),
    )
    return ended.rowcount == 1


def fail_exhausted_firings(connection: Connection) -> int:
    """End firings whose processes died again and again; how many."""
    failed = connection.execute(
        "UPDATE firings SET state = 'failed', ended_at = now(), "
        "message = 'the process that started it was killed ' || attempts || ' times' "
        "WHERE state = 'due' AND attempts >= %s AND claimed_until < now()",
        (MOST_ATTEMPTS,),
    )
    return failed.rowcount


def last_firings(connection: Connection, names: Sequence[str], each: int) -> list[Firing]:
    """The newest firings of each of these schedules, the newest first; a run is named where it is seen."""
    named = {"names": list(names), "each": each, **seen_projects(connection)}
    rows = connection.execute(
        "SELECT f.schedule, f.due_at, f.state, f.attempts, "
        f"CASE WHEN {seen(connection, 'f.run_id')} THEN f.run_id END, f.message, f.ended_at, r.status, r.verdict "
        "FROM unnest(%(names)s::text[]) AS n(name) CROSS JOIN LATERAL (SELECT * FROM firings "
        "WHERE schedule = n.name ORDER BY due_at DESC LIMIT %(each)s) f "
        f"LEFT JOIN runs r ON r.id = f.run_id AND {seen(connection, 'r.id')} ORDER BY f.schedule, f.due_at DESC",
        named,
    ).fetchall()
    return [Firing(row[0], row[1], FiringState(row[2]), *row[3:]) for row in rows]


def _schedule(row: Sequence[object]) -> Schedule:
    name, cron, timezone, command, *rest = row[:12]
    return Schedule(name, cron, timezone, tuple(command), *rest)  # type: ignore[arg-type]  # as the columns are
