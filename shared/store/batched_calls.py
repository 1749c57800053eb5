"""Calls that wait for a provider's batch API, as their turns see them.

    queued ──> sending ──> sent ──> answered
      ^           │          └────> failed ──(its turn has heard of it and asks again)──> settled
      └───────────┘ nobody has it

A waiting turn is a pending step, as a person's is (shared/store/people.py): it holds no task, no thread and no lease.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.types.json import Jsonb

from shared.models.outcomes import FailureKind
from shared.models.wire import Wire
from shared.store.database import Connection
from shared.store.events import append_events
from shared.store.runs import lock_run
from shared.store.sealing import seal_bytes
from shared.store.steps import Claim

ATTEMPT = "batch:"
"""What the names of these calls in `usage` and `reservations` begin with."""
LONGEST_WAIT_S = 52 * 3600
"""No documented batch takes longer (48 hours), and a call that was not even sent by then will not be."""


class BatchedFailure(Wire):
    """Why a call has no answer: as its turn will raise it. `message` is a notice as a column has it, or a sentence."""

    kind: FailureKind
    message: str
    retryable: bool = False
    charged: bool = False


@dataclass(frozen=True)
class BatchedCall:
    """A call to be queued; `participant` is JSON, `body` the request's."""

    id: str
    run: str
    step: str
    token: int
    number: int
    participant: str
    lane: str
    request_sha: str
    body: bytes


@dataclass(frozen=True)
class BatchedState:
    """Where a call stands."""

    id: str
    status: str
    failure: BatchedFailure | None


def call_id(claimed: Claim) -> str:
    """The name of the call that a claim queues, which is one at most: the same however often it is queued."""
    text = f"{claimed.run}\n{claimed.step}\n{claimed.token}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def queue_call(connection: Connection, call: BatchedCall) -> None:
    """Keep a call for the next batch; the same one once."""
    connection.execute(
        "INSERT INTO batched_calls (id, run_id, step, token, number, participant, lane, request_sha, status, body) "
        "VALUES (%s, %s, %s, %s, %s, %s::jsonb, %s, %s, 'queued', %s) ON CONFLICT (id) DO NOTHING",
        (
            *(call.id, call.run, call.step, call.token, call.number, call.participant, call.lane),
            *(call.request_sha, *seal_bytes(connection, [call.body])),
        ),
    )


def batched_state(
    connection: Connection, claimed: Claim, number: int, participant: str
) -> BatchedState | None:
    """The participant's newest call of that number for a step; None when there is none that counts."""
    row = connection.execute(
        "SELECT id, status, failure FROM batched_calls WHERE run_id = %s AND step = %s AND number = %s "
        "AND participant->>'name' = %s AND status <> 'settled' ORDER BY created_at DESC LIMIT 1",
        (claimed.run, claimed.step, number, participant),
    ).fetchone()
    if row is None:
        return None
    failure = None if row.failure is None else BatchedFailure.model_validate(row.failure)
    return BatchedState(row.id, row.status, failure)


def acknowledge_failure(connection: Connection, call: str, *, again: bool) -> None:
    """Its turn heard of a failure. With `again` it may ask anew; else it hears the same again, charged once."""
    connection.execute(
        "UPDATE batched_calls SET status = CASE WHEN %s THEN 'settled' ELSE status END, "
        "failure = failure || '{\"charged\": false}' WHERE id = %s AND status = 'failed'",
        (again, call),
    )


def fail_calls(connection: Connection, calls: Sequence[str], failure: BatchedFailure) -> None:
    """These have no answer and will get none."""
    connection.execute(
        "UPDATE batched_calls SET status = 'failed', body = NULL, failure = %s "
        "WHERE id = ANY(%s) AND status IN ('queued', 'sending', 'sent')",
        (Jsonb(failure.model_dump(mode="json")), list(calls)),
    )


_WAKEABLE = """
SELECT b.run_id FROM batched_calls b JOIN steps s ON s.run_id = b.run_id AND s.key = b.step
 WHERE b.released_at IS NULL AND b.status IN ('answered', 'failed') AND s.status <> 'leased'
 GROUP BY b.run_id LIMIT 500
"""

# Only what machines take counts against a deadline. Of calls that wait side by side the time counts once: from the
# oldest that waits, and not from before the last that was released.
_GIVE_TIME_BACK = """
WITH family AS (
    SELECT id FROM runs WHERE id = %(root)s OR root_run = %(root)s
), waited AS (
    SELECT now() - greatest(min(b.created_at) FILTER (WHERE b.released_at IS NULL), max(b.released_at)) AS time
      FROM batched_calls b WHERE b.run_id = ANY(ARRAY(SELECT id FROM family))
)
UPDATE runs SET deadline_at = deadline_at + greatest(waited.time, interval '0') FROM waited WHERE id = %(root)s
"""

_READY = """
SELECT b.id, b.step, b.status FROM batched_calls b JOIN steps s ON s.run_id = b.run_id AND s.key = b.step
 WHERE b.run_id = %(run)s AND b.released_at IS NULL AND b.status IN ('answered', 'failed')
   AND s.status <> 'leased' FOR UPDATE OF s
"""

_WAKE = """
WITH woken AS (
    UPDATE steps SET not_before = NULL, dispatched_at = NULL, dispatches = 0
     WHERE run_id = %(run)s AND key = ANY(%(steps)s) AND status = 'pending'
)
UPDATE batched_calls SET released_at = now() WHERE id = ANY(%(calls)s)
"""


def wakeable_runs(connection: Connection) -> list[str]:
    """The runs with a waiting turn whose call has come to an end."""
    return [row.run_id for row in connection.execute(_WAKEABLE).fetchall()]


def wake_turns(connection: Connection, run: str) -> int:
    """Make a run's turns ready whose calls have ended, and give the waiting time back; how many.

    Must run in one transaction. A step that a worker has at this moment is woken once it was handed back.
    """
    locked = lock_run(connection, run)
    if locked is None:
        return 0
    ready = connection.execute(_READY, {"run": run}).fetchall()
    if not ready:
        return 0
    connection.execute(_GIVE_TIME_BACK, {"root": locked.root_run or run})
    steps, calls = [row.step for row in ready], [row.id for row in ready]
    connection.execute(_WAKE, {"run": run, "steps": steps, "calls": calls})
    if not locked.status.final:
        events = [("turn.batched", {"key": row.step, "status": row.status}) for row in ready]
        append_events(connection, run, events)
    return len(ready)
