"""What the sweeper asks: who is gone, what was lost, what is due. Every statement is harmless twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from shared.models.outcomes import FailureKind
from shared.store.children import ORPHANED
from shared.store.database import Connection
from shared.store.runs import PATIENT, RUN_PRIORITY, lock_free_run

SWEEP_SILENCE_S = 5


class Task(IntEnum):
    """What one sweeper at a time does; the values are advisory locks."""

    COLLECT = 0x53574550  # "SWEP"
    MEND = 0x4D454E44  # "MEND"
    ADMIT = 0x41444D54  # "ADMT"


@dataclass(frozen=True)
class LostStep:
    """A pending step whose message must have been lost."""

    run: str
    step: str
    task: str
    queue: str
    participant: str
    role: str
    round: int
    root_task: str
    dispatches: int
    priority: int


def try_lock(connection: Connection, task: Task) -> bool:
    """True for the one sweeper that may do this task in this transaction, which must not stall for long."""
    row = connection.execute(
        "SELECT set_config('idle_in_transaction_session_timeout', %s, true), pg_try_advisory_xact_lock(%s) AS got",
        (f"{SWEEP_SILENCE_S}s", task),
    ).fetchone()
    return bool(row and row.got)


# Locks that others wait for are those of writers and of FOR UPDATE; a report holds none of them.
_END_SILENT = """
SELECT pg_terminate_backend(a.pid) AS ended FROM pg_stat_activity a
 WHERE a.datname = current_database() AND a.usename = current_user AND a.pid <> pg_backend_pid()
   AND a.application_name = current_setting('application_name')
   AND a.wait_event IN ('ClientRead', 'ClientWrite')
   AND a.xact_start IS NOT NULL AND a.state_change < clock_timestamp() - make_interval(secs => %s)
   AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted
                  AND (l.locktype = 'advisory' OR l.mode IN ('RowShareLock', 'RowExclusiveLock')))
"""


def end_silent_sessions(connection: Connection, silence_s: float) -> int:
    """End sessions of ours that hold locks while their client says nothing (or takes nothing); how many.

    The server's own limit sees neither a client that fell silent between statements sent together nor one that does
    not read its answer.
    """
    return sum(row.ended for row in connection.execute(_END_SILENT, (silence_s,)).fetchall())


# A database that has just started knows nothing of the heartbeats it missed: silence counts from its start.
_GONE = """(s.lease_until < now()
   OR EXISTS (SELECT FROM processes p WHERE p.id = s.owner
                 AND p.seen_at < now() - make_interval(secs => %(silence)s)
                 AND pg_postmaster_start_time() < now() - make_interval(secs => %(silence)s))
   OR NOT EXISTS (SELECT FROM processes p WHERE p.id = s.owner)
      AND s.leased_at < now() - make_interval(secs => %(silence)s))"""

# What somebody else holds a lock on is the next sweep's: a sweep waits for nobody.
_RELEASE = f"""
UPDATE steps SET status = 'pending', owner = NULL, dispatched_at = NULL, not_before = NULL
 WHERE (run_id, key) IN (
     SELECT s.run_id, s.key FROM steps s
      WHERE s.finished_at IS NULL AND s.status = 'leased' AND s.attempts < s.max_attempts AND {_GONE}
        FOR UPDATE OF s SKIP LOCKED)
RETURNING run_id, key, attempts
"""

_EXHAUSTED = f"""
SELECT s.run_id, s.key, s.attempts FROM steps s
 WHERE s.finished_at IS NULL AND s.attempts >= s.max_attempts
   AND (s.status = 'pending' OR s.status = 'leased' AND {_GONE}) LIMIT 500
"""

_FAIL_EXHAUSTED = """
UPDATE steps SET status = 'failed', token = token + 1, failure_kind = %(kind)s, failure_message = %(message)s,
       finished_at = clock_timestamp()
 WHERE (run_id, key) IN (
     SELECT run_id, key FROM steps WHERE run_id = %(run)s AND key = %(key)s AND status IN ('pending', 'leased')
        AND attempts >= max_attempts FOR UPDATE SKIP LOCKED)
RETURNING key
"""


def release_lost_leases(connection: Connection, silence_s: float) -> list[tuple[str, str, int]]:
    """Give back the steps of processes that fell silent, and of leases that ran out."""
    rows = connection.execute(_RELEASE, {"silence": silence_s}).fetchall()
    return [(row.run_id, row.key, row.attempts) for row in rows]


def fail_exhausted_steps(connection: Connection, silence_s: float) -> list[tuple[str, str]]:
    """Fail the steps whose attempts are used up (`dead`): they killed every worker that took them."""
    exhausted = []
    for row in connection.execute(_EXHAUSTED, {"silence": silence_s}).fetchall():
        if not lock_free_run(connection, row.run_id):
            continue
        message = f"given up after {row.attempts} attempts, none of which lived to answer"
        failed = connection.execute(
            _FAIL_EXHAUSTED,
            {"run": row.run_id, "key": row.key, "kind": FailureKind.DEAD, "message": message},
        ).fetchone()
        if failed is not None:
            connection.execute(
                "UPDATE runs SET open_steps = open_steps - 1, updated_at = clock_timestamp() WHERE id = %s",
                (row.run_id,),
            )
            exhausted.append((row.run_id, row.key))
    return exhausted


_MAYBE_LOST = """
SELECT EXISTS (SELECT FROM steps p JOIN runs live ON live.id = p.run_id AND live.status = 'running'
                WHERE p.finished_at IS NULL AND p.status = 'pending'
                  AND (p.dispatched_at IS NULL OR p.dispatched_at < now() - make_interval(secs => %s))) AS any
