"""Large columns leave the narrow rows and come back, with all that is stored and all that is told of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from orchestrator.engine.advance import Engine
from shared.models.outcomes import FailureKind
from shared.models.run import Budget
from shared.models.steps import Failure, StepResult
from shared.store.database import Connection, Database
from shared.store.events import list_events
from shared.store.forking import Fork, create_fork
from shared.store.journal import load_journal
from shared.store.migrate import upgrade
from shared.store.requests import step_request
from shared.store.runs import unblock_run
from shared.store.spending import Grouping, spending
from shared.store.steps import hand_back
from shared.store.views import find_run, list_steps
from shared.store.waiting_turns import waiting_turns
from tests.recorded_runs.loading import load
from tests.recorded_runs.reading import read
from tests.shared.store.test_migrate import to_revision
from tests.support.driving import (
    Asked,
    answer,
    claimed_by_nobody,
    conceding,
    do,
    drive,
    drive_family,
    keys,
    submit,
)
from tests.support.families import anything, cancel, overdue, spawned
from tests.support.review_panel import Submission, submission
from tests.support.runs import execute, fetch, run_row
from tests.support.small_workflows import SMALL_WORKFLOWS, small

pytestmark = pytest.mark.component

BEFORE = "0005"
_TABLES = """
SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
   AND relname <> 'alembic_version' ORDER BY relname
"""


@pytest.fixture
def database(empty_url: str) -> Iterator[Database]:
    """A database of this test's own, whose schema goes back and forth."""
    opened = Database(empty_url, pool_size=4, patience_s=10)
    yield opened
    opened.close()


def dump(database: Database) -> dict[str, list[str]]:
    """Everything that is stored."""

    def rows(connection: Connection, table: str) -> list[str]:
        found = connection.execute(f"SELECT to_jsonb(t)::text AS row FROM {table} t").fetchall()
        return sorted(json.dumps(json.loads(one.row), sort_keys=True) for one in found)

    def work(connection: Connection) -> dict[str, list[str]]:
        names = [row.name for row in connection.execute(_TABLES).fetchall()]
        return {name: rows(connection, name) for name in names}

    return database.run(work)


def seen(database: Database) -> dict[str, Any]:
    """What readers are given of every run; times that pass, and what earlier versions do not store, are left out."""

    def of(connection: Connection, run: str) -> Any:
        row = find_run(connection, run)
        steps = [replace(step, held_back_at_s=None) for step in list_steps(connection, run)]
        return (
            (row.spec, row.status, row.outcome, row.created_at, row.finished_at),
            steps,
            [step_request(connection, run, step.key) for step in steps],
            load_journal(connection, run),
            list_events(connection, run),
        )

    def work(connection: Connection) -> dict[str, Any]:
        runs = [row.id for row in connection.execute("SELECT id FROM runs").fetchall()]
        told = {run: of(connection, run) for run in runs}
        return told | {
            "people": waiting_turns(connection),
            "batches": spending(connection, Grouping.BATCH),
        }

    return database.run(work)


def test_what_an_earlier_version_stored_comes_back_to_the_last_byte(
    database: Database,
) -> None:
    load(database.url, read("real_workers", "earlier"), read("stopped_midway"), revision=BEFORE)
    before = dump(database)

    upgrade(database)
    told = seen(database)
    to_revision(database, BEFORE)

    assert dump(database) == before
    upgrade(database)
    assert seen(database) == told


def failing(asked: Asked) -> StepResult:
    if asked.role == "critique" and asked.round == 1:
        return StepResult(failure=Failure(kind=FailureKind.REFUSAL, message="I will not"))
    return conceding(asked)


