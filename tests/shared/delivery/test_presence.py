"""Presence: who is alive, what it still holds, and what it is told to let go of."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from shared.build import CONTRACT, this_build
from shared.delivery.presence import InFlight, Presence
from shared.instance import POSTGRES_SOCKET
from shared.store.database import Database
from shared.store.processes import beat, list_processes
from tests.chaos.proxy import FreezingProxy, through
from tests.support.runs import execute, new_run, step_row, take

pytestmark = pytest.mark.component


def until(true: Callable[[], bool], timeout_s: float = 40) -> None:
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, "it never came to be"
        threading.Event().wait(0.02)


@pytest.fixture
def presence(database: Database) -> Iterator[Presence]:
    one = Presence(database, "turns")
    yield one
    one.stop()


def seen(database: Database) -> dict[str, float]:
    return {p.id: p.silent_s for p in database.run(list_processes)}


def test_a_process_is_there_from_its_start_and_gone_at_its_end(
    presence: Presence, database: Database
) -> None:
    presence.start()
    assert list(seen(database)) == [presence.process_id]

    presence.stop()
    assert seen(database) == {}


def test_a_process_says_how_many_steps_it_works_on_at_once(database: Database) -> None:
    presence = Presence(database, "turns", slots=40)
    presence.start()
    assert [process.slots for process in database.run(list_processes)] == [40]
    presence.stop()


def test_a_process_beats_again_and_comes_back_when_it_was_forgotten(
    presence: Presence, database: Database
) -> None:
    presence.start()
    execute(database, "DELETE FROM processes")

    until(lambda: presence.process_id in seen(database))


def test_no_two_processes_ever_have_the_same_name(database: Database) -> None:
    names = {Presence(database, "turns").process_id for _ in range(20)}

    assert len(names) == 20


def test_what_was_taken_away_is_cancelled_and_the_rest_goes_on(
    presence: Presence, database: Database
) -> None:
    run = new_run(database, "kept", "lost")
    flags = {}
    for key in ("kept", "lost"):
        claimed = take(database, run, key, presence.process_id, key)
        flags[key] = presence.in_flight.add((run, key, claimed.token))
    execute(database, "UPDATE steps SET token = token + 1 WHERE key = 'lost'")

    presence.start()

    assert flags["lost"].is_set()
    assert not flags["kept"].is_set()


def test_a_database_that_is_away_cancels_nothing(tmp_path: Path) -> None:
    nowhere = Database(f"postgresql+psycopg://postgres@/db?host={tmp_path}", patience_s=0.0)
    presence = Presence(nowhere, "turns")
    flag = presence.in_flight.add(("r1", "a", 1))

    presence.start()
    presence.stop()

    assert not flag.is_set()
    nowhere.close()


def test_a_step_that_is_held_and_not_worked_on_is_given_back(
    presence: Presence, database: Database
) -> None:
    run = new_run(database, "given-up", "worked-on")
    take(database, run, "given-up", presence.process_id, "one")
    claimed = take(database, run, "worked-on", presence.process_id, "two")
    presence.in_flight.add((run, "worked-on", claimed.token))

    presence.start()

    until(lambda: step_row(database, run, "given-up").status == "pending")
    assert step_row(database, run, "worked-on").status == "leased"


def test_what_is_let_go_of_is_not_cancelled_any_more() -> None:
    held = InFlight()
    flag = held.add(("r1", "a", 1))
    assert held.snapshot() == {("r1", "a", 1)}

    held.remove(("r1", "a", 1))
    held.cancel({("r1", "a", 1)})

    assert held.snapshot() == set()
    assert not flag.is_set()


# ---- heartbeats that do not arrive ----------------------------------------------------------------

BEAT_S = 0.05  # a fortieth of the real one; silence and the end come as much sooner


@pytest.fixture
def proxy(database: Database, tmp_path: Path) -> Iterator[FreezingProxy]:
    made = FreezingProxy(tmp_path / "p", Path(host_of(database)) / POSTGRES_SOCKET)
    yield made
    made.close()


@pytest.fixture
def far(database: Database, proxy: FreezingProxy) -> Iterator[Database]:
    """The same database behind a network that can fall silent."""
    opened = Database(through(database.url, proxy), pool_size=1, answer_s=0.2)
    yield opened
    opened.close()


def host_of(database: Database) -> str:
    return str(sa.engine.make_url(database.url).query["host"])


def test_a_heartbeat_whose_answer_never_comes_is_given_up_and_the_next_one_arrives(
    far: Database, proxy: FreezingProxy, database: Database
) -> None:
    presence = Presence(far, "turns", end=lambda: None)
    proxy.arm("INSERT INTO processes")
    presence.start()
    assert proxy.frozen == 1

    assert presence.is_known(within_s=40)

    assert presence.process_id in seen(database)
    presence.stop()


def test_a_process_whose_heartbeats_never_arrive_takes_nothing_and_ends(
    far: Database, proxy: FreezingProxy
) -> None:
    ended = threading.Event()
    presence = Presence(far, "turns", beat_s=BEAT_S, end=ended.set)
    proxy.arm("INSERT INTO processes", times=10**6)
    presence.start()

    assert not presence.is_known(within_s=BEAT_S)
    assert ended.wait(40)
    presence.stop()


def test_a_process_does_not_end_while_nobody_can_reach_the_database(tmp_path: Path) -> None:
    """Its calls are under way, and their answers are kept until the database is back."""
    looks = threading.Semaphore(0)

    class Away(Database):
        def answers(self) -> bool:
            looks.release()
            return super().answers()

    ended = threading.Event()
    nowhere = Away(f"postgresql+psycopg://postgres@/db?host={tmp_path}", patience_s=0.0)
    presence = Presence(nowhere, "turns", beat_s=BEAT_S, end=ended.set)
    presence.start()

    for _ in range(3):
        assert looks.acquire(timeout=40)

    assert not presence.is_known()
    assert not ended.is_set()
    presence.stop()
    nowhere.close()


def test_a_process_that_was_never_started_claims_nothing_about_its_heartbeat(
    database: Database,
) -> None:
    assert Presence(database, "turns").is_known()


def test_a_process_that_must_not_work_with_the_others_takes_nothing_and_retires_once(
    database: Database,
) -> None:
    retired: list[bool] = []
    presence = Presence(database, "turns", beat_s=BEAT_S, retire=lambda: retired.append(True))
    presence.start()
    assert presence.is_known(5)
    newer = str(replace(this_build(), contract=CONTRACT + 1))
    database.run(lambda c: beat(c, process="newer", kind="turns", host="h", pid=1, version=newer))

    until(lambda: bool(retired))
    presence.look()
    presence.stop()

    assert retired == [True]
    assert not presence.is_known()
