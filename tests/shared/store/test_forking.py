"""Forks on real Postgres: a copy that is paid already, stored whole or not at all."""

from __future__ import annotations

from dataclasses import replace

import pytest

from shared.errors import UserError
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure
from shared.store.database import Database
from shared.store.ends import finish, store_response
from shared.store.events import list_events
from shared.store.forking import Fork, create_fork
from shared.store.journal import load_journal
from shared.store.runs import lock_run
from shared.store.spending import Grouping, spending
from shared.store.sweeping import due_runs, take_lost_steps
from shared.store.views import find_run, list_assessments, list_steps, run_usage
from tests.support.review_panel import submission
from tests.support.runs import at_once, execute, fetch, new_run, new_step, response, take

pytestmark = pytest.mark.component

STEPS = ("critique/1/a", "critique/1/b", "rebuttal/2/c")


def origin(database: Database) -> str:
    """A run with three ended steps, one of them failed, and one that is open; the first one paid."""
    run = new_run(database, *STEPS, new_step("critique/3/a", 3))
    first = take(database, run, STEPS[0], nonce="1")
    database.run(lambda c: store_response(c, response(first)))
    database.run(
        lambda c: finish(
            c, first, reply='{"said": 1}', failure=None, note="repaired", tokens=7, cost_usd=0.5
        )
    )
    second = take(database, run, STEPS[1], nonce="2")
    refused = Failure(kind=FailureKind.REFUSAL, message="no")
    database.run(lambda c: finish(c, second, reply=None, failure=refused))
    third = take(database, run, STEPS[2], nonce="3")
    database.run(lambda c: finish(c, third, reply='{"said": 3}', failure=None, cost_usd=0.25))
    return run


def fork_of(run: str, *steps: str, name: str = "fork1") -> Fork:
    return Fork(
        run=name,
        origin=run,
        at="round:3",
        title="fork",
        spec=submission().spec,
        root_task="root",
        steps=steps,
    )


def store(database: Database, fork: Fork) -> str:
    return database.run(lambda c: create_fork(c, fork, {}), atomic=True)


def test_a_copy_keeps_what_was_said_and_costs_nothing(database: Database) -> None:
    run = origin(database)

    store(database, fork_of(run, *STEPS))

    rows = database.run(lambda c: list_steps(c, "fork1"))
    assert [(row.key, row.status, row.tokens, row.cost_usd) for row in rows] == [
        ("critique/1/a", "done", 7, 0.0),
        ("critique/1/b", "failed", None, 0.0),
        ("rebuttal/2/c", "done", None, 0.0),
    ]
    assert (rows[0].input_tokens, rows[0].output_tokens) == (None, None)
    assert rows[0].reply == {"said": 1}
    assert [row.note for row in rows] == [
        f"copied from {run}; repaired",
        f"copied from {run}",
        f"copied from {run}",
    ]
    assert rows[1].failure_kind == "refusal"
    usage = database.run(lambda c: run_usage(c, "fork1"))
    assert (usage.calls, usage.cost_usd) == (0, None)
    total = database.run(lambda c: spending(c, Grouping.TOTAL))
    assert [one.cost_usd for one in total] == [0.5]


def test_copies_are_numbered_without_gaps_in_the_origins_order(database: Database) -> None:
    run = origin(database)

    store(database, fork_of(run, STEPS[2], STEPS[0]))

    rows = database.run(
        lambda c: c.execute(
            "SELECT key, position FROM steps WHERE run_id = 'fork1' ORDER BY position"
        ).fetchall()
    )
    assert [tuple(row) for row in rows] == [(STEPS[0], 0), (STEPS[2], 1)]


def test_a_copy_is_nobodys_work_and_the_run_is_there_to_be_advanced(database: Database) -> None:
    run = origin(database)
    store(database, fork_of(run, *STEPS))

    row = fetch(database, "SELECT open_steps, noted_steps, status FROM runs WHERE id = 'fork1'")
    assert tuple(row) == (0, 3, "running")
    execute(database, "UPDATE runs SET updated_at = now() - interval '1 minute'")
    assert "fork1" in database.run(lambda c: due_runs(c, 1.5))
    lost = database.run(lambda c: take_lost_steps(c, {"quorate.turns": 0.0}, 100))
    assert {step.run for step in lost} <= {run}
    assert database.run(lambda c: list_events(c, "fork1"))[1][1:] == (
        "run.forked",
        {"from": run, "at": "round:3", "steps": 3, "decisions": 0},
    )


def test_a_copys_moment_is_the_forks_own_beginning(database: Database) -> None:
    run = origin(database)
    execute(database, "UPDATE runs SET created_at = now() - interval '1 day'")
    store(database, fork_of(run, *STEPS))

    found = database.run(lambda c: find_run(c, "fork1"))
    stored = database.run(lambda c: load_journal(c, found.id))
    assert [step.elapsed_s for step in stored.steps] == [0.0, 0.0, 0.0]


def test_the_same_fork_again_changes_nothing(database: Database) -> None:
    run = origin(database)
    fork = fork_of(run, *STEPS)

    names = at_once(4, lambda number: store(database, replace(fork, run=f"fork{number % 2}")))
    again = store(database, fork)

    assert set(names) == {"fork0", "fork1"}
    assert again == "fork1"
    assert [kind for _, kind, _ in database.run(lambda c: list_events(c, "fork1"))] == [
        "run.submitted",
        "run.forked",
    ]


def test_a_fork_of_what_is_not_there_any_more_is_not_stored_at_all(database: Database) -> None:
    run = origin(database)

    with pytest.raises(UserError, match="changed while it was copied"):
        store(database, fork_of(run, *STEPS, "critique/3/a"))

    assert database.run(lambda c: lock_run(c, "fork1")) is None
    assert fetch(database, "SELECT count(*) FROM steps WHERE run_id = 'fork1'")[0] == 0


def test_rounds_that_were_judged_at_one_moment_are_listed_in_their_order(
    database: Database,
) -> None:
    run = new_run(database)
    for position, key in enumerate(("round/1", "round/2", "round/10", "ending")):
        execute(
            database,
            "INSERT INTO records (run_id, key, kind, position, body, at) "
            "VALUES (%s, %s, 'assessment', %s, '{\"assessment\": {}}', '2026-01-01')",
            run,
            key,
            position,
        )

    listed = database.run(lambda c: list_assessments(c, run))

    assert [one["key"] for one in listed] == ["round/1", "round/2", "round/10", "ending"]
