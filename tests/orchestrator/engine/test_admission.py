"""A run whose turn has not come does nothing; it begins when a place is free, whoever died in between."""

import threading
from functools import partial
from typing import Any

import pytest
from celery import Celery

from orchestrator.engine.advance import Engine
from orchestrator.engine.sweeper import Sweeper
from shared.models.run import Budget
from shared.store.admission import admit_runs
from shared.store.database import Database
from shared.store.journal import load_journal
from shared.store.runs import cancel_run
from tests.support.driving import approving, conceding, do, drive, submit
from tests.support.queues import drain
from tests.support.review_panel import submission
from tests.support.runs import alive, execute, run_row

pytestmark = pytest.mark.component

FIRST_ROUND = ["critique/1/critic1", "critique/1/critic2"]
PLACES = 2


@pytest.fixture
def freed() -> threading.Event:
    return threading.Event()


@pytest.fixture
def engine(database: Database, freed: threading.Event) -> Engine:
    alive(database, "worker", slots=1)
    return Engine(database, freed=freed.set)


@pytest.fixture
def sweeper(database: Database, app: Celery, engine: Engine, freed: threading.Event) -> Sweeper:
    return Sweeper(database, app, engine, freed=freed)


def submit_all(engine: Engine, count: int, **changes: Any) -> list[str]:
    return [submit(engine, submission(**changes)) for _ in range(count)]


def status(engine: Engine, run: str) -> str:
    return str(run_row(engine.database, run).status)


def steps_of(app: Celery) -> list[tuple[str, str]]:
    return sorted((message.payload["run"], message.payload["step"]) for message in drain(app))


def test_a_queued_run_is_advanced_by_nothing_and_asks_for_its_admission(
    engine: Engine, freed: threading.Event
) -> None:
    *_, queued = submit_all(engine, PLACES + 1)

    assert engine.advance(queued) is None

    assert status(engine, queued) == "queued"
    assert run_row(engine.database, queued).advances == 0
    assert freed.is_set()


def test_the_end_of_a_run_frees_its_place_and_the_next_one_begins_with_its_first_stage(
    engine: Engine, sweeper: Sweeper, app: Celery, freed: threading.Event
) -> None:
    first, _, third, fourth = submit_all(engine, PLACES + 2)
    assert sweeper.admit() == 0
    drive(engine, first, approving)
    assert freed.is_set()

    assert sweeper.admit() == 1

    assert (status(engine, third), status(engine, fourth)) == ("running", "queued")
    assert steps_of(app) == [(third, step) for step in FIRST_ROUND]
    assert sweeper.admit() == 0


def test_a_run_that_waits_for_a_person_frees_its_place(
    engine: Engine, sweeper: Sweeper, freed: threading.Event
) -> None:
    first, _, third = submit_all(engine, PLACES + 1)
    freed.clear()
    drive(engine, first, conceding)  # up to its decision
    assert status(engine, first) == "waiting"
    assert freed.is_set()

    sweeper.admit()

    assert status(engine, third) == "running"


def test_what_a_process_admitted_and_did_not_advance_before_it_was_killed_is_begun_by_the_sweeper(
    engine: Engine, sweeper: Sweeper, app: Celery
) -> None:
    first, _, third = submit_all(engine, PLACES + 1)
    drive(engine, first, approving)

    assert engine.database.run(admit_runs) == [third]  # and nobody hears of it
    execute(engine.database, "UPDATE runs SET updated_at = now() - interval '2 s'")
    sweeper.mend()

    assert [step for run, step in steps_of(app) if run == third] == FIRST_ROUND


def test_what_nobody_said_was_free_is_given_away_by_the_next_sweep(
    engine: Engine, sweeper: Sweeper
) -> None:
    first, _, third = submit_all(engine, PLACES + 1)
    engine.database.run(partial(cancel_run, run=first, actor="a person"), atomic=True)

    swept = sweeper.sweep()

    assert swept is not None
    assert swept.admitted == 1
    assert status(engine, third) == "running"


def test_one_sweeper_at_a_time_admits(engine: Engine, sweeper: Sweeper) -> None:
    first, *_ = submit_all(engine, PLACES + 1)
    engine.database.run(partial(cancel_run, run=first, actor="a person"), atomic=True)
    with engine.database.transaction() as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (0x41444D54,))
        assert sweeper.admit() is None
    assert sweeper.admit() == 1


def test_hours_in_the_queue_take_nothing_from_a_run_s_time(
    engine: Engine, sweeper: Sweeper
) -> None:
    """Neither its deadline nor what its workflow is told of the time that has passed."""
    first, _, third = submit_all(engine, PLACES + 1, budget=Budget(max_seconds=300))
    execute(
        engine.database,
        "UPDATE runs SET created_at = created_at - interval '5 h', deadline_at = deadline_at - interval '5 h' "
        "WHERE id = %s",
        third,
    )
    sweeper.sweep()
    assert status(engine, third) == "queued"
    drive(engine, first, approving)

    sweeper.admit()
    do(engine.database, third, FIRST_ROUND[0], approving)
    sweeper.sweep()

    steps = engine.database.run(lambda c: load_journal(c, third)).steps
    ended = [step for step in steps if not step.is_open]
    assert [(step.key, step.failure_kind) for step in ended] == [(FIRST_ROUND[0], None)]
    assert 0 <= ended[0].elapsed_s < 60


def test_a_thread_admits_as_soon_as_a_place_is_free(
    engine: Engine, sweeper: Sweeper, app: Celery
) -> None:
    first, _, third = submit_all(engine, PLACES + 1)
    sweeper.start()
    drive(engine, first, approving)

    waited = threading.Event()
    for _ in range(200):
        if status(engine, third) == "running":
            break
        waited.wait(0.05)
    sweeper.stop()
    sweeper.join(60)

    assert status(engine, third) == "running"
