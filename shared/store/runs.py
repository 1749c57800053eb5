"""Runs: submitted once, advanced under their row's lock, everything of an advance in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from shared.models.findings import Finding, Stance
from shared.models.outcomes import RunStatus
from shared.models.priority import ORDINARY, SOON, WATCHED
from shared.models.run import Budget, RunSpec
from shared.store.admission import FIRST_STATUS, line_of
from shared.store.children import FAMILY, ORPHANED, report_to_parent
from shared.store.database import Connection
from shared.store.documents import put_documents
from shared.store.events import Event, append_events
from shared.store.outbox import announce_runs, reopen_batches
from shared.store.requests import REQUEST
from shared.store.sealing import seal_json


@dataclass(frozen=True)
class LockedRun:
    """A run's row, locked for this transaction."""

    id: str
    workflow: str
    status: RunStatus
    phase: str
    root_task: str
    advances: int
    noted_steps: int
    created_at: datetime
    overdue: bool
    calls_left: int | None
    over_budget: str | None
    parent_run: str | None = None
    parent_step: str | None = None
    root_run: str | None = None
    depth: int = 0
    orphaned: bool = False


@dataclass(frozen=True)
class NewStep:
    """A step to be inserted as pending: its row is its own outbox."""

    key: str
    position: int
    kind: str
    participant: str
    role: str
    round: int
    task: str
    queue: str
    fingerprint: str
    request: str
    max_attempts: int
    lease_s: float
    status: str = "pending"
    failure_kind: str | None = None
    failure_message: str | None = None


@dataclass(frozen=True)
class NewDecision:
    """A question to be opened; `shown_sha256` binds the answer to what was shown."""

    key: str
    kind: str
    question: str
    shown_sha256: str
    timeout_s: float | None
    on_timeout: str | None


@dataclass(frozen=True)
class NewRecord:
    """A fact to be written: `body` is the whole record as the workflow will be sent it again.

    `findings` and `stances` are what it says of them, for those who look them up one by one.
    """

    key: str
    kind: str
    position: int
    body: str
    findings: tuple[Finding, ...] = ()
    stances: tuple[Stance, ...] = ()


@dataclass(frozen=True)
class ChildOf:
    """Whose child a run is: the step that waits for it, and the run whose budget and deadline it lives on."""

    run: str
    step: str
    root: str
    depth: int


@dataclass(frozen=True)
class NewChild:
    """A run to be created with the step of its parent that waits for it."""

    run: str
    title: str
    spec: RunSpec
    documents: Mapping[str, bytes]
    child_of: ChildOf


@dataclass(frozen=True)
class Changes:
    """All that one advance writes. Of `events` those that other rows tell are None."""

    status: RunStatus
    phase: str
    noted_steps: int
    open_steps: int
    steps: tuple[NewStep, ...] = ()
    children: tuple[NewChild, ...] = ()
    decisions: tuple[NewDecision, ...] = ()
    records: tuple[NewRecord, ...] = ()
    consumed_decisions: tuple[str, ...] = ()
    documents: Mapping[str, bytes] = field(default_factory=dict)
    events: tuple[Event | None, ...] = ()
    outcome: str | None = None
    verdict: str | None = None
    ending: str | None = None
    blocked_reason: str | None = None


_CREATE = f"""
WITH created AS (
    INSERT INTO runs (id, workflow, title, status, root_task, idempotency_key, max_calls, max_tokens, max_usd,
                      deadline_at, parent_run, parent_step, root_run, depth, batch, watched, allow_external,
                      allow_models, logged)
    VALUES (%(run)s, %(workflow)s, %(title)s, {FIRST_STATUS}, %(root_task)s, %(key)s, %(calls)s, %(tokens)s, %(usd)s,
            now() + make_interval(secs => %(seconds)s), %(parent)s, %(step)s, %(root)s, %(depth)s, %(batch)s,
            %(watched)s, %(external)s, %(models)s, 1)
    ON CONFLICT DO NOTHING RETURNING id
)
INSERT INTO specs (run_id, spec) SELECT id, %(spec)s::jsonb FROM created RETURNING run_id
"""


