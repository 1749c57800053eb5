"""Couriers that are killed with -9 at each stage: nothing is sent twice, counted twice or lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from shared.store.database import Database
from tests.support.batch_stand import BatchStand
from tests.support.batched_turns import HALF_USD, batched, courier, finished, make_due
from tests.support.runs import fetch
from tests.support.turns import calls, turn, work
from workers.turns.steps import StepWorker

pytestmark = [pytest.mark.component, pytest.mark.chaos]

CALLS = 3
STAGES = [
    ("anthropic", "batch-taken"),
    ("anthropic", "batch-posted"),
    ("anthropic", "some-answers-stored"),
    ("anthropic", "answers-stored"),
    ("openai", "batch-taken"),
    ("openai", "batch-posted"),
    ("gemini", "batch-taken"),
    ("gemini", "batch-posted"),
]


def killed_at(point: str, database: Database) -> int:
    """Let a courier tick in a process that dies at that point; its exit code."""
    environ = {**os.environ, "QUORATE_KILL_AT": point}
    command = [sys.executable, "-m", "tests.support.courier_process", database.url]
    return subprocess.run(command, env=environ, timeout=120, check=False).returncode


@pytest.mark.parametrize(("provider", "point"), STAGES)
def test_a_killed_courier_leaves_every_call_to_be_sent_and_answered_once(
    worker: StepWorker, database: Database, stand: BatchStand, provider: str, point: str
) -> None:
    runs = [turn(database, batched(stand, provider)) for _ in range(CALLS)]
    for run in runs:
        work(worker, run)
    if point.endswith("stored"):
        courier(database).tick()
        stand.finish()
        make_due(database)

    assert killed_at(point, database) == -signal.SIGKILL

    carrier = courier(database)
    for _ in range(6):
        make_due(database)
        carrier.tick()
        stand.finish()
    rows = [finished(worker, database, run) for run in runs]
    assert [row.status for row in rows] == ["done"] * CALLS
    assert sorted(stand.posted()) == sorted(set(stand.posted()))
    assert (len(stand.posted()), calls(database)) == (CALLS, CALLS)
    spent = fetch(database, "SELECT sum(cost_usd) AS usd FROM usage").usd
    assert spent == pytest.approx(CALLS * HALF_USD)
    assert (
        fetch(
            database,
            "SELECT count(*) AS n FROM provider_batches WHERE status IN ('sending', 'sent')",
        ).n
        == 0
    )


def test_a_worker_that_dies_after_queueing_a_call_does_not_queue_it_again(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    """Its lease runs out, and the next claim finds the call."""
    run = turn(database, batched(stand))
    work(worker, run)
    database.run(
        lambda c: c.execute(
            "UPDATE steps SET status = 'leased', owner = 'dead', lease_until = now()"
        )
    )
    carrier = courier(database)
    carrier.tick()
    assert stand.batches == []  # whoever has the step has not handed it back
    database.run(
        lambda c: c.execute("UPDATE steps SET status = 'pending', owner = NULL, not_before = NULL")
    )
    work(worker, run)
    for _ in range(2):
        carrier.tick()
        stand.finish()
        make_due(database)
    carrier.tick()
    assert finished(worker, database, run).status == "done"
    assert (len(stand.posted()), calls(database)) == (1, 1)


def test_two_couriers_at_once_send_each_call_once(
    worker: StepWorker, database: Database, stand: BatchStand
) -> None:
    runs = [turn(database, batched(stand)) for _ in range(30)]
    for run in runs:
        work(worker, run)
    processes = [
        subprocess.Popen([sys.executable, "-m", "tests.support.courier_process", database.url])
        for _ in range(2)
    ]
    assert [process.wait(120) for process in processes] == [0, 0]
    courier(database).tick()
    assert sorted(stand.posted()) == sorted(set(stand.posted()))
    assert len(stand.posted()) == 30
