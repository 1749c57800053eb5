"""What the sweeper asks of real Postgres: who is gone, what was lost, what is ripe."""

import time
from contextlib import suppress

import psycopg
import pytest

from shared.errors import EnvironmentFault
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.store.database import Database
from shared.store.decisions import answer_decision
from shared.store.ends import finish
from shared.store.processes import leave, list_processes
from shared.store.runs import NewDecision, cancel_run
from shared.store.steps import hand_back
from shared.store.sweeping import (
    Task,
    due_runs,
    end_silent_sessions,
    fail_exhausted_steps,
    forget_processes,
    may_be_lost,
    release_lost_leases,
    take_lost_steps,
    try_lock,
)
from tests.support.runs import (
    alive,
    execute,
    fetch,
    new_run,
    new_step,
    refused,
    run_row,
    step_row,
    take,
)

pytestmark = pytest.mark.component

SILENCE_S = 8.0
QUEUE = "quorate.turns"


def settled(database: Database) -> float:
    """A silence that a database which was started just now already knows of."""
    up = fetch(
        database, "SELECT extract(epoch FROM now() - pg_postmaster_start_time())::float AS s"
    ).s
    return min(SILENCE_S, float(up) / 2)


def release(database: Database, silence_s: float) -> list[tuple[str, str, int]]:
    return database.run(lambda c: release_lost_leases(c, silence_s))


def bury(database: Database) -> list[tuple[str, str]]:
    return database.run(lambda c: fail_exhausted_steps(c, SILENCE_S), atomic=True)


def lost(database: Database, grace_s: float = 200.0, limit: int = 100) -> list[str]:
    maybe = database.run(lambda c: may_be_lost(c, grace_s))
    steps = [s.step for s in database.run(lambda c: take_lost_steps(c, {QUEUE: grace_s}, limit))]
    assert maybe or not steps, "the look that spares the rest has missed something"
    return steps


def ripe(database: Database, patience_s: float = 150.0) -> list[str]:
    return database.run(lambda c: due_runs(c, patience_s))


def ago(database: Database, column: str, seconds: float, table: str = "steps") -> None:
    execute(database, f"UPDATE {table} SET {column} = now() - make_interval(secs => %s)", seconds)


# ---- leases -------------------------------------------------------------------------------------


def test_the_steps_of_a_silent_process_are_given_back_and_no_others(database: Database) -> None:
    silence_s = settled(database)
    run = new_run(database, "silent", "alive", "young", "left", "over")
    alive(database, "silent", 60)
    alive(database, "alive", -60)  # it will beat for a while yet
    for key in ("silent", "alive"):
        take(database, run, key, key, key)
    take(database, run, "left", "left", "left")
    take(database, run, "over", "alive", "over")
    ago(database, "leased_at", 60)
    take(database, run, "young", "unheard", "young")
    execute(database, "UPDATE steps SET lease_until = now() WHERE key = 'over'")
    execute(database, "UPDATE steps SET leased_at = now() + interval '1 min' WHERE key = 'young'")

    released = release(database, silence_s)

    assert sorted(released) == [(run, "left", 1), (run, "over", 1), (run, "silent", 1)]
    assert release(database, silence_s) == []
    assert step_row(database, run, "silent").status == "pending"
    assert step_row(database, run, "alive").status == "leased"
    assert step_row(database, run, "young").status == "leased"


def test_a_database_that_has_just_started_holds_nobody_s_silence_against_him(
    database: Database,
) -> None:
    """Heartbeats could not be written while it was down: silence counts from its start."""
    longer_than_up = 3600.0
    run = new_run(database, "a")
    alive(database, "worker", 2 * longer_than_up)
    take(database, run, "a", "worker")

    assert release(database, longer_than_up) == []

    alive(database, "worker", 60)
    assert release(database, settled(database)) == [(run, "a", 1)]


def test_a_step_that_used_up_its_attempts_is_buried_and_its_run_goes_on(
    database: Database,
) -> None:
    run = new_run(database, new_step("a", max_attempts=1), new_step("b", 1, max_attempts=1), "c")
    take(database, run, "a", nonce="a")
    claimed = take(database, run, "b", nonce="b")
    alive(database, "worker")
    assert bury(database) == []
    execute(database, "UPDATE steps SET lease_until = now()")

    assert sorted(bury(database)) == [(run, "a"), (run, "b")]
    assert bury(database) == []

    row = step_row(database, run, "a")
    assert (row.status, row.failure_kind) == ("failed", "dead")
    assert "given up after 1 attempts" in row.failure_message
    assert run_row(database, run).open_steps == 1
    assert database.run(lambda c: finish(c, claimed, reply="{}", failure=None)) is None