def every_state(engine: Engine) -> dict[str, str]:
    """Runs in every state, written by this version."""
    database = engine.database
    wanted = submission()
    nightly = wanted.spec.model_copy(update={"labels": {"batch": "nightly"}})
    ended = submit(engine, Submission(nightly, wanted.documents))
    drive(engine, ended, conceding)
    answer(engine, ended, "skip")
    drive(engine, ended, conceding)
    begun, leased, handed, late, cancelled, blocked = (submit(engine) for _ in range(6))
    first = {
        run: keys(engine.advance(run)) for run in (begun, leased, handed, late, cancelled, blocked)
    }
    do(database, begun, first[begun][0], failing)
    do(database, leased, first[leased][1], conceding)
    claimed_by_nobody(database, leased, first[leased][0])
    given = claimed_by_nobody(database, handed, first[handed][0])
    database.run(lambda c: hand_back(c, given, 0.0, why="come back later"))
    do(database, late, first[late][0], conceding)
    overdue(database, late)
    engine.advance(late)
    cancel(database, cancelled)
    execute(database, "UPDATE specs SET spec = spec || '{\"new\": 1}' WHERE run_id = %s", blocked)
    for name in first[blocked]:
        do(database, blocked, name, conceding)
    Engine(database, SMALL_WORKFLOWS).advance(blocked)
    waiting = submit(engine)
    drive(engine, waiting, conceding)
    refused = submit(engine, submission(budget=Budget(max_calls=1)))
    drive(engine, refused, conceding)
    parent, children = spawned(engine, "pair")
    drive_family(engine, children[0], worker=anything)
    fork = Fork(
        run="fork1",
        origin=ended,
        at="round:1",
        title="again",
        spec=submission().spec,
        root_task="t",
        steps=[step for step in first[begun] if step.startswith("critique/1")],
    )
    database.run(lambda c: create_fork(c, fork, submission().documents), atomic=True)
    machine = submit(engine, small("machine"))
    drive(engine, machine, anything)
    return {
        "begun": begun,
        "leased": leased,
        "handed": handed,
        "waiting": waiting,
        "parent": parent,
        "child": children[1],
        "fork": "fork1",
        "blocked": blocked,
    }


def finish_all(engine: Engine, runs: dict[str, str]) -> None:
    database = engine.database
    execute(database, "UPDATE specs SET spec = spec - 'new' WHERE run_id = %s", runs["blocked"])
    assert database.run(lambda c: unblock_run(c, runs["blocked"]))
    execute(database, "UPDATE steps SET status = 'pending', owner = NULL WHERE status = 'leased'")
    for name in ("begun", "leased", "handed"):
        run = runs[name]
        pending = fetch(
            database,
            "SELECT array_agg(key) AS keys FROM steps WHERE run_id = %s AND status = 'pending'",
            run,
        )
        for key in pending.keys:
            do(database, run, key, conceding)
    for name in ("begun", "leased", "handed", "waiting", "fork", "blocked"):
        drive(engine, runs[name], conceding)
        if run_row(database, runs[name]).status == "waiting":
            answer(engine, runs[name], "skip")
            drive(engine, runs[name], conceding)
    drive_family(engine, runs["child"], runs["parent"], worker=anything)
    pending = fetch(
        database,
        "SELECT array_agg(key) AS keys FROM steps WHERE run_id = %s AND status = 'pending' AND kind = 'turn'",
        runs["parent"],
    )
    for key in pending.keys or ():
        do(database, runs["parent"], key, anything)
    drive_family(engine, runs["parent"], worker=anything)


def test_runs_in_every_state_go_back_and_forth_and_on_to_their_ends(database: Database) -> None:
    upgrade(database)
    runs = every_state(Engine(database, SMALL_WORKFLOWS))
    statuses = {
        row.status
        for row in database.run(lambda c: c.execute("SELECT status FROM runs").fetchall())
    }
    told = seen(database)

    to_revision(database, BEFORE)
    events = database.run(
        lambda c: c.execute(
            "SELECT run_id, seq, type, body FROM events ORDER BY run_id, seq"
        ).fetchall()
    )
    requests = database.run(
        lambda c: c.execute("SELECT run_id, key, request FROM steps").fetchall()
    )
    earlier = dump(database)
    upgrade(database)

    assert statuses == {"running", "waiting", "blocked", "cancelled", "completed"}
    logs = {run: of[-1] for run, of in told.items() if isinstance(of, tuple)}
    assert {
        run: [(row.seq, row.type, row.body) for row in events if row.run_id == run] for run in logs
    } == logs, "an earlier version reads the log that this one told"
    asked = {
        (run, step.key): of[2][n]
        for run, of in told.items()
        if isinstance(of, tuple)
        for n, step in enumerate(of[1])
    }
    assert {(row.run_id, row.key): row.request for row in requests} == asked
    assert seen(database) == told
    to_revision(database, BEFORE)
    assert dump(database) == earlier
    upgrade(database)
    engine = Engine(database, SMALL_WORKFLOWS)
    finish_all(engine, runs)
    assert {name: run_row(database, run).status for name, run in runs.items()} == dict.fromkeys(
        runs, "completed"
    )
    for run in runs.values():
        log = database.run(lambda c, run=run: list_events(c, run))  # type: ignore[misc]
        assert [number for number, _, _ in log] == list(range(1, len(log) + 1))
        before = told[run][-1]
        assert log[: len(before)] == before, "what was told stays as it was"
