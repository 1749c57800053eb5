"""What the sweeper asks: who is gone, what was lost, what is ripe. Every statement is harmless twice."""

from __future__ import annotations

from dataclasses import dataclass

from shared.models.outcomes import FailureKind
from shared.store.database import Connection
from shared.store.runs import PATIENT

_LOCK = 0x53574550  # "SWEP"


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


def try_lock(connection: Connection) -> bool:
    """True for the one sweeper that may sweep in this transaction."""
    row = connection.execute("SELECT pg_try_advisory_xact_lock(%s) AS got", (_LOCK,)).fetchone()
    return bool(row and row.got)


# A database that has just started knows nothing of the heartbeats it missed: silence counts from its start.
_GONE = """(s.lease_until < now()
   OR EXISTS (SELECT FROM processes p WHERE p.id = s.owner
                 AND p.seen_at < now() - make_interval(secs => %(silence)s)
                 AND pg_postmaster_start_time() < now() - make_interval(secs => %(silence)s))
   OR NOT EXISTS (SELECT FROM processes p WHERE p.id = s.owner)
      AND s.leased_at < now() - make_interval(secs => %(silence)s))"""

_RELEASE = f"""
UPDATE steps s SET status = 'pending', owner = NULL, dispatched_at = NULL, not_before = NULL
 WHERE s.status = 'leased' AND s.attempts < s.max_attempts AND {_GONE}
RETURNING s.run_id, s.key, s.attempts
"""

_BURY = f"""
SELECT s.run_id, s.key, s.attempts FROM steps s
 WHERE s.attempts >= s.max_attempts AND (s.status = 'pending' OR s.status = 'leased' AND {_GONE}) LIMIT 500
"""


def release_lost_leases(connection: Connection, silence_s: float) -> list[tuple[str, str, int]]:
    """Give back the steps of processes that fell silent, and of leases that ran out."""
    rows = connection.execute(_RELEASE, {"silence": silence_s}).fetchall()
    return [(row.run_id, row.key, row.attempts) for row in rows]


def bury_spent_steps(connection: Connection, silence_s: float) -> list[tuple[str, str]]:
    """Fail the steps whose attempts are used up (`dead`): they killed every worker that took them."""
    buried = []
    for row in connection.execute(_BURY, {"silence": silence_s}).fetchall():
        connection.execute("SELECT id FROM runs WHERE id = %s FOR UPDATE", (row.run_id,))
        failed = connection.execute(
            "UPDATE steps SET status = 'failed', token = token + 1, failure_kind = %s, failure_message = %s, "
            "finished_at = clock_timestamp() WHERE run_id = %s AND key = %s "
            "AND status IN ('pending', 'leased') AND attempts >= max_attempts RETURNING key",
            (
                FailureKind.DEAD,
                f"given up after {row.attempts} attempts, none of which lived to answer",
                row.run_id,
                row.key,
            ),
        ).fetchone()
        if failed is not None:
            connection.execute(
                "UPDATE runs SET open_steps = open_steps - 1, updated_at = clock_timestamp() WHERE id = %s",
                (row.run_id,),
            )
            buried.append((row.run_id, row.key))
    return buried


_LOST = """
UPDATE steps s SET dispatched_at = now(), dispatches = s.dispatches + 1
  FROM runs r
 WHERE (s.run_id, s.key) IN (
     SELECT p.run_id, p.key FROM steps p JOIN runs live ON live.id = p.run_id AND live.status = 'running'
      WHERE p.status = 'pending' AND p.queue = %(queue)s AND p.attempts < p.max_attempts
        AND (p.not_before IS NULL OR p.not_before <= now())
        AND (p.dispatched_at IS NULL
             OR p.dispatched_at < now() - make_interval(
                    secs => %(grace)s * power(2, least(p.dispatches, 5)) * (1 + random() * .2)))
      ORDER BY p.dispatched_at NULLS FIRST LIMIT %(limit)s FOR UPDATE OF p SKIP LOCKED)
   AND r.id = s.run_id
RETURNING s.run_id, s.key, s.task, s.queue, s.participant, s.role, s.round, r.root_task, s.dispatches
"""


def take_lost_steps(
    connection: Connection, queue: str, grace_s: float, limit: int
) -> list[LostStep]:
    """Pending steps of `queue`, published `grace_s * 2^dispatches` ago and never taken; now marked as republished."""
    rows = connection.execute(_LOST, {"queue": queue, "grace": grace_s, "limit": limit}).fetchall()
    return [LostStep(*row) for row in rows]


def ripe_runs(connection: Connection, patience_s: float) -> list[str]:
    """Running runs with nothing open that nobody advanced, answered decisions, and runs past their deadline."""
    rows = connection.execute(
        "SELECT id FROM runs WHERE status = 'running' AND open_steps = 0 "
        "AND updated_at < now() - make_interval(secs => %(patience)s) "
        "UNION SELECT d.run_id FROM decisions d JOIN runs r ON r.id = d.run_id "
        "WHERE d.state IN ('answered', 'expired') AND d.consumed_at IS NULL AND r.status IN ('waiting', 'running') "
        "AND d.answered_at < now() - make_interval(secs => %(patience)s) "
        "UNION SELECT r.id FROM runs r WHERE r.status = 'running' AND r.deadline_at <= now() "
        f"AND NOT {PATIENT} LIMIT 200",
        {"patience": patience_s},
    ).fetchall()
    return [row.id for row in rows]


def forget_processes(connection: Connection, silence_s: float) -> int:
    """Drop processes that have been silent for long and hold nothing."""
    return connection.execute(
        "DELETE FROM processes p WHERE p.seen_at < now() - make_interval(secs => %s) "
        "AND NOT EXISTS (SELECT FROM steps s WHERE s.owner = p.id AND s.status = 'leased')",
        (silence_s,),
    ).rowcount