def test_a_released_step_can_be_buried_but_not_both(database: Database) -> None:
    run = new_run(database, new_step("a", max_attempts=2))
    for attempt in (1, 2):
        take(database, run, "a", nonce=str(attempt))
        execute(database, "UPDATE steps SET lease_until = now()")
        released, buried = release(database, SILENCE_S), bury(database)
        assert (len(released), len(buried)) == ((1, 0), (0, 1))[attempt - 1]
    assert run_row(database, run).open_steps == 0


# ---- lost messages ------------------------------------------------------------------------------


def test_a_step_that_nobody_took_is_published_again_ever_more_seldom(
    database: Database,
) -> None:
    new_run(database, "a")
    assert lost(database) == []  # published just now, by whoever inserted it

    for waited_s, expected in ((390, []), (490, ["a"]), (790, []), (970, ["a"]), (1590, [])):
        ago(database, "dispatched_at", waited_s)
        assert lost(database) == expected, waited_s
    for _ in range(9):
        ago(database, "dispatched_at", 360_000)
        assert lost(database) == ["a"]
    ago(database, "dispatched_at", 200 * 32 * 1.2 + 10)  # the fifth doubling is the last
    assert lost(database) == ["a"]


def test_a_released_step_is_published_at_once(database: Database) -> None:
    run = new_run(database, "a")
    take(database, run, "a")
    execute(database, "UPDATE steps SET lease_until = now()")
    release(database, SILENCE_S)

    assert lost(database) == ["a"]
    assert lost(database) == []


def test_a_step_that_was_handed_back_is_published_when_its_time_has_come(
    database: Database,
) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")
    database.run(lambda c: hand_back(c, claimed, 60.0))
    assert lost(database) == []

    execute(database, "UPDATE steps SET not_before = now()")
    ago(database, "dispatched_at", 250)

    assert lost(database) == ["a"]


def test_leased_finished_and_other_queues_steps_are_not_lost(database: Database) -> None:
    run = new_run(database, "leased", "done", new_step("tool", 2, queue="quorate.tools"))
    take(database, run, "leased", nonce="1")
    claimed = take(database, run, "done", nonce="2")
    database.run(lambda c: finish(c, claimed, reply="{}", failure=None))
    ago(database, "dispatched_at", 3600)

    assert lost(database) == []


def test_the_steps_of_runs_that_stand_still_do_not_crowd_out_the_others(
    database: Database,
) -> None:
    blocked, cancelled = new_run(database, "b1", "b2", "b3"), new_run(database, "c")
    execute(database, "UPDATE runs SET status = 'blocked' WHERE id = %s", blocked)
    database.run(lambda c: cancel_run(c, cancelled, "me"), atomic=True)
    ago(database, "dispatched_at", 7200)
    new_run(database, "a")
    execute(database, "UPDATE steps SET dispatched_at = now() - interval '1 h' WHERE key = 'a'")

    assert lost(database, limit=2) == ["a"]


def test_two_sweepers_do_not_take_the_same_step(database: Database) -> None:
    new_run(database, *(f"s{number}" for number in range(4)))
    ago(database, "dispatched_at", 60)

    with database.transaction() as one, database.transaction() as other:
        assert try_lock(one, Task.MEND)
        assert not try_lock(other, Task.MEND)
        first = take_lost_steps(one, {QUEUE: 2.0}, 2)
        second = take_lost_steps(other, {QUEUE: 2.0}, 9)

    assert sorted(s.step for s in (*first, *second)) == ["s0", "s1", "s2", "s3"]
    assert {s.root_task for s in first} == {f"root-{first[0].run}"}


# ---- ripe runs ----------------------------------------------------------------------------------


def test_ripe_is_what_has_nothing_open_and_was_left_alone_for_a_while(
    database: Database,
) -> None:
    empty, open_one = new_run(database), new_run(database, "a")
    assert ripe(database) == []

    ago(database, "updated_at", 200, "runs")

    assert ripe(database) == [empty]
    claimed = take(database, open_one, "a")
    database.run(lambda c: finish(c, claimed, reply="{}", failure=None))
    assert ripe(database) == [empty]
    assert sorted(ripe(database, 0.0)) == sorted([empty, open_one])
    database.run(lambda c: cancel_run(c, empty, "me"), atomic=True)
    assert empty not in ripe(database, 0.0)


