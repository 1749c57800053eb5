"""The third trigger on real servers: whatever was lost on the way is found, and one bad run does not stop the rest."""

import pytest
from celery import Celery

from orchestrator.engine import Engine
from orchestrator.staging import Scheduled
from orchestrator.sweep import PARKED_AFTER, Sweeper
from shared.broker import make_app
from shared.models.decision import Answer
from shared.store.database import Database
from shared.store.decisions import answer_decision
from shared.store.sweeping import try_lock
from tests.support.driving import conceding, do, drive
from tests.support.queues import drain
from tests.support.review_panel import submission
from tests.support.runs import alive, execute, run_row, step_row, take

pytestmark = pytest.mark.component

FIRST_ROUND = ["critique/1/critic1", "critique/1/critic2"]


@pytest.fixture
def engine(database: Database) -> Engine:
    return Engine(database)


@pytest.fixture
def sweeper(database: Database, app: Celery, engine: Engine) -> Sweeper:
    return Sweeper(database, app, engine)


def submit(engine: Engine) -> str:
    wanted = submission()
    return engine.submit(wanted.spec, "t", wanted.documents)


def moved(database: Database, interval: str) -> None:
    """Everything that waits to be looked at has waited since another moment."""
    execute(database, "UPDATE runs SET updated_at = updated_at + %s::interval", interval)
    execute(database, "UPDATE steps SET dispatched_at = dispatched_at + %s::interval", interval)
    execute(database, "UPDATE decisions SET answered_at = answered_at + %s::interval", interval)


def later(database: Database) -> None:
    """Two hours pass."""
    moved(database, "-2 h")


def fresh(database: Database) -> None:
    """No time has passed, however slow the machine is."""
    moved(database, "1 h")


def steps_of(app: Celery) -> list[str]:
    return sorted(message.payload["step"] for message in drain(app))


def test_a_run_that_was_submitted_and_never_advanced_is_started(
    sweeper: Sweeper, engine: Engine, app: Celery
) -> None:
    submit(engine)
    fresh(engine.database)
    assert sweeper.sweep().woken == 0  # type: ignore[union-attr]

    later(engine.database)
    swept = sweeper.sweep()

    assert swept is not None
    assert swept.woken == 1
    assert steps_of(app) == FIRST_ROUND


def test_a_stage_that_was_committed_and_never_published_is_published(
    sweeper: Sweeper, engine: Engine, app: Celery
) -> None:
    engine.advance(submit(engine))
    fresh(engine.database)
    sweeper.sweep()
    assert steps_of(app) == []

    later(engine.database)
    swept = sweeper.sweep()

    assert swept is not None
    assert swept.republished == 2
    messages = drain(app)
    assert sorted(m.payload["step"] for m in messages) == FIRST_ROUND
    assert {m.embed["chord"]["task"] for m in messages} == {"quorate.run.advance"}
    fresh(engine.database)
    sweeper.sweep()
    assert drain(app) == []


def test_a_round_that_ended_and_was_not_advanced_is_advanced(
    sweeper: Sweeper, engine: Engine, app: Celery
) -> None:
    run = submit(engine)
    engine.advance(run)
    for name in FIRST_ROUND:
        do(engine.database, run, name, conceding)
    later(engine.database)

    sweeper.sweep()

    assert steps_of(app) == ["rebuttal/2/author"]


def test_the_steps_of_a_dead_worker_are_published_in_the_same_sweep(
    sweeper: Sweeper, engine: Engine, app: Celery
) -> None:
    run = submit(engine)
    engine.advance(run)
    take(engine.database, run, FIRST_ROUND[0], "dead")
    alive(engine.database, "dead")
    execute(engine.database, "UPDATE steps SET lease_until = now() WHERE status = 'leased'")
    fresh(engine.database)

    swept = sweeper.sweep()

    assert swept is not None
    assert (swept.released, swept.republished) == (1, 1)
    assert steps_of(app) == FIRST_ROUND[:1]


