"""A supervised process that has stopped beating is ended: asked first, killed after ten seconds."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from orchestrator.embedded.processes import age_s, is_stopped, wait_until
from orchestrator.embedded.servers import ensure
from orchestrator.embedded.silence import (
    KILLED_AFTER_S,
    LATEST,
    LOOK_EVERY_S,
    LOOKS,
    SILENT_S,
    STOPPED_LOOKS,
    SilenceWatch,
    silent_in,
)
from shared.instance import Instance
from shared.store.database import Database
from shared.store.migrate import upgrade
from shared.store.processes import beat

DEAF = "import signal, time; signal.signal(15, lambda *_: print('asked', flush=True)); print('up', flush=True)"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def deaf() -> Iterator[subprocess.Popen[str]]:
    """A worker that does not end when it is asked to."""
    loop = "\nwhile True: time.sleep(0.05)"
    process = subprocess.Popen(
        (sys.executable, "-c", DEAF + loop),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    yield process
    process.kill()
    process.communicate()


def watch(
    process: subprocess.Popen[str], silent_s: float, told: list[str], clock: Clock
) -> SilenceWatch:
    return SilenceWatch(
        lambda: [(process.pid, silent_s)], lambda: frozenset({process.pid}), told.append, clock
    )


def check(silence: SilenceWatch, clock: Clock, times: int) -> None:
    for _ in range(times):
        clock.now += LOOK_EVERY_S
        silence.check()


def test_a_silent_process_is_asked_to_end_and_then_killed(deaf: subprocess.Popen[str]) -> None:
    told: list[str] = []
    clock = Clock()
    silence = watch(deaf, 0.0, told, clock)

    check(silence, clock, LOOKS - 1)
    assert told == []
    check(silence, clock, 1)
    assert told == [f"process {deaf.pid} has not given a sign of life for {SILENT_S:g} s: SIGTERM"]
    assert deaf.stdout is not None
    assert deaf.stdout.readline() == "asked\n"
    check(silence, clock, int(KILLED_AFTER_S / LOOK_EVERY_S))

    assert deaf.wait(30) == -signal.SIGKILL
    assert told[1:] == [f"process {deaf.pid} does not end: SIGKILL"]


def test_one_that_beats_again_in_between_is_left_alone(deaf: subprocess.Popen[str]) -> None:
    told: list[str] = []
    clock = Clock()
    silent = [(deaf.pid, 0.0)]
    silence = SilenceWatch(lambda: silent, lambda: {deaf.pid}, told.append, clock)

    check(silence, clock, LOOKS - 1)
    silent.clear()
    check(silence, clock, 1)
    silent.append((deaf.pid, 0.0))
    check(silence, clock, LOOKS - 1)

    assert told == []


def test_strangers_and_those_who_got_a_silent_ones_number_are_left_alone(
    deaf: subprocess.Popen[str],
) -> None:
    told: list[str] = []
    clock = Clock()
    stranger = SilenceWatch(lambda: [(deaf.pid, 0.0)], frozenset, told.append, clock)
    younger = watch(deaf, 3600.0, told, clock)  # it fell silent before this one was born
    gone = SilenceWatch(lambda: [(2**22 + 1, 0.0)], lambda: {2**22 + 1}, told.append, clock)

    for silence in (stranger, younger, gone):
        check(silence, clock, LOOKS + 2)

    assert told == []


def test_the_main_process_of_a_pool_that_was_stopped_is_ended(deaf: subprocess.Popen[str]) -> None:
    """Its pool's processes beat on, and nobody gives them anything to do."""
    told: list[str] = []
    clock = Clock()
    silence = SilenceWatch(list, lambda: {deaf.pid}, told.append, clock)
    check(silence, clock, STOPPED_LOOKS)
    assert told == []

    os.kill(deaf.pid, signal.SIGSTOP)
    assert wait_until(lambda: is_stopped(deaf.pid), 30)
    check(silence, clock, STOPPED_LOOKS - 1)
    assert told == []
    check(silence, clock, 1 + int(KILLED_AFTER_S / LOOK_EVERY_S))

    assert deaf.wait(30) == -signal.SIGKILL
    assert len(told) == 2


def test_the_age_of_a_process_is_known() -> None:
    process = subprocess.Popen(("sleep", "60"))
    try:
        assert wait_until(lambda: (age_s(process.pid) or 0) >= 0.2, 30)
        assert (age_s(process.pid) or 9999) < 600
    finally:
        process.kill()
        process.wait()
    assert age_s(2**22 + 1) is None


@pytest.mark.component
def test_only_the_latest_heartbeat_of_a_pid_on_a_machine_counts(database: Database) -> None:
    with database.connection() as connection:
        for name, host, pid in (
            ("new", "here", 1),
            ("old", "here", 2),
            ("old predecessor", "here", 3),
            ("successor", "here", 3),
            ("old elsewhere", "elsewhere", 3),
        ):
            beat(connection, process=name, kind="turns", host=host, pid=pid, version="1")
        connection.execute(
            "UPDATE processes SET seen_at = now() - interval '1 hour' WHERE id LIKE 'old%'"
        )
        rows = connection.execute(LATEST).fetchall()

    silent = {(host, pid) for host, pid, silent_s in rows if silent_s > SILENT_S}
    assert silent == {("here", 2), ("elsewhere", 3)}


def test_before_there_is_a_schema_nobody_is_silent(instance: Instance) -> None:
    ensure(instance, durable=False)

    assert silent_in(instance, {os.getsid(0)}, begun_s=0.0) == []


@pytest.mark.component
def test_a_child_that_never_beats_is_silent_once_it_had_the_time(instance: Instance) -> None:
    """A worker that was stopped, or hangs, while it starts has no heartbeat that could end."""
    database = Database(ensure(instance, durable=False).database_url, patience_s=10)
    upgrade(database)
    child = os.getsid(0)

    assert silent_in(instance, {child}, begun_s=1e12) == []
    assert silent_in(instance, {child}, begun_s=0.0) == [(child, 0.0)]
    with database.connection() as connection:
        here = socket.gethostname()
        beat(connection, process="p", kind="turns", host=here, pid=os.getpid(), version="1")
    assert silent_in(instance, {child}, begun_s=0.0) == []
    database.close()
