"""What a look costs at ten thousand runs: the blocks of the tables that it reads, as Postgres counts them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from shared.delivery.contracts import QUEUES
from shared.errors import UnknownRun
from shared.models.rows import ListedRun
from shared.store.database import Connection, Database
from shared.store.listed_runs import page_of_runs
from shared.store.run_filter import RunFilter
from shared.store.sweeping import (
    due_runs,
    fail_exhausted_steps,
    release_lost_leases,
    take_lost_steps,
)
from shared.store.views import (
    awaited_participants,
    count_live_runs,
    count_runs,
    find_run,
    list_runs,
    run_heartbeat,
)
from tests.support.runs import execute, new_run

pytestmark = pytest.mark.component

RUNS = 10_000
FEW_BLOCKS = 60
RARE = "r000007000"

_READ = (
    "SELECT sum(heap_blks_read + heap_blks_hit + coalesce(toast_blks_read + toast_blks_hit, 0))::int AS blocks "
    "FROM pg_statio_user_tables"
)


@pytest.fixture(scope="module")
def large(servers: Any, template: str) -> Iterator[Database]:
    """Ten thousand runs that ended, and three that go on."""
    from orchestrator.embedded.throwaway import clone_database, drop_database

    database = Database(clone_database(servers, template, "large"), pool_size=2, patience_s=20)
    for table in ("runs", "specs", "steps"):  # what autovacuum reads would be counted, too
        execute(database, f"ALTER TABLE {table} SET (autovacuum_enabled = false)")
    for _ in range(3):
        new_run(database, "a", "b")
    execute(
        database,
        "INSERT INTO runs (id, workflow, title, status, root_task, created_at) "
        "SELECT 'r' || lpad(n::text, 9, '0'), workflow, title, 'completed', root_task, "
        "now() - n * interval '1 min' FROM (SELECT * FROM runs LIMIT 1) r, generate_series(1, %s) n",
        RUNS,
    )
    execute(
        database,
        "INSERT INTO specs (run_id, spec) SELECT r.id, p.spec FROM runs r, (SELECT spec FROM specs LIMIT 1) p "
        "WHERE r.status = 'completed'",
    )
    execute(
        database,
        "UPDATE runs SET title = %s, verdict = 'INCONCLUSIVE', workflow = 'plan' WHERE id = %s",
        "Which database for src/billing/app.py?",
        RARE,
    )
    labels = '{"labels": {"repository": "odd", "batch": "seldom"}}'
    execute(database, "UPDATE specs SET spec = spec || %s::jsonb WHERE run_id = %s", labels, RARE)
    execute(
        database,
        "INSERT INTO steps (run_id, key, position, kind, participant, role, round, task, queue, fingerprint, "
        "status, max_attempts, lease_s, finished_at) SELECT r.id, 'a', 1, 'turn', 'p', 'critic', 1, 't', "
        "'quorate.turns', 'f', 'done', 3, 60, now() FROM runs r WHERE r.status = 'completed'",
    )
    execute(database, "ANALYZE")
    yield database
    database.close()
    drop_database(servers, "large")


def blocks(database: Database, work: Callable[[Connection], object]) -> int:
    """How many blocks of tables `work` reads."""

    def measure(connection: Connection) -> int:
        connection.execute("SET stats_fetch_consistency = none")
        counts = []
        for look in (lambda _: None, work, lambda _: None):
            look(connection)
            connection.execute("SELECT pg_stat_force_next_flush()")
            row = connection.execute(_READ).fetchone()
            assert row is not None
            counts.append(int(row.blocks))
        return counts[1] - counts[0]

    return database.run(measure)


@pytest.mark.parametrize(
    "work",
    [
        lambda c: find_run(c, "r000000777"),
        lambda c: find_run(c, "r00001000"),
        lambda c: find_run(c, "last"),
        lambda c: run_heartbeat(c, "r000000777"),
        count_live_runs,
        count_runs,
        lambda c: list_runs(c, limit=20),
        lambda c: list_runs(c, limit=20, wanted=RunFilter(status="running")),
        awaited_participants,
        lambda c: due_runs(c, 1.5),
        lambda c: release_lost_leases(c, 8.0),
        lambda c: fail_exhausted_steps(c, 8.0),
        lambda c: take_lost_steps(c, dict.fromkeys(QUEUES, 3600.0), 500),
    ],
    ids=[
        "name-run",
        "beginning-of-a-name",
        "last",
        "pulse",
        "count-live",
        "count",
        "list",
        "list-running",
        "awaited",
        "ripe",
        "release",
        "bury",
        "lost",
    ],
)
def test_a_look_reads_a_few_blocks_however_many_runs_there_are(
    large: Database, work: Callable[[Connection], object]
) -> None:
    assert blocks(large, work) <= FEW_BLOCKS


@pytest.mark.parametrize(
    "wanted",
    [
        RunFilter(words="bill"),
        RunFilter(words="which app"),
        RunFilter(words=RARE[:-1]),
        RunFilter(verdict="INCONCLUSIVE"),
        RunFilter(workflow="plan"),
        RunFilter(repository="odd"),
        RunFilter(batch="seldom"),
        RunFilter(repository="odd", verdict="INCONCLUSIVE", workflow="plan", status="completed"),
    ],
    ids=str,
)
def test_one_run_among_many_is_listed_after_a_few_blocks(
    large: Database, wanted: RunFilter
) -> None:
    def listed(connection: Connection) -> set[str]:
        return {run.id for run in page_of_runs(connection, limit=50, wanted=wanted)}

    assert RARE in large.run(listed)
    assert blocks(large, listed) <= (FEW_BLOCKS if wanted.words is None else 2 * FEW_BLOCKS)


def test_a_word_of_every_title_is_looked_for_among_the_newest_only(large: Database) -> None:
    def listed(connection: Connection) -> list[ListedRun]:
        return page_of_runs(connection, limit=20, wanted=RunFilter(words="run"))

    assert len(large.run(listed)) == 20
    assert blocks(large, listed) <= 3 * FEW_BLOCKS


@pytest.mark.parametrize("wanted", [RunFilter(), RunFilter(status="completed")], ids=str)
def test_every_page_of_a_long_list_costs_the_same(large: Database, wanted: RunFilter) -> None:
    def late(connection: Connection) -> list[ListedRun]:
        middle = find_run(connection, "r000009000")
        after = replace(wanted, before_at=middle.created_at, before_id=middle.id)
        return page_of_runs(connection, limit=20, wanted=after)

    assert [run.id for run in large.run(late)][:2] == ["r000009001", "r000009002"]
    assert blocks(large, late) <= 3 * FEW_BLOCKS


def test_the_measure_sees_a_look_at_everything(large: Database) -> None:
    everything = blocks(large, lambda c: c.execute("SELECT count(title) FROM runs").fetchone())

    assert everything > 3 * FEW_BLOCKS


def test_a_large_number_of_ended_runs_is_estimated_and_those_that_go_on_are_counted(
    large: Database,
) -> None:
    counts = large.run(count_runs)

    assert counts.estimated
    assert counts.by_status["running"] == 3
    assert counts.by_status["completed"] == pytest.approx(RUNS, rel=0.05)


@pytest.mark.parametrize("name", ["r0000%", "r000000_77", "R000000777", "r\\", "r 3"])
def test_a_name_is_no_pattern(large: Database, name: str) -> None:
    with pytest.raises(UnknownRun):
        large.run(lambda c: find_run(c, name))
