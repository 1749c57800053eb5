"""Turns of people: steps that were given back until somebody answers, and the answer as their stored response.

A waiting turn is a pending step, not before the hour is over; it holds no task, no thread and no lease. Deadlines and
cancelling work on it as on every other step.
"""

from __future__ import annotations

import json

from shared.errors import DecisionConflict, UnknownRun
from shared.models.steps import Usage
from shared.sentences import Sentence
from shared.store.database import Connection
from shared.store.ends import StoredResponse, store_response
from shared.store.events import append_events
from shared.store.requests import REQUEST
from shared.store.runs import lock_run
from shared.store.waiting_turns import WaitingTurn, waiting_turns

_FREE = Usage(input_tokens=0, output_tokens=0, cached_tokens=0, cost_usd=0.0)


def answer_turn(connection: Connection, run: str, step: str, text: str, actor: str) -> WaitingTurn:
    """Store what a person answers, and make the step ready; the caller's transaction commits both.

    Raises UnknownRun when there is no such turn, DecisionConflict when it does not wait (any more).
    """
    if lock_run(connection, run) is None:
        raise UnknownRun("there is no run {run!r}", run=run)
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
        return UnknownRun(
            "run {run} has no turn {step!r} of a person: `quorate inbox` shows them",
            run=run,
            step=step,
        )
    state = (
        row.status
        if row.run_status == "running"
        else Sentence(
            "{status}, its run {run_status}", status=row.status, run_status=row.run_status
        )
    )
    return DecisionConflict(
        "turn {step} of run {run} does not wait for an answer (it is {state}); nothing was changed",
        step=step,
        run=run,
        state=state,
    )