def test_an_answered_decision_makes_its_run_ripe_until_it_is_used(database: Database) -> None:
    question = DecisionQuestion(kind="k", prompt="?", options=("yes",), shown={})
    decision = NewDecision("d", "k", question.model_dump_json(), "x", None, None)
    run = new_run(database, decisions=[decision])
    ago(database, "updated_at", 3600, "runs")
    assert ripe(database) == []

    answer = DecisionAnswer(choice="yes", actor="me", channel="cli")
    database.run(lambda c: answer_decision(c, run, "d", answer, None), atomic=True)

    assert ripe(database) == []
    assert ripe(database, 0.0) == [run]
    execute(database, "UPDATE decisions SET consumed_at = now()")
    assert ripe(database, 0.0) == []


def test_a_run_past_its_deadline_is_ripe_whatever_is_open(database: Database) -> None:
    run = new_run(database, "a")
    assert ripe(database) == []

    execute(database, "UPDATE runs SET deadline_at = now()")

    assert ripe(database) == [run]


# ---- processes ----------------------------------------------------------------------------------


def test_silent_processes_are_forgotten_once_they_hold_nothing(database: Database) -> None:
    run = new_run(database, "a")
    for name, silent_s in (("old", 900), ("holder", 900), ("new", 1)):
        alive(database, name, silent_s)
    take(database, run, "a", "holder")

    assert database.run(lambda c: forget_processes(c, 600)) == 1

    known = database.run(list_processes)
    assert [process.id for process in known] == ["new", "holder"]
    assert known[1].silent_s > 800
    database.run(lambda c: leave(c, "holder"))
    assert [process.id for process in database.run(list_processes)] == ["new"]
    assert refused(database, run, "a").status == "leased"


# ---- sessions that fell silent ------------------------------------------------------------------


def end_silent(database: Database, silence_s: float = 0.0) -> int:
    return database.run(lambda c: end_silent_sessions(c, silence_s))


@pytest.mark.parametrize("lock", ["row", "advisory"])
def test_a_session_that_holds_locks_and_says_nothing_is_ended(
    database: Database, lock: str
) -> None:
    """Statements that were sent together: the server's own limit begins only when it is told that they are all."""
    run = new_run(database)
    lock_it = (
        "SELECT id FROM runs FOR UPDATE" if lock == "row" else "SELECT pg_advisory_xact_lock(7)"
    )
    with suppress(psycopg.OperationalError), database.pipelined() as silent:
        silent.execute(lock_it).fetchone()
        assert end_silent(database, 3600) == 0
        while not end_silent(database):
            time.sleep(0.01)
        execute(database, "UPDATE runs SET title = 'free' WHERE id = %s", run)
        execute(database, "SELECT pg_advisory_lock(7)")
        silent.execute("SELECT 1").fetchone()

    assert run_row(database, run).title == "free"


def test_sessions_that_hold_nobody_up_are_left_alone(database: Database, database_url: str) -> None:
    new_run(database)
    with psycopg.connect(database_url.replace("+psycopg", "")) as person:
        person.execute("SELECT id FROM runs FOR UPDATE")
        with database.transaction() as reader:
            reader.execute("SELECT id FROM runs")

            assert end_silent(database) == 0

        person.execute("SELECT 1")


# ---- a database that went away ------------------------------------------------------------------


def test_a_killed_connection_is_replaced_and_the_work_done(database: Database) -> None:
    assert database.run(lambda c: c.execute("SELECT 1 AS one").fetchone()) == (1,)
    new_run(database, "a")
    with database.connection() as killer:
        killer.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )

    assert fetch(database, "SELECT count(*) AS runs FROM runs").runs == 1


def test_without_a_server_the_patience_ends_in_a_sentence() -> None:
    nowhere = Database("postgresql+psycopg://me:secret@/db?host=%2Fnowhere", patience_s=0.1)

    with pytest.raises(EnvironmentFault, match="does not answer") as caught:
        nowhere.run(lambda c: c.execute("SELECT 1"))

    assert "secret" not in str(caught.value)
    nowhere.close()
