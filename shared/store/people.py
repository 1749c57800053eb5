"""Turns of people: steps that were given back until somebody answers, and the answer as their stored response.

A waiting turn is a pending step, not before the hour is over; it holds no task, no thread and no lease. Deadlines and
cancelling work on it as on every other step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from shared.errors import DecisionConflict, UnknownRun
from shared.models.steps import Usage
from shared.store.database import Connection
from shared.store.ends import StoredResponse, store_response
from shared.store.events import append_events
from shared.store.projects import seen, seen_projects
from shared.store.requests import REQUEST
from shared.store.run_filter import label_of
from shared.store.runs import lock_run

_FREE = Usage(input_tokens=0, output_tokens=0, cached_tokens=0, cost_usd=0.0)


@dataclass(frozen=True)
class WaitingTurn:
    """A person's turn. `answers` is how many unusable answers it has had, `answer_by` the turn's own deadline."""

    run_id: str
    step: str
    participant: str
    role: str
    round: int
    reply_model: str
    asked_at: datetime
    deadline_at: datetime | None
    title: str
    token: int
    answers: int
    answer_by: datetime | None
    workflow: str
    batch: str | None
    repository: str | None


_SELECT = f"""
SELECT s.run_id, s.key AS step, s.participant, s.role, s.round, q.request->>'reply_model' AS reply_model,
       s.created_at AS asked_at, coalesce(r.deadline_at, o.deadline_at) AS deadline_at, r.title, s.token,
       (SELECT count(*) FROM usage u WHERE u.run_id = s.run_id AND u.step = s.key)::int AS answers,
       s.created_at + make_interval(
           secs => (q.request->'participant'->'options'->>'answer_within_s')::float8) AS answer_by,
       r.workflow, r.batch, {label_of("s.run_id", "repository")} AS repository
  FROM steps s JOIN runs r ON r.id = s.run_id LEFT JOIN runs o ON o.id = r.root_run
 CROSS JOIN LATERAL (SELECT {REQUEST.format(step="s")} AS request) q
 WHERE s.kind = 'turn' AND s.finished_at IS NULL AND s.status = 'pending' AND s.token > 0 AND s.not_before IS NOT NULL
   AND r.status = 'running'
   AND q.request->'participant'->>'provider' = 'person'
"""


def waiting_turns(
    connection: Connection,
    *,
    run: str | None = None,
    repository: str | None = None,
    batch: str | None = None,
    workflow: str | None = None,
) -> list[WaitingTurn]:
    """The turns that wait for a person, the oldest first."""
    wanted = {
        "s.run_id = %(run)s": run is not None,
        f"{label_of('s.run_id', 'repository')} = %(repository)s": repository is not None,
        "r.batch = %(batch)s": batch is not None,
        "r.workflow = %(workflow)s": workflow is not None,
        seen(connection, "s.run_id"): True,
    }
    more = "".join(f" AND {condition}" for condition, applies in wanted.items() if applies)
    rows = connection.execute(
        f"{_SELECT}{more} ORDER BY s.created_at, s.key",
        {
            "run": run,
            "repository": repository,
            "batch": batch,
            "workflow": workflow,
            **seen_projects(connection),
        },
    ).fetchall()
    return [WaitingTurn(**row._asdict()) for row in rows]


def answer_turn(connection: Connection, run: str, step: str, text: str, actor: str) -> WaitingTurn:
    """Store what a person answers, and make the step ready; the caller's transaction commits both.

    Raises UnknownRun when there is no such turn, DecisionConflict when it does not wait (any more).
    """
    if lock_run(connection, run) is None:
        raise UnknownRun(f"there is no run {run!r}")
    found = next((turn for turn in waiting_turns(connection, run=run) if turn.step == step), None)
    if found is None:
        raise _not_waiting(connection, run, step)
    store_response(
        connection,
        StoredResponse(
            run=run,
            step=step,
            token=found.token,
            worker=f"person:{actor}"[:200],
            participant=found.participant,
            provider="person",
            model=None,
            request_sha="",
            content=_packed(text),
            usage=_FREE,
            attempt=f"person:{found.answers + 1}",
        ),
    )
    _give_time_back(connection, run, step)
    connection.execute(
        "UPDATE steps SET not_before = NULL, dispatched_at = NULL, dispatches = 0 "
        "WHERE run_id = %s AND key = %s AND status = 'pending'",
        (run, step),
    )
    append_events(connection, run, [("turn.answered", {"key": step, "actor": actor})])
    return found


def remind(connection: Connection, run: str, step: str) -> None:
    """Say once in the run's log that a person's time for a turn is nearly over; the caller's transaction commits it."""
    if lock_run(connection, run) is None:
        return
    event = connection.execute(
        "SELECT FROM events WHERE run_id = %s AND type = 'turn.reminded' AND body->>'key' = %s",
        (run, step),
    ).fetchone()
    if event is None:
        append_events(connection, run, [("turn.reminded", {"key": step})])


def missed(connection: Connection, run: str, step: str) -> None:
    """Say that a person let a turn's time pass, which does not count as the run's; before the step's failure.

    The caller's transaction commits it.
    """
    if lock_run(connection, run) is not None:
        _give_time_back(connection, run, step)
        append_events(connection, run, [("turn.missed", {"key": step})])


def _give_time_back(connection: Connection, run: str, step: str) -> None:
    """As with decisions: only what machines take counts against a run's deadline."""
    connection.execute(
        "UPDATE runs SET deadline_at = deadline_at + (now() - s.created_at) FROM steps s "
        "WHERE id = (SELECT coalesce(root_run, id) FROM runs WHERE id = %s) AND s.run_id = %s AND s.key = %s",
        (run, run, step),
    )


def _packed(text: str) -> bytes:
    """As a worker stores a completion (workers/providers/registry.py)."""
    fields = {"text": text, "usage": _FREE.model_dump(), "finish_reason": "stop", "model": None}
    return json.dumps(fields, ensure_ascii=False, sort_keys=True).encode()


def _not_waiting(connection: Connection, run: str, step: str) -> UnknownRun | DecisionConflict:
    row = connection.execute(
        f"SELECT s.status, r.status AS run_status, {REQUEST.format(step='s')}->'participant'->>'provider' AS provider "
        "FROM steps s JOIN runs r ON r.id = s.run_id WHERE s.run_id = %s AND s.key = %s",
        (run, step),
    ).fetchone()
    if row is None or row.provider != "person":
        return UnknownRun(f"run {run} has no turn {step!r} of a person: `quorate inbox` shows them")
    state = row.status if row.run_status == "running" else f"{row.status}, its run {row.run_status}"
    return DecisionConflict(
        f"turn {step} of run {run} does not wait for an answer (it is {state}); nothing was changed"
    )
