"""The third trigger on real servers: whatever was lost on the way is found, and one bad run does not stop the rest."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import redis
from celery import Celery

from orchestrator.embedded.processes import wait_until
from orchestrator.engine.advance import Engine
from orchestrator.engine.staging import Scheduled
from orchestrator.engine.sweeper import PARKED_AFTER, Sweeper
from shared.delivery.broker import make_app
from shared.instance import Endpoints
from shared.models.decision import DecisionAnswer
from shared.store.database import Database
from shared.store.decisions import answer_decision
from shared.store.sweeping import Task, try_lock
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


def until(true: Callable[[], bool], within_s: float = 40) -> None:
    assert wait_until(true, within_s), "it never came to be"


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
    given = DecisionAnswer(choice="apply_fix", actor="me", channel="cli")
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

    def advance(self, run: str, *, wait: bool = True) -> Scheduled | None:
        """Fail for one run."""
        if run == self.bad:
            raise ZeroDivisionError("no rounds")
        return super().advance(run, wait=wait)


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
        assert try_lock(other, Task.COLLECT)
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


# ---- nobody is waited for ------------------------------------------------------------------------


def test_a_run_that_somebody_else_has_locked_keeps_the_sweep_from_nothing_else(
    database: Database, app: Celery
) -> None:
    """A session that fell silent in a transaction holds a run; leases, deadlines and other runs go on."""
    engine = Engine(database)
    held, spent, lost, ripe = (submit(engine) for _ in range(4))
    for run in (spent, lost):
        engine.advance(run)
        take(database, run, FIRST_ROUND[0], "dead")
    execute(database, "UPDATE steps SET attempts = max_attempts WHERE run_id = %s", spent)
    execute(database, "UPDATE steps SET lease_until = now() WHERE status = 'leased'")
    later(database)
    unwaiting = Database(f"{database.url}&options=-c%20lock_timeout%3D1ms", pool_size=2)

    with database.transaction() as forgotten:
        forgotten.execute("SELECT id FROM runs WHERE id = ANY(%s) FOR UPDATE", ([held, spent],))
        forgotten.execute("SELECT key FROM steps WHERE run_id = %s FOR UPDATE", (spent,))
        swept = Sweeper(unwaiting, app, Engine(unwaiting)).sweep()

    assert swept is not None
    assert (swept.released, swept.exhausted, swept.woken) == (1, 0, 2)
    assert run_row(database, held).open_steps == 0
    assert run_row(database, ripe).open_steps == 2
    assert step_row(database, lost, FIRST_ROUND[0]).status == "pending"
    unwaiting.close()


def test_an_advance_that_takes_long_keeps_no_lease_from_its_release(
    database: Database, app: Celery
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    class Slow(Engine):
        def advance(self, run: str, *, wait: bool = True) -> Scheduled | None:
            begun.set()
            assert go_on.wait(60)
            return None

    engine = Engine(database)
    submit(engine)
    run = submit(engine)
    engine.advance(run)
    later(database)
    sweeper = Sweeper(database, app, Slow(database))
    sweeper.start()
    assert begun.wait(30)
    take(database, run, FIRST_ROUND[0], "dead")
    execute(database, "UPDATE steps SET lease_until = now() WHERE status = 'leased'")

    until(lambda: step_row(database, run, FIRST_ROUND[0]).status == "pending")

    sweeper.stop()
    go_on.set()
    sweeper.join(60)


def test_what_the_broker_did_not_take_is_not_marked_as_published(
    sweeper: Sweeper, database: Database, engine: Engine, app: Celery, servers: Endpoints
) -> None:
    run = submit(engine)
    engine.advance(run)
    later(database)

    with redis.Redis.from_url(servers.redis_url) as client:
        client.config_set("maxmemory", "1")
        swept = sweeper.sweep()
        client.config_set("maxmemory", "0")

    assert swept is not None
    assert swept.republished == 0
    row = step_row(database, run, FIRST_ROUND[0])
    assert (row.dispatched_at, row.dispatches) == (None, 1)
    swept = sweeper.sweep()
    assert swept is not None
    assert swept.republished == 2
    assert steps_of(app) == FIRST_ROUND


def test_a_broker_that_goes_away_between_two_questions_is_no_bug(
    database: Database, engine: Engine, tmp_path: Path
) -> None:
    """It accepts a connection and ends it at once: redis-py has an error of its own for that."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        ending = threading.Thread(target=_hang_up, args=(server,), daemon=True)
        ending.start()
        app = make_app(f"redis+socket://{tmp_path}/s")

        assert app.depths() is None
        sweeper = Sweeper(database, app, engine)
        assert sweeper.sweep() is not None

        app.close()


def _hang_up(server: socket.socket) -> None:
    with suppress(OSError):
        while True:
            server.accept()[0].close()


def test_a_lock_that_nobody_can_end_keeps_the_sweep_out_for_a_while_only(
    database: Database, app: Celery, engine: Engine
) -> None:
    """A stopped process of the server keeps its locks, whoever asks it to end."""
    sweeper = Sweeper(database, app, engine, held_too_long_s=0.5)
    submit(engine)
    later(database)

    with database.transaction() as stopped:
        for task in Task:
            assert try_lock(stopped, task)
        assert sweeper.collect() is None
        assert sweeper.mend() is None
        time.sleep(0.6)
        assert sweeper.collect() is not None
        assert sweeper.mend() == (0, 1)

    assert steps_of(app) == FIRST_ROUND