def create_run(
    connection: Connection,
    *,
    run: str,
    title: str,
    spec: RunSpec,
    root_task: str,
    documents: Mapping[str, bytes],
    idempotency_key: str | None = None,
    child_of: ChildOf | None = None,
) -> str:
    """Insert a run and the documents that it needs; returns the id of the run that holds `idempotency_key`.

    Repeating the call for the same `run` (a connection lost after the commit) inserts nothing. A child has no limits
    of its own: those of its root count. A run that nobody waits for may be queued (`shared/store/admission.py`).
    """
    put_documents(connection, documents)
    budget = spec.budget if child_of is None else Budget(max_seconds=None)
    above = ChildOf("", "", "", 0) if child_of is None else child_of
    row = connection.execute(
        _CREATE,
        {
            "run": run,
            "workflow": spec.workflow,
            "title": title,
            "spec": seal_json(connection, spec.model_dump_json()),
            "root_task": root_task,
            "key": idempotency_key,
            "calls": budget.max_calls,
            "tokens": budget.max_tokens,
            "usd": budget.max_usd,
            "seconds": budget.max_seconds,
            "parent": above.run or None,
            "step": above.step or None,
            "root": above.root or None,
            "depth": above.depth,
            "batch": line_of(spec) if child_of is None else None,
            "watched": spec.watched,
            "external": spec.allow_external,
            "models": spec.allow_models,
        },
    ).fetchone()
    if row is None:
        same = connection.execute(
            "SELECT id FROM runs WHERE id = %s OR idempotency_key = %s", (run, idempotency_key)
        ).fetchone()
        assert same is not None
        return str(same.id)
    return run


# The priority of a run's messages, as `priority_of` says.
RUN_PRIORITY = (
    f"(CASE WHEN r.watched THEN {WATCHED} WHEN r.noted_steps > 0 THEN {SOON} ELSE {ORDINARY} END)"
)


def root_tasks(connection: Connection, runs: Sequence[str]) -> dict[str, tuple[str, int]]:
    """The root task of each of these runs that has begun, by run, and the priority of its messages.

    All messages of a run hang under its root task.
    """
    rows = connection.execute(
        f"SELECT r.id, r.root_task, {RUN_PRIORITY} AS priority FROM runs r "
        "WHERE r.id = ANY(%s) AND r.status <> 'queued'",
        (list(runs),),
    ).fetchall()
    return {row.id: (row.root_task, row.priority) for row in rows}


# While a person has their own time, the run's stands still; a minute more for the worker that ends the turn. So it does
# while a call waits for its provider's batch API, which the courier bounds (workers/turns/courier.py).
PATIENT = f"""EXISTS (SELECT FROM steps p WHERE p.run_id = r.id AND p.finished_at IS NULL
   AND p.status IN ('pending', 'leased') AND (now() < p.created_at + make_interval(
           secs => 60 + ({REQUEST.format(step="p")}->'participant'->'options'->>'answer_within_s')::float8)
        OR EXISTS (SELECT FROM batched_calls b
                    WHERE b.run_id = p.run_id AND b.step = p.key AND b.released_at IS NULL)))"""

_FAMILY = FAMILY.format(root="coalesce(r.root_run, r.id)")

