"""Batches in the store: nothing begins before all of it is there, the counts add up, and money is counted once."""

from __future__ import annotations

import itertools
from functools import partial

import pytest

from shared.models.batches import BatchLimits, BatchState, ItemState
from shared.store.admission import admit_runs
from shared.store.batch_items import (
    NewItem,
    NextAttempt,
    add_items,
    failed_runs,
    items_after,
    try_again,
)
from shared.store.batch_money import settle_batches
from shared.store.batches import (
    cancel_batch,
    count_items,
    create_batch,
    discard_batch,
    find_batch,
    open_batch,
    pause_batch,
    paused_batches,
    set_limits,
    spent_on,
)
from shared.store.database import Database
from shared.store.events import list_events
from shared.store.reservations import CallNeed, Short, reserve
from shared.store.runs import cancel_run
from tests.support.review_panel import submission
from tests.support.runs import alive, execute, fetch, new_step, take

pytestmark = pytest.mark.component

SPEC = submission().spec
NAME = "reviews"
_numbers = itertools.count(1)


def items(count: int, *, same: bool = False) -> list[NewItem]:
    """Items, each with a run of its own unless all of them ask the `same`."""
    return [
        NewItem(
            position=number,
            custom_id=f"c{number}",
            key=f"batch:{NAME}:{'same' if same else number}",
            run=f"b{next(_numbers):05}",
            title=f"c{number}",
            root_task="root",
            spec=SPEC,
            body={"metadata": {"number": number}},
        )
        for number in range(1, count + 1)
    ]


def batch(
    database: Database, count: int, limits: BatchLimits | None = None, *, same: bool = False
) -> None:
    """A batch with its items, open."""
    stored = items(count, same=same)

    def write(connection: object) -> None:
        create_batch(
            connection,  # type: ignore[arg-type]
            name=NAME,
            source="r.jsonl",
            fingerprint="f",
            total=count,
            limits=limits or BatchLimits(),
        )
        add_items(connection, NAME, stored, {})  # type: ignore[arg-type]
        assert open_batch(connection, NAME)  # type: ignore[arg-type]

    database.run(write, atomic=True)


def admit(database: Database) -> list[str]:
    return database.run(admit_runs, atomic=True)


def counts(database: Database) -> dict[ItemState, int]:
    seen = database.run(lambda connection: count_items(connection, [NAME]))[NAME]
    total = fetch(database, "SELECT total FROM batches").total
    assert sum(seen.values()) == total
    return {state: number for state, number in seen.items() if number}


def end(database: Database, run: str, ending: str = "converged") -> None:
    execute(
        database,
        "UPDATE runs SET status = 'completed', ending = %s, finished_at = now() WHERE id = %s",
        ending,
        run,
    )


def test_nothing_begins_before_all_of_it_is_stored(database: Database) -> None:
    stored = items(3)
    database.run(
        lambda connection: create_batch(
            connection,
            name=NAME,
            source="r.jsonl",
            fingerprint="f",
            total=3,
            limits=BatchLimits(),
        ),
        atomic=True,
    )
    for first, last, complete in ((0, 2, False), (0, 3, True)):  # the first portion comes twice
        part = partial(add_items, batch=NAME, items=stored[first:last], documents={})
        database.run(part, atomic=True)
        assert admit(database) == []
        assert counts(database).get(ItemState.MISSING, 0) == 3 - last
        opened = database.run(lambda connection: open_batch(connection, NAME), atomic=True)
        assert opened is complete
    assert len(admit(database)) == 3
    assert counts(database) == {ItemState.RUNNING: 3}


def test_a_batch_that_is_discarded_leaves_nothing_behind(database: Database) -> None:
    database.run(
        lambda connection: create_batch(
            connection, name=NAME, source="s", fingerprint="f", total=5, limits=BatchLimits()
        ),
        atomic=True,
    )
    database.run(lambda connection: add_items(connection, NAME, items(2), {}), atomic=True)
    assert database.run(lambda connection: discard_batch(connection, NAME), atomic=True)
    assert database.run(lambda connection: find_batch(connection, NAME)) is None
    late = partial(add_items, batch=NAME, items=items(2), documents={})
    assert not database.run(late, atomic=True)  # whoever was still submitting it
    assert fetch(database, "SELECT count(*) AS n FROM runs").n == 0


def test_what_is_open_is_not_discarded(database: Database) -> None:
    batch(database, 2)
    database.run(lambda connection: discard_batch(connection, NAME), atomic=True)
    assert counts(database) == {ItemState.WAITING: 2}


def test_items_that_ask_the_same_share_a_run_and_are_counted_each(database: Database) -> None:
    batch(database, 4, same=True)
    (run,) = admit(database)
    end(database, run)
    assert counts(database) == {ItemState.SUCCEEDED: 4}


def test_no_more_runs_than_allowed_are_under_way(database: Database) -> None:
    alive(database, "worker", slots=50)
    batch(database, 10, BatchLimits(max_running=3))
    first = admit(database)
    assert len(first) == 3
    assert admit(database) == []
    end(database, first[0])
    assert len(admit(database)) == 1


def test_a_paused_batch_begins_nothing_and_keeps_nobody_out(database: Database) -> None:
    batch(database, 3)
    assert database.run(lambda c: pause_batch(c, NAME, paused=True), atomic=True)
    assert admit(database) == []
    assert database.run(paused_batches) == [NAME]
    assert not database.run(lambda c: pause_batch(c, NAME, paused=True), atomic=True)
    database.run(lambda c: pause_batch(c, NAME, paused=False), atomic=True)
    assert database.run(paused_batches) == []
    assert len(admit(database)) == 3


