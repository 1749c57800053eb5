"""Child runs on real Postgres: born with their parent's advance, on its promises, its deadline and its budget."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery

from orchestrator.engine.advance import Engine
from orchestrator.engine.dispatch import publish
from orchestrator.engine.sweeper import Sweeper
from shared.models.run import Budget
from shared.models.steps import Usage
from shared.store.database import Database
from shared.store.ends import StoredResponse, store_response
from shared.store.reservations import CallNeed, reserve
from shared.store.run_filter import RunFilter
from shared.store.runs import lock_run
from shared.store.spending import Grouping, spending
from shared.store.views import find_run, list_children, list_runs, list_steps, run_usage
from tests.support.driving import claimed_by_nobody, do, drive_family, event_kinds, submit
from tests.support.families import answer, anything, begun, cancel, later, overdue, spawned
from tests.support.queues import drain
from tests.support.runs import execute, fetch, refused, run_row, step_row
from tests.support.small_workflows import SMALL_WORKFLOWS, small

pytestmark = pytest.mark.component


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database, SMALL_WORKFLOWS)


@pytest.fixture
def sweeper(database: Database, app: Celery, engine: Engine) -> Iterator[Sweeper]:
    made = Sweeper(database, app, engine)
    yield made
    made.stop()


# ---- the ordinary way ---------------------------------------------------------------------------


def test_a_child_is_born_with_its_parent_s_advance_and_its_outcome_is_sent_to_the_parent(
    engine: Engine,
) -> None:
    parent, (child,) = spawned(engine)

    row = run_row(engine.database, child)
    assert (row.parent_run, row.parent_step, row.root_run, row.depth) == (
        parent,
        "child",
        parent,
        1,
    )
    assert row.root_task == run_row(engine.database, parent).root_task
    assert run_row(engine.database, parent).open_steps == 1
    drive_family(engine, child, worker=anything)

    ended = run_row(engine.database, parent)
    assert (ended.status, ended.outcome["summary"]) == (
        "completed",
        "completed: idle > planning > coding",
    )
    reply = step_row(engine.database, parent, "child").reply
    assert (reply["run"], reply["status"], reply["verdict"]) == (child, "completed", "DONE")
    assert event_kinds(engine, parent).count("step.done") == 3


def test_a_child_lives_on_its_parent_s_promises_and_carries_its_labels(engine: Engine) -> None:
    budget = Budget(max_calls=7, max_seconds=100.0)
    labels = {"child": "machine", "batch": "b1"}
    _, (child,) = spawned(
        engine, budget=budget, watched=True, allow_external=False, labels=labels, reuse=True
    )

    row = run_row(engine.database, child)
    spec = fetch(engine.database, "SELECT spec FROM specs WHERE run_id = %s", child).spec
    assert (row.watched, row.allow_external, row.allow_models) == (True, False, True)
    assert (spec["watched"], spec["allow_external"], spec["reuse"]) == (True, False, True)
    assert (spec["budget"]["max_calls"], spec["labels"]["batch"]) == (7, "b1")
    assert (row.max_calls, row.deadline_at) == (None, None), "the root's count"
    assert spec["seed"] != "seed"


def test_several_children_and_a_turn_are_one_group_with_one_barrier(engine: Engine) -> None:
    parent, children = spawned(engine, "pair")
    assert len(children) == 2

    drive_family(engine, children[0], worker=anything)
    do(engine.database, parent, "beside", anything)
    assert engine.advance(parent) is not None, "the timeline is told"
    assert run_row(engine.database, parent).status == "running"
    drive_family(engine, children[1], worker=anything)

    assert run_row(engine.database, parent).outcome["summary"] == "completed, completed, spoke"


def test_children_are_listed_under_their_parents_and_the_last_run_is_a_person_s(
    engine: Engine,
) -> None:
    parent, (child,) = spawned(engine)
    read = engine.database.run

    assert [row.id for row in read(list_runs)] == [parent]
    assert {row.id for row in read(lambda c: list_runs(c, wanted=RunFilter(status="running")))} == {
        parent,
        child,
    }
    listed = read(lambda c: list_children(c, [parent, child]))
    assert [(row.id, row.parent, row.parent_step) for row in listed[parent]] == [
        (child, parent, "child")
    ]
    assert list(listed) == [parent]
    assert read(lambda c: find_run(c, "last")).id == parent
    (_, waits) = read(lambda c: list_steps(c, parent))
    assert (waits.kind, waits.participant, waits.status) == ("run", "machine", "pending")


def test_the_messages_of_a_child_hang_under_the_root_task_of_its_parent(
    engine: Engine, app: Celery
) -> None:
    run = submit(engine, small("pair", labels={"child": "machine"}))
    scheduled = engine.advance(run)
    assert scheduled is not None

    assert publish(app, scheduled)

    messages = drain(app)
    assert {m.headers["root_id"] for m in messages} == {scheduled.root_task}
    woken = [m.payload for m in messages if m.task == "quorate.run.advance"]
    assert [(p["run"], p["cause"]) for p in woken] == [
        (child, "spawned") for child in scheduled.children
    ]


def test_nobody_can_claim_the_step_that_waits_for_a_child(engine: Engine) -> None:
    parent, _ = spawned(engine)

    assert refused(engine.database, parent, "child").status == "pending"


def test_runs_do_not_start_one_another_without_end(engine: Engine) -> None:
    run = submit(engine, small("boss", labels={"child": "machine", "levels": 99}))

    drive_family(engine, run, worker=anything)

    depth = fetch(engine.database, "SELECT max(depth) AS deepest FROM runs").deepest
    assert depth == 8
    row = run_row(engine.database, run)
    assert row.status == "completed"
    deepest = fetch(engine.database, "SELECT outcome FROM runs WHERE depth = 8").outcome
    assert "8 deep" in deepest["summary"]


# ---- deadline and budget ------------------------------------------------------------------------


def test_the_parent_s_deadline_ends_the_child_with_what_it_has(
    engine: Engine, sweeper: Sweeper
) -> None:
    parent, children = spawned(engine, "pair")
    for child in children:
        begun(engine, child)
    overdue(engine.database, parent)

    for _ in range(4):
        sweeper.sweep()
        later(engine.database)

    row = run_row(engine.database, parent)
    assert (row.status, row.outcome["summary"]) == ("completed", "completed, completed, deadline")
    for child in children:
        assert step_row(engine.database, child, "planning").failure_kind == "deadline"
    assert event_kinds(engine, parent).count("run.overdue") == 1


def waiting(engine: Engine, child: str) -> None:
    engine.advance(child)
    assert run_row(engine.database, child).status == "waiting"


def test_a_person_s_time_in_a_child_does_not_count_against_the_parent_s_deadline(
    engine: Engine, sweeper: Sweeper
) -> None:
    parent, (child,) = spawned(engine, labels={"child": "asking"})
    waiting(engine, child)
    overdue(engine.database, parent)
    sweeper.sweep()
    assert run_row(engine.database, parent).status == "running"
    execute(engine.database, "UPDATE decisions SET opened_at = opened_at - interval '1 h'")

    answer(engine.database, child, "on")
    drive_family(engine, child, worker=anything)

    left = fetch(
        engine.database,
        "SELECT extract(epoch FROM deadline_at - now())::float AS left_s FROM runs WHERE id = %s",
        parent,
    ).left_s
    assert left == pytest.approx(3600, abs=60)
    assert run_row(engine.database, parent).outcome["summary"] == "completed: on"


def paid(run: str, step: str, attempt: str = "1:1") -> StoredResponse:
    usage = Usage(input_tokens=10, output_tokens=20, cached_tokens=0, cost_usd=0.25)
    return StoredResponse(
        run=run,
        step=step,
        token=1,
        worker="w",
        participant="p",
        provider="openai",
        model="m",
        request_sha="r",
        content=json.dumps({}).encode(),
        usage=usage,
        attempt=attempt,
    )


def test_calls_of_a_child_are_paid_from_its_root_and_shown_with_it(engine: Engine) -> None:
    budget = Budget(max_calls=2, max_usd=1.0)
    parent, (child,) = spawned(engine, budget=budget)
    begun(engine, child)
    claimed = claimed_by_nobody(engine.database, child, "planning")

    def put_aside(attempt: str) -> Any:
        need = CallNeed(tokens=30, usd=0.25)
        return engine.database.run(lambda c: reserve(c, claimed, attempt, need), atomic=True)

    assert put_aside("1:1") is None
    engine.database.run(lambda c: store_response(c, paid(parent, "before")))
    engine.database.run(lambda c: store_response(c, paid(child, "planning")))
    assert str(put_aside("1:2").what) == "calls"

    for run in (parent, child):
        locked = engine.database.run(lambda c, run=run: lock_run(c, run), atomic=True)
        assert locked is not None
        assert (locked.calls_left, locked.over_budget) == (0, "calls")
    usage = engine.database.run(lambda c: run_usage(c, parent))
    assert (usage.calls, usage.cost_usd) == (2, 0.5)
    assert engine.database.run(lambda c: run_usage(c, child)).calls == 1
    (total,) = engine.database.run(lambda c: spending(c, Grouping.TOTAL, run=parent))
    assert (total.calls, total.cost_usd) == (2, 0.5)


def test_what_a_child_cost_stands_with_the_step_that_waited_for_it(engine: Engine) -> None:
    parent, (child,) = spawned(engine)
    begun(engine, child)
    engine.database.run(lambda c: store_response(c, paid(child, "planning")))

    cancel(engine.database, child)

    step = step_row(engine.database, parent, "child")
    assert (step.tokens, step.cost_usd) == (30, 0.25)