# `o` is the root of a child run: it has the limits, and the child's own columns for them are NULL.
_LOCK = f"""
SELECT r.id, r.workflow, r.status, r.phase, r.root_task, r.advances, r.noted_steps, r.created_at,
       coalesce(coalesce(r.deadline_at, o.deadline_at) <= now() AND r.status = 'running' AND NOT {PATIENT}, false)
           AS overdue,
       CASE WHEN coalesce(r.max_calls, o.max_calls) IS NOT NULL
            THEN coalesce(r.max_calls, o.max_calls) - (SELECT count(*) FROM usage WHERE run_id = ANY({_FAMILY}))
       END AS calls_left,
       CASE WHEN coalesce(r.max_calls, o.max_calls) IS NULL AND coalesce(r.max_tokens, o.max_tokens) IS NULL
             AND coalesce(r.max_usd, o.max_usd) IS NULL THEN NULL ELSE (
           SELECT CASE WHEN count(*) >= coalesce(r.max_calls, o.max_calls) THEN 'calls'
                       WHEN sum(coalesce(input_tokens, 0) + coalesce(output_tokens, 0))
                            >= coalesce(r.max_tokens, o.max_tokens) THEN 'tokens'
                       WHEN sum(cost_usd) >= coalesce(r.max_usd, o.max_usd) THEN 'money' END
             FROM usage WHERE run_id = ANY({_FAMILY})) END AS over_budget,
       r.parent_run, r.parent_step, r.root_run, r.depth, {ORPHANED} AS orphaned
  FROM runs r LEFT JOIN runs o ON o.id = r.root_run
 WHERE r.id = ANY(%(runs)s) AND (r.parent_run IS NULL OR %(children)s) FOR NO KEY UPDATE OF r
"""


_LOCK_FREE = f"{_LOCK} SKIP LOCKED"


def lock_runs(
    connection: Connection, runs: Sequence[str], *, wait: bool = True
) -> Iterator[LockedRun]:
    """Lock runs' rows for this transaction, of one run or of many; those that there are, in no order.

    With `wait=False` a row that somebody else has locked is left out. Many are never waited for, because whoever waits
    must hold nothing that others wait for; and no child run is among them, because its end asks for its parent's row.
    The rows are read when they are asked for: what is sent before that goes with the same round trip.
    """
    alone = len(runs) == 1
    statement = _LOCK if alone and wait else _LOCK_FREE
    answer = connection.execute(statement, {"runs": list(runs), "children": alone})
    return map(_locked, answer)


def lock_run(connection: Connection, run: str) -> LockedRun | None:
    """Lock a run's row for this transaction; None when there is no such run."""
    return next(lock_runs(connection, [run]), None)


def lock_free_run(connection: Connection, run: str) -> bool:
    """Lock a run's row for this transaction; False when somebody else has it (or there is none). Never waits."""
    row = connection.execute(
        "SELECT id FROM runs WHERE id = %s FOR UPDATE SKIP LOCKED", (run,)
    ).fetchone()
    return row is not None


def _locked(row: Any) -> LockedRun:
    values = row._asdict()
    values["status"] = RunStatus(row.status)
    return LockedRun(**values)


def cancel_run(connection: Connection, run: str, actor: str) -> RunStatus | None:
    """Cancel in one transaction: no step is claimed after it, in its child runs neither; they end with their next
    advance. Returns the status that the run had before.
    """
    locked = lock_run(connection, run)
    if locked is None or locked.status.final:
        return None if locked is None else locked.status
    connection.execute(
        "UPDATE steps SET status = 'cancelled', finished_at = clock_timestamp() "
        "WHERE run_id = %s AND finished_at IS NULL AND status IN ('pending', 'leased')",
        (run,),
    )
    connection.execute(
        "UPDATE decisions SET state = 'cancelled', answered_at = now() WHERE run_id = %s AND state = 'open'",
        (run,),
    )
    connection.execute(
        "UPDATE runs SET status = 'cancelled', open_steps = 0, finished_at = now(), updated_at = now() WHERE id = %s",
        (run,),
    )
    append_events(connection, run, [("run.cancelled", {"actor": actor})])
    announce_runs(connection, [run])
    if locked.parent_run is not None and locked.parent_step is not None:
        reason = f"cancelled by {actor}"
        report_to_parent(connection, run, locked.parent_run, locked.parent_step, reason)
    return locked.status


def unblock_run(connection: Connection, run: str) -> bool:
    """Let a blocked run be tried again (after an upgrade or a repair)."""
    row = connection.execute(
        "UPDATE runs SET status = 'running', blocked_reason = NULL, updated_at = now() "
        "WHERE id = %s AND status = 'blocked' RETURNING id",
        (run,),
    ).fetchone()
    if row is not None:
        reopen_batches(connection, run)
    return row is not None
