"""Paid answers on the disk: kept through a power cut, brought in once, never in the way."""

from pathlib import Path

import pytest

from shared.store.database import Database
from tests.support.runs import at_once, execute, fetch, new_run, response, take
from workers.turns.spool import Spool

pytestmark = pytest.mark.component


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    return Spool(tmp_path / "spool")


def files(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "spool").iterdir())


def test_what_was_kept_is_brought_in_and_adopted_by_the_next_attempt(
    spool: Spool, database: Database, tmp_path: Path
) -> None:
    run = new_run(database, "critique/1/한글")
    claimed = take(database, run, "critique/1/한글", nonce="1")
    content = b"\x00\xff paid"

    path = spool.keep(response(claimed, content))
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0
    assert Spool(tmp_path / "spool").drain(database) == 1

    assert files(tmp_path) == []
    execute(database, "UPDATE steps SET status = 'pending'")
    assert take(database, run, "critique/1/한글", nonce="2").responses == (content,)


def test_nothing_kept_is_nothing_to_do(spool: Spool, database: Database) -> None:
    assert spool.drain(database) == 0


def test_without_a_database_it_stays_where_it_is(
    spool: Spool, database: Database, tmp_path: Path
) -> None:
    nowhere = Database(f"postgresql+psycopg://postgres@/db?host={tmp_path}", patience_s=0.0)
    run = new_run(database, "a")
    spool.keep(response(take(database, run, "a")))

    assert spool.drain(nowhere) == 0
    assert len(files(tmp_path)) == 1
    assert spool.drain(database) == 1
    nowhere.close()


def test_several_processes_bring_in_the_same_folder_and_every_answer_counts_once(
    spool: Spool, database: Database, tmp_path: Path
) -> None:
    run = new_run(database, "a")
    claimed = take(database, run, "a")
    for number in range(20):
        spool.keep(response(claimed, b"answer %d" % number, f"1:{number}"))

    at_once(6, lambda _n: Spool(tmp_path / "spool").drain(database))

    assert files(tmp_path) == []
    assert fetch(database, "SELECT count(*) AS n FROM usage").n == 20


def test_a_file_that_makes_no_sense_is_put_aside_and_the_rest_brought_in(
    spool: Spool, database: Database, tmp_path: Path
) -> None:
    run = new_run(database, "a")
    spool.keep(response(take(database, run, "a")))
    (tmp_path / "spool" / "a-broken.json").write_text('{"run": ')
    (tmp_path / "spool" / "b-other.json").write_text('{"from": "another version", "content": ""}')
    (tmp_path / "spool" / "half-written.part").write_text("{")

    assert spool.drain(database) == 1
    assert files(tmp_path) == ["a-broken.unreadable", "b-other.unreadable", "half-written.part"]


def test_the_answer_of_a_run_that_is_gone_is_dropped_and_not_in_the_way(
    spool: Spool, database: Database, tmp_path: Path
) -> None:
    run, other = new_run(database, "a"), new_run(database, "a")
    spool.keep(response(take(database, run, "a")))
    spool.keep(response(take(database, other, "a")))
    execute(database, "DELETE FROM runs WHERE id = %s", run)

    assert spool.drain(database) == 2
    assert fetch(database, "SELECT count(*) AS n FROM usage").n == 1
