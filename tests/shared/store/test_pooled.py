"""Postgres behind PgBouncer, and behind an address of several hosts."""

from __future__ import annotations

import subprocess

import psycopg
import pytest

from shared.errors import EnvironmentFault
from shared.store.counting import count
from shared.store.database import Database
from shared.store.database_url import of_driver, parameters, prepares
from shared.store.ends import StepEnd, finish_steps
from shared.store.migrate import upgrade
from shared.store.steps import Claim, WantedStep, claim_steps
from shared.store.sweeping import due_runs, release_lost_leases
from tests.fixtures.pgbouncer import Pooled
from tests.support.runs import at_once, fetch, new_run

pytestmark = pytest.mark.component
TURNS = 12
THREADS = 4


def work(url: str) -> None:
    """Many threads claim and end steps, more often than it takes until statements are prepared."""
    database = Database(url, pool_size=THREADS, patience_s=5)

    def turns(number: int) -> None:
        for turn in range(TURNS):
            run = new_run(database, "a", "b")
            wanted = [WantedStep(run, step, f"{number}-{turn}-{step}") for step in "ab"]
            claims = database.run(lambda c, w=wanted: claim_steps(c, w, "w"))  # type: ignore[misc]
            held = [claim for claim in claims if isinstance(claim, Claim)]
            assert len(held) == 2
            ends = [StepEnd(claim, "{}", None) for claim in held]
            database.run(lambda c, e=ends: finish_steps(c, e), pipelined=True)  # type: ignore[misc]
            database.run(lambda c: release_lost_leases(c, 8.0), atomic=True)
            database.run(lambda c: due_runs(c, 1.5), atomic=True)

    try:
        at_once(THREADS, turns)
        assert database.run(count, atomic=True)
    finally:
        database.close()


@pytest.mark.needs_pgbouncer
@pytest.mark.parametrize(
    ("mode", "query"), [("session", ""), ("transaction", "?prepared=off")], ids=lambda word: word
)
def test_work_is_done_behind_pgbouncer(
    pooled: Pooled, database: Database, mode: str, query: str
) -> None:
    work(pooled(mode) + query)

    done = "SELECT count(*) AS n FROM steps WHERE status = 'done'"
    assert fetch(database, done).n == THREADS * TURNS * 2


@pytest.mark.needs_pgbouncer
def test_prepared_statements_are_lost_by_an_old_pgbouncer_that_pools_transactions(
    pooled: Pooled,
) -> None:
    """The negative control: what `prepared=off` is for. From 1.21 on PgBouncer can keep them."""
    told = subprocess.run(["pgbouncer", "--version"], capture_output=True, text=True, check=True)
    if int(told.stdout.split()[1].split(".")[1]) >= 21:
        pytest.skip(f"{told.stdout.splitlines()[0]} keeps them")
    lost = (psycopg.errors.InvalidSqlStatementName, psycopg.errors.DuplicatePreparedStatement)
    with pytest.raises(lost):
        work(pooled("transaction"))


@pytest.mark.parametrize(
    ("url", "driver", "prepared"),
    [
        ("postgresql://u@h/d", "postgresql://u@h/d", True),
        ("postgresql://u@h/d?prepared=off", "postgresql://u@h/d", False),
        (
            "postgresql://u@h/d?prepared=off&sslmode=require",
            "postgresql://u@h/d?sslmode=require",
            False,
        ),
        (
            "postgresql://u@h/d?sslmode=require&prepared=off",
            "postgresql://u@h/d?sslmode=require",
            False,
        ),
        ("postgresql://u@h/d?prepared=on", "postgresql://u@h/d", True),
    ],
)
def test_what_is_ours_in_a_url_is_not_the_drivers(url: str, driver: str, prepared: bool) -> None:
    assert (of_driver(url), prepares(url)) == (driver, prepared)
    assert parameters(url) == parameters(driver)


def test_of_several_hosts_the_one_that_answers_is_used(database_url: str, empty_url: str) -> None:
    """Also by migrations."""
    for url in (database_url, empty_url):
        real = parameters(url)
        place = f"{real['user']}:{real['password']}@/{real['dbname']}"
        several = f"postgresql://{place}?host=/nonexistent,{real['host']}&port=1,5432"
        found = Database(f"{several}&target_session_attrs=read-write", pool_size=1, patience_s=5)
        upgrade(found)
        assert found.run(lambda c: c.execute("SELECT 1 AS one").fetchone()) == (1,)
        found.close()


def test_a_host_that_only_reads_is_not_taken_where_writing_is_asked_for(database_url: str) -> None:
    real = parameters(database_url)
    place = f"{real['user']}:{real['password']}@/{real['dbname']}"
    standby = f"postgresql://{place}?host={real['host']}&target_session_attrs=standby"
    found = Database(standby, pool_size=1)

    with pytest.raises(EnvironmentFault, match="standby"):
        found.run(lambda c: c.execute("SELECT 1").fetchone())
