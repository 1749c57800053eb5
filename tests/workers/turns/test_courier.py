"""A courier sends what it may, when it is time, and gives up what takes too long."""

from __future__ import annotations

import pytest

from shared.store.database import Database
from tests.support.batch_stand import BatchStand
from tests.support.batched_turns import batched, courier, finished, make_due, state
from tests.support.runs import execute
from tests.support.turns import turn, work
from workers.turns.courier import Pace
from workers.turns.steps import StepWorker

pytestmark = pytest.mark.component


def test_a_machine_without_the_key_leaves_the_calls_to_others(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    run = turn(database, batched(stand))
    work(worker, run)
    execute(
        database,
        "UPDATE batched_calls SET participant = jsonb_set(participant, '{options,api_key_env}', '\"NOT_SET_HERE\"')",
    )
    courier(database).tick()
    assert (state(database, run).status, stand.asked) == ("queued", [])


def test_what_an_operator_paused_is_not_sent(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    run = turn(database, batched(stand))
    work(worker, run)
    courier(database, paused=lambda: ["critic"]).tick()
    assert (state(database, run).status, stand.asked) == ("queued", [])


def test_a_batch_is_sent_once_no_more_calls_come(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    patient = courier(database, pace=Pace(quiet_s=30, longest_s=120))
    work(worker, turn(database, batched(stand)))
    patient.tick()
    assert stand.batches == []
    execute(database, "UPDATE batched_calls SET created_at = now() - interval '40 s'")
    work(worker, turn(database, batched(stand)))
    patient.tick()
    assert stand.batches == []
    execute(database, "UPDATE batched_calls SET created_at = created_at - interval '100 s'")
    patient.tick()
    assert [len(batch.requests) for batch in stand.batches] == [2]


def test_what_no_batch_may_take_so_long_is_given_up_and_cancelled(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    run = turn(database, batched(stand))
    work(worker, run)
    carrier = courier(database)
    carrier.tick()
    execute(database, "UPDATE provider_batches SET created_at = now() - interval '3 days'")
    make_due(database)
    carrier.tick()
    row = finished(worker, database, run)
    assert (row.failure_kind, stand.batches[0].cancelled) == ("timeout", True)
