"""Migrations lead to the schema that the code describes, however many processes apply them at once."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

import shared.store
from shared.errors import EnvironmentFault
from shared.store.daily_spending import sum_up
from shared.store.database import Database
from shared.store.migrate import HEAD, current, upgrade
from shared.store.migrating import make_migration_engine
from shared.store.schema import metadata
from shared.store.spending import Grouping, spending
from shared.store.views import list_assessments
from tests.support.migrations import to_revision
from tests.support.runs import at_once, execute

pytestmark = pytest.mark.component

_INDEXES = """
SELECT indexname, regexp_replace(indexdef, ' ON (public\\.)?', ' ON ') FROM pg_indexes
 WHERE schemaname = 'public' AND tablename <> 'alembic_version' ORDER BY indexname
"""


_STORAGE = """
SELECT relname, reloptions::text FROM pg_class
 WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'alembic_version' ORDER BY relname
"""


def indexes(database: Database) -> dict[str, str]:
    with database.connection() as connection:
        return dict(tuple(row) for row in connection.execute(_INDEXES).fetchall())


def storage(database: Database) -> dict[str, str]:
    with database.connection() as connection:
        return dict(tuple(row) for row in connection.execute(_STORAGE).fetchall())


def test_migrations_and_schema_agree(database: Database) -> None:
    with make_migration_engine(database.url).connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_server_default": True, "compare_type": True}
        )
        assert compare_metadata(context, metadata) == []


def test_indexes_and_storage_agree_to_the_last_predicate(
    database: Database, empty_url: str
) -> None:
    """Alembic compares neither predicates nor directions nor fill factors: Postgres' own definitions do."""
    plain = Database(empty_url, pool_size=1, patience_s=5)
    engine = sa.create_engine(empty_url, poolclass=sa.NullPool)
    metadata.create_all(engine)
    engine.dispose()

    wanted, wanted_storage = indexes(plain), storage(plain)
    plain.close()

    assert indexes(database) == wanted
    assert storage(database) == wanted_storage
    assert any("WHERE" in definition for definition in wanted.values())


def test_the_head_that_is_checked_at_every_start_is_the_last_migration() -> None:
    folder = Path(shared.store.__path__[0]) / "migrations"

    assert ScriptDirectory(str(folder)).get_current_head() == HEAD


def test_a_database_of_a_newer_version_is_refused_in_words(empty_url: str) -> None:
    database = Database(empty_url)
    upgrade(database)
    with database.connection() as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(EnvironmentFault, match=f"schema 9999.*newer version.*knows {HEAD}"):
        upgrade(database)
    database.close()


def test_ten_migrators_at_once_apply_it_once(empty_url: str) -> None:
    databases = [Database(empty_url, pool_size=1, patience_s=20) for _ in range(10)]
    assert current(databases[0]) is None

    applied = at_once(10, lambda number: upgrade(databases[number]))

    assert sum(applied) == 1
    assert {current(database) for database in databases} == {HEAD}
    for database in databases:
        database.close()


def test_there_and_back_and_there_again(empty_url: str) -> None:
    database = Database(empty_url, pool_size=1, patience_s=5)
    upgrade(database)
    before = indexes(database)

    to_revision(database, "base")
    assert indexes(database) == {}

    assert upgrade(database) is True
    assert upgrade(database) is False
    assert indexes(database) == before
    database.close()


def test_assessments_become_records_in_their_order_and_back(empty_url: str) -> None:
    database = Database(empty_url, pool_size=1, patience_s=5)
    upgrade(database, "0002")
    figures = {
        "assessment": {
            "round": 2,
            "ending": None,
            "metrics": {
                "detector": "stance",
                "agreement_ratio": 0.25,
                "avg_stability": None,
                "overall_score": 0.5,
                "recommendation": "continue",
            },
        }
    }
    with database.connection() as connection:
        connection.execute(
            "INSERT INTO runs (id, workflow, title, status, spec, root_task) VALUES ('r', 'review', 't', 'running', "
            "'{}', 'x')"
        )
        for key in ("round/10", "ending", "round/2"):
            connection.execute(
                "INSERT INTO assessments (run_id, key, round, detector, agreement_ratio, overall_score, "
                "recommendation, body, at) VALUES ('r', %s, 2, 'stance', .25, .5, 'continue', %s, '2026-01-01')",
                (key, json.dumps(figures)),
            )
        connection.commit()
        before = connection.execute("SELECT * FROM assessments ORDER BY key").fetchall()

    upgrade(database)
    listed = database.run(lambda connection: list_assessments(connection, "r"))
    to_revision(database, "0002")

    assert [row["key"] for row in listed] == ["round/2", "round/10", "ending"]
    assert listed[0]["metrics"] == figures["assessment"]["metrics"]
    with database.connection() as connection:
        after = connection.execute("SELECT * FROM assessments ORDER BY key").fetchall()
    assert [row._asdict() for row in after] == [row._asdict() for row in before]
    database.close()