def test_a_paused_batch_that_was_cancelled_is_not_called_paused(database: Database) -> None:
    batch(database, 1)
    database.run(lambda c: pause_batch(c, NAME, paused=True), atomic=True)
    database.run(lambda c: cancel_batch(c, NAME, "ann"), atomic=True)
    assert database.run(paused_batches) == []


def test_cancelling_lets_what_is_under_way_come_to_its_end(database: Database) -> None:
    alive(database, "worker", slots=1)
    batch(database, 5, BatchLimits(max_running=2))
    running = admit(database)
    assert database.run(lambda c: cancel_batch(c, NAME, "ann"), atomic=True) == 3
    assert counts(database) == {ItemState.RUNNING: 2, ItemState.CANCELLED: 3}
    row = database.run(lambda connection: find_batch(connection, NAME))
    assert row is not None
    assert row.state is BatchState.CANCELLED
    cancelled = fetch(database, "SELECT id FROM runs WHERE status = 'cancelled' LIMIT 1").id
    log = database.run(lambda connection: list_events(connection, cancelled))
    assert [(number, kind) for number, kind, _ in log] == [
        (1, "run.submitted"),
        (2, "run.cancelled"),
    ]
    for run in running:
        end(database, run)
    assert counts(database) == {ItemState.SUCCEEDED: 2, ItemState.CANCELLED: 3}


def test_every_way_to_end_is_counted_as_one_state(database: Database) -> None:
    batch(database, 6)
    first, second, third, fourth, fifth, _ = admit(database)
    end(database, first)
    end(database, second, "degraded")
    end(database, third, "over_budget")
    execute(database, "UPDATE runs SET status = 'blocked' WHERE id = %s", fourth)
    database.run(lambda connection: cancel_run(connection, fifth, "ann"), atomic=True)
    execute(database, "UPDATE runs SET status = 'waiting' WHERE status = 'running'")
    assert counts(database) == {
        ItemState.SUCCEEDED: 1,
        ItemState.FAILED: 3,
        ItemState.CANCELLED: 1,
        ItemState.DECIDING: 1,
    }


def test_a_second_attempt_takes_the_place_of_the_first_and_its_cost_stays(
    database: Database,
) -> None:
    batch(database, 2, same=True)
    (run,) = admit(database)
    spend(database, run, 0.25)
    end(database, run, "degraded")
    (failed,) = database.run(lambda c: failed_runs(c, NAME, [ItemState.FAILED], 10))
    assert (failed.run, failed.attempt) == (run, 0)
    again = NextAttempt(run, "again", "root", f"{failed.key}:1", failed.spec)
    assert database.run(lambda c: try_again(c, [again]), atomic=True) == 2
    assert database.run(lambda c: try_again(c, [again]), atomic=True) == 0
    assert counts(database) == {ItemState.WAITING: 2}
    page = database.run(lambda c: items_after(c, NAME, 0, 10))
    assert [(row.run, row.attempt) for row in page] == [("again", 1)] * 2
    assert database.run(lambda c: spent_on(c, NAME))["cost_usd"] == pytest.approx(0.25)


# ---- money --------------------------------------------------------------------------------------


def spend(database: Database, run: str, usd: float) -> None:
    execute(
        database,
        "INSERT INTO usage (run_id, step, token, worker, participant, provider, request_sha, attempt, cost_usd) "
        "VALUES (%s, 's', 1, 'w', 'p', 'openai', 'sha', %s, %s)",
        run,
        f"a{next(_numbers)}",
        usd,
    )


def test_a_call_that_the_batch_cannot_pay_is_refused_and_nothing_more_begins(
    database: Database,
) -> None:
    batch(database, 4, BatchLimits(max_usd=1.0, max_running=2))
    first, second = admit(database)
    spend(database, first, 0.6)
    end(database, first)
    row = new_step("critique/1/p")
    execute(
        database,
        "INSERT INTO steps (run_id, key, position, kind, participant, role, round, task, queue, fingerprint, "
        "max_attempts, lease_s, status) VALUES (%s, %s, 0, 'turn', 'p', 'critic', 1, %s, %s, 'f', 3, 60, 'pending')",
        second,
        row.key,
        row.task,
        row.queue,
    )
    claim = take(database, second, row.key)

    def wanted(usd: float) -> object:
        need = CallNeed(10, usd)
        lacking = database.run(lambda c: reserve(c, claim, f"x{usd}", need), atomic=True)
        return None if lacking is None else lacking.what

    assert wanted(0.3) is None
    database.run(lambda connection: settle_batches(connection, after_s=0), atomic=True)
    settled = fetch(database, "SELECT settled_usd FROM batches").settled_usd
    database.run(lambda connection: settle_batches(connection, after_s=0), atomic=True)
    assert settled == pytest.approx(fetch(database, "SELECT settled_usd FROM batches").settled_usd)
    assert settled == pytest.approx(0.6)
    assert wanted(0.5) is Short.BATCH
    assert admit(database) == []
    database.run(lambda c: set_limits(c, NAME, BatchLimits(max_usd=2.0)), atomic=True)
    assert wanted(0.5) is None
    assert len(admit(database)) == 1
