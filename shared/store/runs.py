"""Runs: submitted once, advanced under their row's lock, everything of an advance in one transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from shared.models.findings import Finding, Stance
from shared.models.outcomes import RunStatus
from shared.models.run import Budget, RunSpec
from shared.store.children import FAMILY, ORPHANED, report_to_parent
from shared.store.database import Connection, Cursor
from shared.store.documents import put_documents


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
class JournalRow:
    """A step of the journal as the reducer needs it."""

    key: str
    kind: str
    participant: str
    role: str
    round: int
    fingerprint: str
    status: str
    reply: dict[str, Any] | None
    failure_kind: str | None
    failure_message: str | None
    note: str
    tokens: int | None
    cost_usd: float | None
    elapsed_s: float

    @property
    def is_open(self) -> bool:
        """Whether it has not ended yet."""
        return self.status in ("pending", "leased")


@dataclass(frozen=True)
class StoredRecord:
    """A fact that a workflow wrote into its journal; `kind` names its type."""

    key: str
    kind: str
    body: dict[str, Any]


@dataclass(frozen=True)
class StoredJournal:
    """A run's steps, its records in their order, and its decisions with their answers (None while open)."""

    steps: tuple[JournalRow, ...]
    records: tuple[StoredRecord, ...]
    decisions: dict[str, dict[str, Any] | None]


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
    """All that one advance writes."""

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
    events: tuple[tuple[str, dict[str, Any]], ...] = ()
    outcome: str | None = None
    verdict: str | None = None
    ending: str | None = None
    blocked_reason: str | None = None


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
    of its own: those of its root count.
    """
    put_documents(connection, documents)
    budget = spec.budget if child_of is None else Budget(max_seconds=None)
    above = ChildOf("", "", "", 0) if child_of is None else child_of
    row = connection.execute(
        "INSERT INTO runs (id, workflow, title, status, spec, root_task, idempotency_key, max_calls, max_tokens, "
        "max_usd, deadline_at, parent_run, parent_step, root_run, depth) "
        "VALUES (%s, %s, %s, 'running', %s::jsonb, %s, %s, %s, %s, %s, now() + make_interval(secs => %s), "
        "%s, %s, %s, %s) ON CONFLICT DO NOTHING RETURNING id",
        (
            run,
            spec.workflow,
            title,
            spec.model_dump_json(),
            root_task,
            idempotency_key,
            budget.max_calls,
            budget.max_tokens,
            budget.max_usd,
            budget.max_seconds,
            above.run or None,
            above.step or None,
            above.root or None,
            above.depth,
        ),
    ).fetchone()
    if row is None:
        same = connection.execute(
            "SELECT id FROM runs WHERE id = %s OR idempotency_key = %s", (run, idempotency_key)
        ).fetchone()
        assert same is not None
        return str(same.id)
    body = {"workflow": spec.workflow, "title": title}
    if child_of is not None:
        body |= {"parent": child_of.run, "step": child_of.step}
    append_events(connection, run, [("run.submitted", body)])
    return run


# Runs whose messages go before the first stages of others: somebody waits for them, or they have begun.
SOON_RUN = "(r.noted_steps > 0 OR coalesce((r.spec->>'watched')::boolean, false))"

# While a person has their own time, the run's stands still; a minute more for the worker that ends the turn.
PATIENT = """EXISTS (SELECT FROM steps p WHERE p.run_id = r.id AND p.status IN ('pending', 'leased')
   AND now() < p.created_at + make_interval(
           secs => 60 + (p.request->'participant'->'options'->>'answer_within_s')::float8))"""

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
  FROM runs r LEFT JOIN runs o ON o.id = r.root_run WHERE r.id = %s FOR UPDATE OF r
"""


_LOCK_FREE = f"{_LOCK} SKIP LOCKED"


def lock_run(connection: Connection, run: str) -> LockedRun | None:
    """Lock a run's row for this transaction; None when there is no such run."""
    return _locked(connection.execute(_LOCK, (run,)))


def lock_free_run(connection: Connection, run: str) -> bool:
    """Lock a run's row for this transaction; False when somebody else has it (or there is none). Never waits."""
    row = connection.execute(
        "SELECT id FROM runs WHERE id = %s FOR UPDATE SKIP LOCKED", (run,)
    ).fetchone()
    return row is not None