def test_what_was_spent_is_the_same_before_and_after_there_are_sums(empty_url: str) -> None:
    database = Database(empty_url, pool_size=1, patience_s=5)
    upgrade(database, "0004")
    execute(
        database,
        "INSERT INTO runs (id, workflow, title, status, spec, root_task) "
        "VALUES ('r', 'w', 't', 'completed', '{}', 'x')",
    )
    execute(
        database,
        "INSERT INTO usage (run_id, step, token, worker, participant, provider, request_sha, attempt, cost_usd, at) "
        "SELECT 'r', 's', 1, 'w', 'p' || n %% 3, 'x', 'sha', n, n / 8.0, now() - n * interval '1 hour' "
        "FROM generate_series(1, %s) n",
        100,
    )
    seen = []
    for _ in range(2):
        upgrade(database)
        seen.append(database.run(lambda connection: spending(connection, Grouping.DAY)))
        assert database.run(lambda connection: sum_up(connection, 1))
        seen.append(database.run(lambda connection: spending(connection, Grouping.DAY)))
        to_revision(database, "0004")

    assert sum(row.calls for row in seen[0]) == 100
    assert seen == [seen[0]] * 4
    database.close()


def test_a_queued_run_begins_when_its_database_goes_back_to_a_version_without_queues(
    empty_url: str,
) -> None:
    database = Database(empty_url, pool_size=1, patience_s=5)
    upgrade(database)
    with database.connection() as connection:
        connection.execute(
            "INSERT INTO runs (id, workflow, title, status, root_task, batch, created_at, deadline_at) "
            "SELECT status, 'review', 't', status, 'x', 'b', now() - interval '2 h', now() - interval '1 h' "
            "FROM unnest(ARRAY['queued', 'running']) AS status"
        )
        connection.commit()

    to_revision(database, "0006")
    with database.connection() as connection:
        rows = connection.execute(
            "SELECT id, status, round(extract(epoch FROM deadline_at - now()) / 3600) AS h FROM runs ORDER BY id"
        ).fetchall()
    assert [tuple(row) for row in rows] == [("queued", "running", 1), ("running", "running", -1)]

    upgrade(database)
    with database.connection() as connection:
        kept = connection.execute("SELECT DISTINCT status, batch, admitted_at FROM runs").fetchall()
    assert [tuple(row) for row in kept] == [("running", None, None)]
    database.close()


@pytest.mark.parametrize("work", [current, upgrade])
def test_a_server_that_is_gone_is_an_absence_and_no_bug(
    tmp_path: Path, work: Callable[[Database], object]
) -> None:
    nowhere = Database(f"postgresql+psycopg://postgres@/db?host={tmp_path}")

    with pytest.raises(EnvironmentFault, match="does not answer"):
        work(nowhere)


def test_a_server_that_dies_before_the_migration_is_an_absence_and_no_bug(
    empty_url: str, tmp_path: Path
) -> None:
    class Dying(Database):
        """Answers for its revision, and then its server is gone."""

        @property
        def url(self) -> str:
            return f"postgresql+psycopg://postgres@/db?host={tmp_path}"

        @url.setter
        def url(self, _url: str) -> None:
            pass

    dying = Dying(empty_url)

    with pytest.raises(EnvironmentFault, match="does not answer"):
        upgrade(dying)
    dying.close()


def test_batches_and_schedules_of_before_belong_to_the_projects_of_their_runs(
    empty_url: str,
) -> None:
    database = Database(empty_url, pool_size=1, patience_s=5)
    upgrade(database, "0023")
    with database.connection() as connection:
        for run, labels in (("a", {"project": "web"}), ("b", {"repository": "shop"}), ("c", {})):
            connection.execute(
                "INSERT INTO runs (id, workflow, title, status, root_task) VALUES (%s, 'ask', 't', 'queued', 'x')",
                (run,),
            )
            connection.execute(
                "INSERT INTO specs (run_id, spec) VALUES (%s, %s)",
                (run, json.dumps({"labels": labels})),
            )
        connection.execute(
            "INSERT INTO batches (name, source, fingerprint, total, state) VALUES ('n', 's', 'f', 2, 'open'), "
            "('empty', 's', 'f', 2, 'filling')"
        )
        connection.execute(
            "INSERT INTO batch_items (batch, position, custom_id, key, run_id, body) "
            "VALUES ('n', 0, 'a', 'a', 'a', '{}'), ('n', 1, 'b', 'b', 'b', '{}')"
        )
        for name, run in (("web", "a"), ("none", "c"), ("new", None)):
            connection.execute(
                "INSERT INTO schedules (name, cron, timezone, command, directory, jitter_s, missed, paused) "
                "VALUES (%s, '* * * * *', 'UTC', '[]', '/', 0, 'once', false)",
                (name,),
            )
            connection.execute(
                "INSERT INTO firings (schedule, due_at, state, run_id) VALUES (%s, now(), 'submitted', %s)",
                (name, run),
            )
        connection.commit()

    upgrade(database)

    with database.connection() as connection:
        batches = connection.execute("SELECT name, projects FROM batches ORDER BY name").fetchall()
        found = connection.execute("SELECT name, project FROM schedules ORDER BY name").fetchall()
    database.close()
    assert [tuple(row) for row in batches] == [("empty", []), ("n", ["shop", "web"])]
    assert [tuple(row) for row in found] == [("new", None), ("none", None), ("web", "web")]
