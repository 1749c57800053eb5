"""No statement of every day reads a large table from one end to the other, as Postgres counts it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from benchmarks.rows import Bench, Stopwatch, fill, looks
from orchestrator.application.backend import Backend
from shared.models.outcomes import FailureKind
from shared.settings import ServiceSettings
from shared.store.daily_spending import sum_up
from shared.store.database import Connection, Database
from shared.store.ends import finish, store_response, store_responses
from shared.store.listed_decisions import list_decisions
from shared.store.people import missed, remind
from shared.store.runs import cancel_run, unblock_run
from shared.store.steps import (
    Claim,
    WantedStep,
    claim,
    claim_steps,
    fail_open_steps,
    hand_back,
    is_held,
    release_leases,
)
from shared.store.waiting_turns import waiting_turns
from tests.support.driving import conceding, do
from tests.support.review_panel import submission
from tests.support.runs import new_run, response, take

pytestmark = pytest.mark.component

STEPS = 10_000
CONNECTIONS = 2
# Up to so many runs `status` counts them one by one (test_large_tables.py looks at more).
COUNTED = "status"
LARGE = "SELECT relname, seq_scan FROM pg_stat_user_tables WHERE n_live_tup > 1000"


@pytest.fixture(scope="module")
def bench(servers: Any, template: str) -> Iterator[Bench]:
    """Ten thousand steps of reviews that ended, and a few that go on."""
    from orchestrator.embedded.throwaway import clone_database, drop_database

    url = clone_database(servers, template, "scans")
    database = Database(url, pool_size=CONNECTIONS, patience_s=20)
    urls = {"QUORATE_DATABASE_URL": url, "QUORATE_REDIS_URL": servers.redis_url}
    settings = ServiceSettings.from_environment({"HOME": "/nonexistent", **urls})
    backend = Backend(settings, database)
    here = Bench(backend, {})
    fill(here, STEPS)
    yield here
    backend.close()
    drop_database(servers, "scans")


def scanned(bench: Bench, work: Callable[[], object]) -> list[str]:
    """The large tables that `work` reads from one end to the other."""
    before = _scans(bench.backend.database)
    work()
    after = _scans(bench.backend.database)
    return [table for table in after if after[table] > before.get(table, 0)]


def _scans(database: Database) -> Mapping[str, int]:
    """How often each large table was scanned, with what every connection has counted for itself."""
    with database.connection() as one, database.connection() as other:
        for connection in (one, other):
            connection.execute("SELECT pg_stat_force_next_flush()")
        return _counted(one)


def _counted(connection: Connection) -> Mapping[str, int]:
    connection.execute("SET stats_fetch_consistency = none")
    return {row.relname: row.seq_scan for row in connection.execute(LARGE).fetchall()}


def test_a_whole_review_scans_no_large_table(bench: Bench) -> None:
    assert scanned(bench, lambda: bench.review(Stopwatch())) == []


def test_advances_of_many_runs_together_scan_no_large_table(bench: Bench) -> None:
    def advance() -> None:
        wanted = submission()
        runs = [bench.engine.submit(wanted.spec, "a change", wanted.documents) for _ in range(16)]
        for portion in bench.engine.advance_all(runs):
            for step in (step.payload for one in portion for step in one.steps):
                do(bench.engine.database, step.run, step.step, conceding)
        assert len(list(bench.engine.advance_all(runs))) == 1

    assert scanned(bench, advance) == []


def _taken_later(connection: Connection, held: Claim) -> None:
    store_response(connection, response(held))
    hand_back(connection, held, 0.0)
    again = claim(connection, held.run, held.step, "w", "again")
    assert isinstance(again, Claim)
    assert again.responses


Case = Callable[[Connection, Claim], object]

SELDOM: dict[str, Case] = {
    "a message that came twice": lambda c, held: claim(c, held.run, held.step, "w", "nonce"),
    "a claim of somebody else": lambda c, held: claim(c, held.run, held.step, "other", "other"),
    "claims of several": lambda c, held: claim_steps(
        c, [WantedStep(held.run, name, name) for name in ("a", "b", "c")], "w"
    ),
    "an answer that a later attempt takes": _taken_later,
    "answers of several": lambda c, held: store_responses(
        c, [response(held, attempt=f"1:{number}") for number in range(16)]
    ),
    "an end with a call, and once more": lambda c, held: [
        finish(c, held, reply="{}", failure=None, responses=(response(held, attempt="9"),))
        for _ in range(2)
    ],
    "is it held": is_held,
    "what is held is let go": lambda c, held: release_leases(
        c, "w", [(held.run, held.step, held.token)]
    ),
    "a deadline": lambda c, held: fail_open_steps(c, held.run, FailureKind.DEADLINE, "late"),
    "cancelling": lambda c, held: cancel_run(c, held.run, "me"),
    "unblocking": lambda c, held: unblock_run(c, held.run),
    "a reminder": lambda c, held: remind(c, held.run, held.step),
    "a turn missed": lambda c, held: missed(c, held.run, held.step),
    "turns of a run": lambda c, held: waiting_turns(c, run=held.run),
    "an open decision": lambda c, held: list_decisions(c, run=held.run),
    "sums": lambda c, _held: sum_up(c, 1),
}


@pytest.mark.parametrize("case", SELDOM.values(), ids=SELDOM)
def test_what_happens_seldom_scans_no_large_table_either(bench: Bench, case: Case) -> None:
    database = bench.backend.database
    held = take(database, new_run(database, "held", "a", "b", "c"), "held", "w", "nonce")

    scans = scanned(bench, lambda: database.run(lambda connection: case(connection, held)))

    assert scans == []


def test_no_look_and_no_statement_of_a_sweep_scans_a_large_table(bench: Bench) -> None:
    scanning = {
        name: tables
        for name, look in looks(bench).items()
        if name != COUNTED and (tables := scanned(bench, look))
    }

    assert scanning == {}


@pytest.mark.parametrize("table", ["runs", "steps", "usage", "events", "decisions", "documents"])
def test_a_scan_is_noticed(bench: Bench, table: str) -> None:
    statement = f"SELECT * FROM {table} OFFSET 100000000"

    assert scanned(bench, lambda: bench.backend.read(lambda c: c.execute(statement))) == [table]