"""


def may_be_lost(connection: Connection, grace_s: float) -> bool:
    """Whether a step is pending that was published `grace_s` ago or not at all: if not, nothing is to be taken."""
    row = connection.execute(_MAYBE_LOST, (grace_s,)).fetchone()
    return bool(row and row.any)


_LOST = f"""
UPDATE steps s SET dispatched_at = now(), dispatches = s.dispatches + 1
  FROM runs r
 WHERE (s.run_id, s.key) IN (
     SELECT lost.* FROM unnest(%(queues)s::text[], %(graces)s::float8[]) AS q(queue, grace) CROSS JOIN LATERAL (
         SELECT p.run_id, p.key FROM steps p JOIN runs live ON live.id = p.run_id AND live.status = 'running'
          WHERE p.finished_at IS NULL AND p.status = 'pending' AND p.queue = q.queue AND p.attempts < p.max_attempts
            AND (p.not_before IS NULL OR p.not_before <= now())
            AND (p.dispatched_at IS NULL
                 OR p.dispatched_at < now() - make_interval(
                        secs => q.grace * power(2, least(p.dispatches, 5)) * (1 + random() * .2)))
          ORDER BY p.dispatched_at NULLS FIRST LIMIT %(limit)s FOR UPDATE OF p SKIP LOCKED) AS lost)
   AND r.id = s.run_id
RETURNING s.run_id, s.key, s.task, s.queue, s.participant, s.role, s.round, r.root_task, s.dispatches,
          {RUN_PRIORITY} AS priority
"""


def take_lost_steps(
    connection: Connection, graces_s: Mapping[str, float], limit: int
) -> list[LostStep]:
    """Pending steps, published their queue's grace * 2^dispatches ago and never taken, `limit` a queue at most.

    They are marked as republished now.
    """
    names = {"queues": [*graces_s], "graces": [*graces_s.values()], "limit": limit}
    return [LostStep(*row) for row in connection.execute(_LOST, names).fetchall()]


def undo_take(connection: Connection, steps: Sequence[LostStep]) -> None:
    """Nobody published these after all: they are lost as before, unless somebody took or published them meanwhile."""
    runs, keys, dispatches = zip(*((s.run, s.step, s.dispatches) for s in steps), strict=True)
    connection.execute(
        "UPDATE steps s SET dispatched_at = NULL, dispatches = s.dispatches - 1 "
        "FROM unnest(%s::text[], %s::text[], %s::int[]) AS t(run_id, key, dispatches) "
        "WHERE s.run_id = t.run_id AND s.key = t.key AND s.status = 'pending' AND s.dispatches = t.dispatches",
        (list(runs), list(keys), list(dispatches)),
    )


# What a deadline ends: calls. A run that only waits for its child runs is advanced by their ends.
_TIMED = f"""NOT {PATIENT} AND (r.open_steps = 0 OR EXISTS (
    SELECT FROM steps t WHERE t.run_id = r.id AND t.finished_at IS NULL
       AND t.status IN ('pending', 'leased') AND t.kind <> 'run'))"""


def due_runs(connection: Connection, patience_s: float) -> list[str]:
    """Running runs with nothing open that nobody advanced, answered decisions, runs past their deadline, orphans."""
    rows = connection.execute(
        "SELECT id FROM runs WHERE status = 'running' AND open_steps = 0 "
        "AND updated_at < now() - make_interval(secs => %(patience)s) "
        "UNION SELECT d.run_id FROM decisions d JOIN runs r ON r.id = d.run_id "
        "WHERE d.state IN ('answered', 'expired') AND d.consumed_at IS NULL AND r.status IN ('waiting', 'running') "
        "AND d.answered_at < now() - make_interval(secs => %(patience)s) "
        f"UNION SELECT r.id FROM runs r WHERE r.status = 'running' AND r.deadline_at <= now() AND {_TIMED} "
        "UNION SELECT r.id FROM runs r JOIN runs o ON o.id = r.root_run WHERE r.parent_run IS NOT NULL "
        f"AND r.status = 'running' AND o.deadline_at <= now() AND {_TIMED} "
        "UNION SELECT r.id FROM runs r WHERE r.parent_run IS NOT NULL "
        f"AND r.status IN ('running', 'waiting', 'blocked') AND {ORPHANED} LIMIT 200",
        {"patience": patience_s},
    ).fetchall()
    return [row.id for row in rows]


def forget_processes(connection: Connection, silence_s: float) -> int:
    """Drop processes that have been silent for long and hold nothing."""
    return connection.execute(
        "DELETE FROM processes WHERE id IN ("
        "SELECT p.id FROM processes p WHERE p.seen_at < now() - make_interval(secs => %s) "
        "AND NOT EXISTS (SELECT FROM steps s WHERE s.owner = p.id AND s.status = 'leased' AND s.finished_at IS NULL) "
        "FOR UPDATE SKIP LOCKED)",
        (silence_s,),
    ).rowcount
