"""Flower's rows of what waits: what has to change, and what Flower's own state makes of it."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from flower.events import EventsState
from tornado.ioloop import IOLoop

from orchestrator.cli.waiting_rows import (
    EVERY_S,
    MOST_ROWS,
    REST,
    Look,
    WaitingRows,
    corrections,
    key_of,
    pause_s,
    task_id,
)
from shared.store.database import Database
from shared.store.waits import Wait, WaitKey, WaitKind, WaitLater, Waits, WaitState
from tests.shared.store.test_waits import answered, asking, cancelled, person
from tests.support.runs import execute, new_run

BEGAN = datetime(2026, 11, 1, tzinfo=UTC)


def wait(number: int, kind: WaitKind = WaitKind.DECISION) -> Wait:
    return Wait(
        WaitKey(kind, f"run{number}", "decision"),
        asked="",
        purpose="review",
        options=("apply_fix", "skip"),
        round=0,
        workflow="review",
        root_task=f"root{number}",
        since=BEGAN + timedelta(minutes=number),
        until=None,
    )


def seen(*numbers: int, total: int | None = None, others: tuple[WaitLater, ...] = ()) -> Look:
    newest = tuple(wait(n) for n in sorted(numbers, reverse=True))
    return Look(Waits(newest, len(newest) if total is None else total), others)


def later(number: int, state: WaitState, word: str = "skip") -> WaitLater:
    return WaitLater(wait(number).key, state, word, BEGAN + timedelta(hours=1))


def ids(*numbers: int) -> frozenset[str]:
    return frozenset(task_id(wait(n).key) for n in numbers)


# ---- what has to change --------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["decision", "answer/me", "a:b:c", "결정", ""])
@pytest.mark.parametrize("kind", list(WaitKind))
def test_a_rows_id_says_which_wait_it_is(kind: WaitKind, step: str):
    key = WaitKey(kind, "r23456789a", step, 2)
    assert key_of(task_id(key)) == key


def test_what_has_no_row_gets_one_the_oldest_first():
    wrong = corrections(ids(1), seen(1, 2, 3), most=10)
    assert [each.key.run for each in wrong.new] == ["run2", "run3"]
    assert not wrong.ended
    assert not wrong.gone


def test_rows_that_ended_end_and_rows_of_nothing_go():
    ended = later(1, WaitState.ANSWERED)
    wrong = corrections(ids(1, 2, 3), seen(3, others=(ended,)), most=10)
    assert wrong.ended == (ended,)
    assert wrong.gone == ids(2)


def test_a_row_that_still_waits_stays_until_newer_ones_need_its_place():
    looked = seen(2, 3, others=(later(1, WaitState.OPEN),))
    assert corrections(ids(1, 2, 3), looked, most=3).gone == frozenset()
    assert corrections(ids(1, 2, 3), looked, most=2).gone == ids(1)


def test_looking_takes_a_small_part_of_the_time():
    assert pause_s(0.001) == EVERY_S
    assert pause_s(1.0) == 20.0


# ---- Flower's state ------------------------------------------------------------------------------


@dataclass
class Service:
    """What of Flower's application the rows touch, with Flower's own state of events."""

    state: EventsState
    io_loop: Any = None
    options: Any = field(default_factory=lambda: SimpleNamespace(max_tasks=20_000))
    capp: Any = field(default_factory=lambda: SimpleNamespace(clock=SimpleNamespace(value=7)))

    @property
    def events(self) -> Any:
        return self


NOWHERE = Database("postgresql:///nowhere?host=/nonexistent", pool_size=1)


@pytest.fixture
def service() -> Iterator[Service]:
    loop = IOLoop(make_current=False)
    yield Service(EventsState(max_tasks_in_memory=20_000), loop)
    loop.close()


def rows_of(service: Service, database: Database = NOWHERE) -> WaitingRows:
    return WaitingRows(service, database)


def row(service: Service, number: int) -> Any:
    return service.state.tasks.data.get(task_id(wait(number).key))


def test_a_wait_is_a_task_that_no_worker_has_with_the_times_of_the_database(service: Service):
    rows_of(service).correct(corrections(frozenset(), seen(1), most=10))
    task = row(service, 1)
    assert (task.name, task.state, task.worker) == ("quorate.waits.decision", "PENDING", None)
    assert task.received == wait(1).since.timestamp()
    assert task.root_id == "root1"
    shown = literal_eval(task.kwargs)
    assert list(shown.items())[:3] == [
        ("asked", "anyone who may decide"),
        ("for", "review (apply_fix, skip)"),
        ("workflow", "review"),
    ]
    assert shown["run"] == "run1"
    assert not service.state.workers


@pytest.mark.parametrize(
    ("state", "word", "expected"),
    [
        (WaitState.ANSWERED, "apply_fix", ("SUCCESS", "apply_fix", None)),
        (WaitState.FAILED, "timeout", ("FAILURE", None, "timeout")),
        (WaitState.CANCELLED, "cancelled", ("REVOKED", "cancelled", None)),
    ],
)
def test_a_wait_that_ended_ends_its_row(
    service: Service, state: WaitState, word: str, expected: tuple[str, str | None, str | None]
):
    rows = rows_of(service)
    rows.correct(corrections(frozenset(), seen(1), most=10))
    rows.correct(corrections(ids(1), seen(others=(later(1, state, word),)), most=10))
    task = row(service, 1)
    assert (task.state, task.result, task.exception) == expected
    assert task.runtime == 59 * 60
    assert next(iter(literal_eval(task.kwargs).items())) == ("outcome", word)
    assert not service.state.workers
    found = service.state.search_engine.search(service.state.tasks, f"state:{task.state}")
    assert found.task_ids == [task.uuid]


def test_a_row_that_is_forgotten_is_found_no_more(service: Service):
    rows = rows_of(service)
    rows.correct(corrections(frozenset(), seen(1, 2), most=10))
    rows.correct(corrections(ids(1, 2), seen(2), most=10))
    assert list(service.state.tasks) == list(ids(2))
    assert service.state.search_engine.search(service.state.tasks, "waits").task_ids == list(ids(2))


# ---- with Postgres -------------------------------------------------------------------------------


def look_once(service: Service, rows: WaitingRows) -> None:
    service.io_loop.run_sync(rows.follow)


def shown_by(service: Service) -> dict[str, str]:
    return {task.uuid: task.state for task in service.state.tasks.data.values()}


@pytest.mark.component
def test_the_rows_follow_what_waits_and_a_new_flower_has_the_open_ones(
    service: Service, database: Database
):
    decided, stopped, asked = (
        new_run(database, decisions=[asking()]),
        new_run(database, decisions=[asking()]),
        person(database),
    )
    rows = rows_of(service, database)
    look_once(service, rows)
    assert set(shown_by(service).values()) == {"PENDING"}
    assert len(shown_by(service)) == 3

    answered(database, decided, "apply_fix")
    cancelled(database, stopped)
    look_once(service, rows)
    expected = {
        f"decision:0:{decided}:decision": "SUCCESS",
        f"decision:0:{stopped}:decision": "REVOKED",
        f"person:0:{asked}:me": "PENDING",
    }
    assert shown_by(service) == expected
    assert "SECRET" not in repr([task.as_dict() for task in service.state.tasks.data.values()])

    later_started = Service(EventsState(max_tasks_in_memory=20_000), service.io_loop)
    look_once(later_started, rows_of(later_started, database))
    assert shown_by(later_started) == {f"person:0:{asked}:me": "PENDING"}


@pytest.mark.component
def test_a_row_that_flower_has_lost_comes_back(service: Service, database: Database):
    new_run(database, decisions=[asking()])
    rows = rows_of(service, database)
    look_once(service, rows)
    before = shown_by(service)
    service.state.clear(ready=False)
    look_once(service, rows)
    assert shown_by(service) == before


@pytest.mark.component
def test_while_postgres_is_away_the_rows_stay_and_then_they_follow_again(
    service: Service, database: Database, capsys: pytest.CaptureFixture[str]
):
    run = new_run(database, decisions=[asking()])
    rows = rows_of(service, database)
    look_once(service, rows)
    before = shown_by(service)

    away = rows_of(service, NOWHERE)
    look_once(service, away)
    look_once(service, away)
    assert shown_by(service) == before
    assert capsys.readouterr().err.count("stay as they are") == 1

    answered(database, run, "skip")
    look_once(service, rows)
    assert set(shown_by(service).values()) == {"SUCCESS"}


@pytest.mark.component
def test_of_more_waits_than_there_are_rows_the_newest_are_shown_and_the_rest_is_counted(
    service: Service, database: Database
):
    run = new_run(database, decisions=[asking()])
    execute(
        database,
        "INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state, opened_at) "
        "SELECT run_id, 'more' || n, kind, question, shown_sha256, state, now() + make_interval(secs => n) "
        "FROM decisions, generate_series(1, %s) n WHERE run_id = %s",
        MOST_ROWS + 9,
        run,
    )
    rows = rows_of(service, database)
    look_once(service, rows)
    shown = shown_by(service)
    assert len(shown) == MOST_ROWS + 1
    assert f"decision:0:{run}:more{MOST_ROWS + 9}" in shown
    assert f"decision:0:{run}:more9" not in shown
    assert literal_eval(service.state.tasks.data[REST].kwargs)["asked"] == "10 more wait"

    execute(database, "DELETE FROM decisions WHERE key <> 'more9'")
    look_once(service, rows)
    assert shown_by(service) == {f"decision:0:{run}:more9": "PENDING"}
