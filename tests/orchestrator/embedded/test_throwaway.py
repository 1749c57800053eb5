from pathlib import Path

import psycopg
import pytest

from orchestrator.embedded.servers import is_up
from orchestrator.embedded.throwaway import clone_database, drop_database, throwaway
from orchestrator.embedded.wire import PostgresRefusal
from shared.errors import UserError
from shared.instance import Endpoints, Instance

pytestmark = pytest.mark.component


def rows(url: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        cursor = connection.execute(sql)
        return cursor.fetchall() if cursor.description else []


def test_clones_are_separate_and_nothing_is_left_afterwards(tmp_path: Path) -> None:
    with throwaway(tmp_path) as endpoints:
        rows(endpoints.database_url, "CREATE TABLE notes AS SELECT 'template' AS text")
        first = clone_database(endpoints, "quorate", "first")
        second = clone_database(endpoints, "quorate", 'odd "name"')
        rows(first, "UPDATE notes SET text = 'first'")

        assert rows(first, "SELECT text FROM notes") == [("first",)]
        assert rows(second, "SELECT text FROM notes") == [("template",)]
        assert rows(first, "SHOW fsync") == [("off",)]

        with psycopg.connect(first.replace("+psycopg", "")):
            drop_database(endpoints, "first")
        drop_database(endpoints, "first")
        with pytest.raises(psycopg.OperationalError, match="does not exist"):
            rows(first, "SELECT 1")
        with pytest.raises(PostgresRefusal, match="already exists"):
            clone_database(endpoints, "quorate", 'odd "name"')

    assert not is_up(Instance.at(tmp_path, "throwaway"))
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_external_servers_are_not_cloned() -> None:
    external = Endpoints("redis://h/0", "redis://h/2", "postgresql+psycopg://u@h/quorate")

    with pytest.raises(UserError, match="not an embedded server"):
        clone_database(external, "quorate", "copy")
