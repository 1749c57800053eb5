"""Connections to real Postgres within their limits: nobody waits for ever for a peer that says nothing."""

import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from shared.errors import EnvironmentFault
from shared.instance import POSTGRES_SOCKET
from shared.store.connections import SilentServer
from shared.store.database import Connection, Database
from shared.store.migrate import HEAD, current, upgrade
from shared.store.migrating import make_migration_engine
from tests.chaos.proxy import FreezingProxy, through
from tests.support.runs import execute, fetch, new_run

pytestmark = pytest.mark.component


def with_options(url: str, options: str) -> str:
    return f"{url}&options={quote(options)}"


def setting(database: Database, name: str) -> str:
    return str(fetch(database, f"SHOW {name}")[0])


@pytest.fixture
def proxy(database_url: str, tmp_path: Path) -> Iterator[FreezingProxy]:
    folder = Path(str(sa.engine.make_url(database_url).query["host"]))
    made = FreezingProxy(tmp_path / "p", folder / POSTGRES_SOCKET)
    yield made
    made.close()


@pytest.fixture
def far(database_url: str, proxy: FreezingProxy) -> Iterator[Database]:
    """The same database behind a network that can fall silent; an answer takes half a second at most."""
    opened = Database(through(database_url, proxy), pool_size=2, answer_s=0.5)
    yield opened
    opened.close()


def test_every_connection_has_limits_on_both_ends(database: Database) -> None:
    assert setting(database, "lock_timeout") == "5s"
    assert setting(database, "idle_in_transaction_session_timeout") == "15s"
    assert setting(database, "statement_timeout") == "10min"
    with database.connection() as connection:
        ours = connection.info.get_parameters()
    assert {name: ours[name] for name in ("keepalives_idle", "tcp_user_timeout")} == {
        "keepalives_idle": "5",
        "tcp_user_timeout": "10000",
    }


def test_what_the_url_sets_is_kept_and_changes_ours(database_url: str) -> None:
    url = with_options(database_url, "-c statement_timeout=1234 -c work_mem=3MB")
    database = Database(url + "&keepalives_idle=7&connect_timeout=9", pool_size=1)

    assert setting(database, "statement_timeout") == "1234ms"
    assert setting(database, "work_mem") == "3MB"
    assert setting(database, "lock_timeout") == "5s"
    assert setting(database, "plan_cache_mode") == "force_generic_plan"
    with database.connection() as connection:
        theirs = connection.info.get_parameters()
    assert (theirs["keepalives_idle"], theirs["connect_timeout"]) == ("7", "9")
    assert theirs["keepalives_count"] == "3"
    database.close()


def test_a_lock_is_not_waited_for_but_asked_for_again(
    database: Database, database_url: str
) -> None:
    run = new_run(database)
    hurried = Database(with_options(database_url, "-c lock_timeout=100ms"), pool_size=1)
    tries: list[int] = []
    holder = threading.Event()

    def lock(connection: Connection) -> None:
        tries.append(1)
        if len(tries) == 2:
            holder.set()
        connection.execute("SELECT id FROM runs WHERE id = %s FOR UPDATE", (run,))

    with database.transaction() as forgotten:
        forgotten.execute("SELECT id FROM runs WHERE id = %s FOR UPDATE", (run,))
        with pytest.raises(EnvironmentFault, match="lock timeout"):
            hurried.run(lock, atomic=True)
        waiting = threading.Thread(target=hurried.run, args=(lock,), kwargs={"patience_s": 30})
        tries.clear()
        waiting.start()
        assert holder.wait(30)
    waiting.join(30)

    assert not waiting.is_alive()
    hurried.close()


def test_a_transaction_that_fell_silent_is_ended_by_the_server_and_its_work_is_repeated(
    database: Database, database_url: str
) -> None:
    run = new_run(database)
    options = "-c idle_in_transaction_session_timeout=100ms"
    slow = Database(with_options(database_url, options), pool_size=1)
    tries: list[int] = []

    def stand_still_once(connection: Connection) -> None:
        tries.append(1)
        connection.execute("SELECT id FROM runs WHERE id = %s FOR UPDATE", (run,))
        if len(tries) == 1:  # until another session has the lock: the server ended this one
            execute(database, "SELECT id FROM runs WHERE id = %s FOR UPDATE", run)
        connection.execute("UPDATE runs SET title = 'moved' WHERE id = %s", (run,))

    slow.run(stand_still_once, patience_s=30, atomic=True)

    assert len(tries) == 2
    assert fetch(database, "SELECT title FROM runs WHERE id = %s", run).title == "moved"
    slow.close()


@pytest.mark.parametrize("asked", [True, False], ids=["answer lost", "question lost"])
@pytest.mark.parametrize("how", ["plain", "atomic", "pipelined"])
def test_a_connection_that_falls_silent_is_given_up_and_the_work_is_done_on_another(
    far: Database, proxy: FreezingProxy, how: str, asked: bool
) -> None:
    proxy.arm("SELECT 'now'", asked=asked)

    found = far.run(
        lambda c: c.execute("SELECT 'now' AS word").fetchone(),
        patience_s=60,
        atomic=how == "atomic",
        pipelined=how == "pipelined",
    )

    assert proxy.frozen == 1
    assert found == ("now",)


def test_a_server_that_never_answers_is_told_as_an_absence(
    far: Database, proxy: FreezingProxy
) -> None:
    assert far.answers()
    proxy.arm("SELECT 1", times=9)

    with pytest.raises(EnvironmentFault, match=r"has not answered for 1\.5 s") as caught:
        far.run(lambda c: c.execute("SELECT 1"))

    assert isinstance(caught.value.__cause__, SilentServer)
    assert not far.answers()


def test_a_migration_that_says_nothing_is_ended(empty_url: str) -> None:
    """Its lock keeps all others waiting, and a stopped process closes nothing."""
    engine = make_migration_engine(empty_url)
    with engine.connect() as connection:
        names = ("idle_session_timeout", "idle_in_transaction_session_timeout")
        limits = [connection.execute(sa.text(f"SHOW {name}")).scalar() for name in names]
    engine.dispose()

    assert limits == ["1min", "1min"]


def test_migrations_take_as_long_as_they_take(empty_url: str) -> None:
    options = "-c statement_timeout=1ms -c lock_timeout=1ms"
    hurried = Database(with_options(empty_url, options), pool_size=1)
    patient = Database(empty_url, pool_size=1)
    patient_url_is_empty = current(patient) is None

    # The look at the revision has the URL's limits, the migration itself has none.
    hurried.run = patient.run  # type: ignore[method-assign]
    upgrade(hurried)

    assert patient_url_is_empty
    assert current(patient) == HEAD
    for database in (hurried, patient):
        database.close()