def lock_with_journal(
    connection: Connection, run: str, *, wait: bool = True, awaited: Mapping[str, Any] | None = None
) -> tuple[LockedRun, StoredJournal] | None:
    """Lock a run's row, then load its journal, or the `steps` and `decision` that are `awaited`; one round trip.

    Two statements, because one sees nothing of what was committed while it waited for the lock. With `wait=False` a
    run whose row somebody else has locked is none.
    """
    locking = connection.execute(_LOCK if wait else _LOCK_FREE, (run,))
    statement = _LOAD_AWAITED if awaited else _LOAD
    loading = connection.execute(statement, {"run": run, **(awaited or {})})
    locked = _locked(locking)
    return None if locked is None else (locked, _journal(loading))


def _locked(answer: Cursor) -> LockedRun | None:
    row = answer.fetchone()
    if row is None:
        return None
    values = row._asdict()
    values["status"] = RunStatus(row.status)
    return LockedRun(**values)


_LOAD = """
SELECT (SELECT coalesce(json_agg(s ORDER BY s.position), '[]') FROM (
           SELECT key, position, kind, participant, role, round, fingerprint, status, reply, failure_kind,
                  failure_message, note, tokens, cost_usd,
                  coalesce(extract(epoch FROM finished_at - (SELECT created_at FROM runs WHERE id = %(run)s)), 0)::float
                      AS elapsed_s
             FROM steps WHERE run_id = %(run)s) s) AS steps,
       (SELECT coalesce(json_agg(json_build_object('key', key, 'kind', kind, 'body', body) ORDER BY position), '[]')
          FROM records WHERE run_id = %(run)s) AS records,
       (SELECT coalesce(json_object_agg(key, answer), '{}') FROM decisions WHERE run_id = %(run)s) AS decisions
"""


_LOAD_AWAITED = (
    _LOAD.replace("FROM steps WHERE", "FROM steps WHERE key = ANY(%(steps)s) AND")
    .replace("FROM records WHERE", "FROM records WHERE false AND")
    .replace("FROM decisions WHERE", "FROM decisions WHERE key = %(decision)s AND")
)


class Started(Protocol):
    """A run as a reader of its journal knows it: locked by an advance, or only read."""

    @property
    def id(self) -> str:
        """Its name."""

    @property
    def created_at(self) -> datetime:
        """When its clock began."""


def load_journal(connection: Connection, run: Started) -> StoredJournal:
    """Everything recorded of a run, its steps in the order in which they were scheduled; one statement."""
    return _journal(connection.execute(_LOAD, {"run": run.id}))


def _journal(answer: Cursor) -> StoredJournal:
    row = answer.fetchone()
    assert row is not None
    steps = []
    for values in row.steps:
        del values["position"]
        steps.append(JournalRow(**values))
    records = tuple(StoredRecord(**values) for values in row.records)
    return StoredJournal(tuple(steps), records, row.decisions)


def append_events(
    connection: Connection, run: str, events: Sequence[tuple[str, dict[str, Any]]]
) -> None:
    """Append to a run's event log. The run's row must be locked (or new): numbers have no gaps."""
    if events:
        connection.execute(
            "INSERT INTO events (run_id, seq, type, body) "
            "SELECT %(run)s, (SELECT coalesce(max(seq), 0) FROM events WHERE run_id = %(run)s) + n, e->>0, e->1 "
            "FROM jsonb_array_elements(%(events)s::jsonb) WITH ORDINALITY AS t(e, n)",
            {"run": run, "events": json.dumps(events, ensure_ascii=False, default=str)},
        )


def cancel_run(connection: Connection, run: str, actor: str) -> RunStatus | None:
    """Cancel in one transaction: no step is claimed after it, in its child runs neither; they end with their next
    advance. Returns the status that the run had before.
    """
    locked = lock_run(connection, run)
    if locked is None or locked.status.final:
        return None if locked is None else locked.status
    connection.execute(
        "UPDATE steps SET status = 'cancelled', finished_at = clock_timestamp() "
        "WHERE run_id = %s AND status IN ('pending', 'leased')",
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
    return row is not None


def load_spec(connection: Connection, run: str) -> RunSpec:
    """What a run captured at its submission; it never changes."""
    row = connection.execute("SELECT spec::text AS spec FROM runs WHERE id = %s", (run,)).fetchone()
    assert row is not None
    return RunSpec.model_validate_json(row.spec)