def test_a_step_that_kills_its_workers_is_buried_and_its_run_ends(
    sweeper: Sweeper, engine: Engine, app: Celery
) -> None:
    run = submit(engine)
    engine.advance(run)
    for name in FIRST_ROUND:
        for attempt in range(3):
            take(engine.database, run, name, "dead", f"{name}{attempt}")
            execute(engine.database, "UPDATE steps SET lease_until = now() WHERE status = 'leased'")
            sweeper.sweep()
    later(engine.database)
    sweeper.sweep()

    assert step_row(engine.database, run, FIRST_ROUND[0]).failure_kind == "dead"
    row = run_row(engine.database, run)
    assert (row.status, row.verdict, row.ending) == ("completed", "INCONCLUSIVE", "degraded")


def test_an_answer_whose_signal_was_lost_is_found(
    sweeper: Sweeper, engine: Engine, app: Celery
) -> None:
    run = submit(engine)
    drive(engine, run, conceding)
    given = Answer(choice="apply_fix", actor="me", channel="cli")
    engine.database.run(lambda c: answer_decision(c, run, "decision", given, None), atomic=True)
    later(engine.database)

    sweeper.sweep()

    (message,) = drain(app)
    assert (message.queue, message.payload["step"]) == ("quorate.apply", "apply")


def test_a_deadline_that_passed_is_answered_by_the_policy_and_acted_upon(
    sweeper: Sweeper, engine: Engine
) -> None:
    run = submit(engine)
    drive(engine, run, conceding)
    execute(engine.database, "UPDATE decisions SET deadline_at = now()")
    sweeper.sweep()
    later(engine.database)

    sweeper.sweep()

    row = run_row(engine.database, run)
    assert row.status == "completed"
    assert row.outcome["detail"]["decision"]["channel"] == "deadline"


def test_an_overdue_run_is_ended(sweeper: Sweeper, engine: Engine) -> None:
    run = submit(engine)
    engine.advance(run)
    execute(engine.database, "UPDATE runs SET deadline_at = now()")

    sweeper.sweep()

    assert run_row(engine.database, run).status == "completed"


class Broken(Engine):
    """An engine with a bug that only one run meets."""

    bad = ""

    def advance(self, run: str) -> Scheduled | None:
        """Fail for one run."""
        if run == self.bad:
            raise ZeroDivisionError("no rounds")
        return super().advance(run)


def test_a_run_that_cannot_be_advanced_does_not_keep_the_others_from_it(
    database: Database, app: Celery
) -> None:
    engine = Broken(database)
    engine.bad, good = submit(engine), submit(engine)
    later(database)

    swept = Sweeper(database, app, engine).sweep()

    assert swept is not None
    assert swept.woken == 2
    assert {message.payload["run"] for message in drain(app)} == {good}


def test_a_run_that_can_never_be_advanced_is_parked_with_its_reason(
    database: Database, app: Celery
) -> None:
    engine = Broken(database)
    engine.bad = submit(engine)
    later(database)
    sweeper = Sweeper(database, app, engine)

    for _ in range(PARKED_AFTER - 1):
        sweeper.sweep()
    assert run_row(database, engine.bad).status == "running"
    sweeper.sweep()

    row = run_row(database, engine.bad)
    assert row.status == "blocked"
    assert "ZeroDivisionError: no rounds" in row.blocked_reason
    swept = sweeper.sweep()
    assert swept is not None
    assert swept.woken == 0


def test_one_sweeper_sweeps_at_a_time(sweeper: Sweeper, database: Database) -> None:
    with database.transaction() as other:
        assert try_lock(other)
        assert sweeper.sweep() is None

    assert sweeper.sweep() is not None


def test_without_a_broker_everything_but_publishing_is_done(
    database: Database, engine: Engine, tmp_path: object
) -> None:
    nowhere = make_app(f"redis+socket://{tmp_path}/nobody.sock")
    run = submit(engine)
    engine.advance(run)
    take(database, run, FIRST_ROUND[0], "dead")
    execute(database, "UPDATE steps SET lease_until = now() WHERE status = 'leased'")

    swept = Sweeper(database, nowhere, engine).sweep()

    assert swept is not None
    assert (swept.released, swept.republished) == (1, 0)
    assert step_row(database, run, FIRST_ROUND[0]).dispatched_at is None
    nowhere.close()
