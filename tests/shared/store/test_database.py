"""Transactions whose statements are sent together, on real Postgres: they see, fail and are repeated like any other."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from shared.errors import EnvironmentFault
from shared.store.database import Connection, Database
from shared.store.ends import finish
from shared.store.journal import Wanted, lock_with_journals
from shared.store.runs import append_events, lock_run
from tests.support.runs import execute, fetch, new_run, take

pytestmark = pytest.mark.component

WAITING = (
    "SELECT count(*) AS n FROM pg_stat_activity "
    "WHERE wait_event_type = 'Lock' AND datname = current_database()"
)


def write(connection: Connection, run: str) -> None:
    assert lock_run(connection, run) is not None
    append_events(connection, run, [("written", {})])


def written(database: Database, run: str) -> int:
    found = fetch(
        database, "SELECT count(*) AS n FROM events WHERE run_id = %s AND type = 'written'", run
    )
    return int(found.n)


def test_a_journal_holds_what_was_committed_while_the_lock_was_waited_for(
    database: Database,
) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")

    def advance() -> list[str]:
        (found,) = database.run(lambda c: lock_with_journals(c, [Wanted(run)]), pipelined=True)
        return [step.status for step in found.journal.steps]

    with ThreadPoolExecutor(1) as other:
        with database.transaction() as first:
            assert lock_run(first, run) is not None
            waiting = other.submit(advance)
            while not fetch(database, WAITING).n:
                assert not waiting.done()
            assert finish(first, claimed, reply="{}", failure=None) == 0
        assert waiting.result(timeout=30) == ["done"]


def test_a_pipelined_transaction_that_fails_writes_nothing_and_spoils_no_connection(
    database: Database,
) -> None:
    run = new_run(database)

    def fail(connection: Connection) -> None:
        write(connection, run)
        connection.execute("INSERT INTO specs (run_id, spec) VALUES (%s, '{}')", (run,))

    for _ in range(20):
        with pytest.raises(psycopg.errors.UniqueViolation):
            database.run(fail, pipelined=True)
    assert written(database, run) == 0

    database.run(lambda connection: write(connection, run), pipelined=True)
    assert written(database, run) == 1


def test_a_pipelined_transaction_that_a_bug_ends_writes_nothing_either(database: Database) -> None:
    run = new_run(database)

    def fail(connection: Connection) -> None:
        write(connection, run)
        assert connection.execute("SELECT 1 AS n").fetchone() is not None
        write(connection, run)
        raise ZeroDivisionError

    for _ in range(20):
        with pytest.raises(ZeroDivisionError):
            database.run(fail, pipelined=True)

    assert written(database, run) == 0


def test_a_pipelined_transaction_whose_connection_is_lost_is_repeated(database: Database) -> None:
    run = new_run(database)
    attempts: list[int] = []

    def lose_the_first(connection: Connection) -> None:
        attempts.append(connection.info.backend_pid)
        write(connection, run)
        if len(attempts) == 1:
            execute(database, "SELECT pg_terminate_backend(%s, 10000)", attempts[0])
        write(connection, run)

    database.run(lose_the_first, pipelined=True, patience_s=10)

    assert len(attempts) == 2
    assert written(database, run) == 2


@pytest.mark.parametrize("sql", ["SELECT gone FROM runs", "SELECT * FROM gone", "SELECT gone()"])
def test_tables_of_another_version_are_told_and_no_bug(database: Database, sql: str) -> None:
    with pytest.raises(EnvironmentFault, match="tables of another version"):
        database.run(lambda connection: connection.execute(sql), patience_s=60)
