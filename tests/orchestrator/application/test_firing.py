"""Schedules on a real database, with a program that stands in for `quorate` and notes how it was called."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from orchestrator.application.backend import Backend
from orchestrator.application.firing import QuorateProgram, Scheduler, enter_due, fire_due, read_end
from orchestrator.application.schedules import (
    ScheduleRequest,
    add,
    fire_now,
    pause,
    remove,
    report,
)
from orchestrator.core.timetable import Missed
from shared.errors import UserError
from shared.settings import ServiceSettings
from shared.store.database import Connection, Database
from shared.store.schedules import FiringState, claim_firing, end_firing
from tests.support.runs import at_once, execute, fetch

pytestmark = pytest.mark.component

QUORATE = """#!{python}
import json, sys, time
with open({calls!r}, "a") as log:
    log.write(json.dumps(sys.argv[1:]) + "\\n")
{body}
"""
SUBMITS = 'print(json.dumps({"run": {"id": "r" + sys.argv[5].rpartition("/")[2]}}))'


@dataclass
class Desk:
    """A database with schedules, and the program that they call."""

    backend: Backend
    folder: Path

    def program(
        self, body: str = SUBMITS, *, host: str = "here", longest_s: float = 30
    ) -> QuorateProgram:
        """A stand-in for `quorate`."""
        path = self.folder / "quorate"
        text = QUORATE.format(python=sys.executable, calls=str(self.folder / "calls"), body=body)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return QuorateProgram(str(path), {"PATH": "/usr/bin:/bin"}, host, longest_s)

    @property
    def database(self) -> Database:
        return self.backend.database

    @property
    def calls(self) -> list[list[str]]:
        """How the program was called."""
        log = self.folder / "calls"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [json.loads(each) for each in lines]

    def add(self, name: str = "nightly", *, host: str | None = "here", **more: object) -> None:
        """A daily schedule: a minute that passes in a test makes it due no second time."""
        start = datetime.now(UTC) - timedelta(minutes=20)
        request = ScheduleRequest(
            name=name,
            cron=f"{start:%M %H} * * *",
            command=("review", "--base", "main"),
            directory=self.folder,
            host=host,
            **more,  # type: ignore[arg-type]
        )
        add(self.backend, request)

    def make_due(self, name: str = "nightly", minutes: int = 0) -> None:
        """Its next time has come, `minutes` ago."""
        execute(
            self.database,
            "UPDATE schedules SET due_at = date_trunc('minute', now()) - make_interval(mins => %s), "
            "next_at = date_trunc('minute', now()) - make_interval(mins => %s) WHERE name = %s",
            minutes,
            minutes,
            name,
        )

    def states(self, name: str = "nightly") -> list[str]:
        """How its firings stand, the newest first."""
        return [firing.state.value for firing in report(self.backend, name, 50).firings]


@pytest.fixture
def desk(database: Database, tmp_path: Path) -> Desk:
    return Desk(Backend(ServiceSettings.from_environment({}), database), tmp_path)


@contextmanager
def serving(database: Database, program: QuorateProgram) -> Iterator[Scheduler]:
    """A scheduler at work."""
    scheduler = Scheduler(database, program)
    thread = threading.Thread(target=scheduler.serve)
    thread.start()
    try:
        yield scheduler
    finally:
        scheduler.stop()
        thread.join(20)


def wait_for(condition: Callable[[], object], timeout_s: float = 15) -> None:
    """Until it holds."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_due_time_starts_the_command_once_and_its_run_is_known(desk: Desk):
    desk.add()
    desk.make_due()
    program = desk.program()
    started = fire_due(desk.database, program)
    assert [each.state for each in started] == [FiringState.SUBMITTED]
    (call,) = desk.calls
    assert call[:3] == ["review", "--no-wait", "--json"]
    assert call[3] == "--idempotency-key"
    assert call[4].startswith("schedule/nightly/")
    assert call[5:] == ["--base", "main"]
    assert fire_due(desk.database, program) == []
    (firing,) = report(desk.backend, "nightly", 5).firings
    assert firing.run == started[0].run


def test_many_schedulers_at_once_start_each_time_once(desk: Desk):
    names = [f"s{number}" for number in range(6)]
    for name in names:
        desk.add(name)
        desk.make_due(name)
    program = desk.program()
    at_once(4, lambda _: fire_due(desk.database, program))
    wait_for(lambda: all(desk.states(name) == ["submitted"] for name in names))
    keys = [call[4] for call in desk.calls]
    assert len(keys) == len(set(keys)) == len(names)


def test_a_firing_whose_process_died_is_started_again_with_the_same_key(desk: Desk):
    desk.add()
    desk.make_due()
    program = desk.program()
    desk.database.run(enter_due, atomic=True)
    lost = desk.database.run(partial(claim_firing, host="here"))
    assert lost is not None
    assert fire_due(desk.database, program) == []  # its lease holds
    execute(desk.database, "UPDATE firings SET claimed_until = now() - interval '1 second'")
    started = fire_due(desk.database, program)
    assert len(started) == 1
    # The dead one's late word is refused.
    end = partial(end_firing, claim=lost, state=FiringState.FAILED)
    assert desk.database.run(end) is False
    assert desk.states() == ["submitted"]


def test_a_firing_that_kills_its_process_again_and_again_is_given_up(desk: Desk):
    desk.add()
    desk.make_due()
    desk.database.run(enter_due, atomic=True)
    for _ in range(3):
        assert desk.database.run(partial(claim_firing, host="here")) is not None
        execute(desk.database, "UPDATE firings SET claimed_until = now() - interval '1 second'")
    assert desk.database.run(partial(claim_firing, host="here")) is None
    Scheduler(desk.database, desk.program()).poll()
    (firing,) = report(desk.backend, "nightly", 5).firings
    assert firing.state is FiringState.FAILED
    assert "killed 3 times" in str(firing.message)
    assert desk.calls == []


def test_a_scheduler_that_is_stopped_gives_back_what_it_was_submitting(desk: Desk):
    desk.add()
    desk.make_due()
    with serving(desk.database, desk.program("time.sleep(60)")):
        wait_for(lambda: desk.calls)
    assert desk.states() == ["due"]
    assert fetch(desk.database, "SELECT attempts FROM firings")[0] == 0
    assert [each.state.value for each in fire_due(desk.database, desk.program())] == ["submitted"]


def test_a_command_that_never_ends_fails_in_time(desk: Desk):
    desk.add()
    desk.make_due()
    program = desk.program("time.sleep(60)", longest_s=0)
    (started,) = fire_due(desk.database, program)
    assert started.state is FiringState.FAILED
    assert "was not submitted within" in str(started.message)


def test_a_folder_that_is_gone_fails_the_firing_and_says_so(desk: Desk, tmp_path: Path):
    folder = tmp_path / "gone"
    folder.mkdir()
    program = desk.program()
    desk.folder = folder
    desk.add()
    folder.rmdir()
    desk.make_due()
    (started,) = fire_due(desk.database, program)
    assert started.state is FiringState.FAILED
    assert "gone" in str(started.message)


@pytest.mark.parametrize(
    ("missed", "expected"), [(Missed.ONCE, ["submitted"]), (Missed.SKIP, ["missed"])]
)
def test_times_at_which_nobody_was_there_count_once_or_not_at_all(
    desk: Desk, missed: Missed, expected: list[str]
):
    desk.add(missed=missed)
    desk.make_due(minutes=3 * 24 * 60)
    fire_due(desk.database, desk.program())
    assert desk.states() == expected


def test_a_schedule_of_another_machine_is_left_to_it(desk: Desk):
    desk.add("theirs", host="elsewhere")
    desk.add("anyones", host=None)
    for name in ("theirs", "anyones"):
        desk.make_due(name)
    fire_due(desk.database, desk.program())
    assert desk.states("theirs") == ["due"]
    assert desk.states("anyones") == ["submitted"]


def test_a_paused_schedule_starts_nothing_and_makes_up_for_nothing(desk: Desk):
    desk.add()
    pause(desk.backend, "nightly", paused=True)
    desk.make_due(minutes=30)
    assert fire_due(desk.database, desk.program()) == []
    pause(desk.backend, "nightly", paused=False)
    assert fire_due(desk.database, desk.program()) == []
    assert desk.states() == []


def test_a_run_that_is_wanted_now_leaves_the_times_as_they_are(desk: Desk):
    desk.add()
    before = report(desk.backend, "nightly", 1).schedule.due_at
    fire_now(desk.backend, "nightly")
    fire_now(desk.backend, "nightly")
    assert len(fire_due(desk.database, desk.program(), "nightly")) == 2
    assert report(desk.backend, "nightly", 1).schedule.due_at == before


def test_names_that_are_taken_or_unknown_are_told(desk: Desk):
    desk.add()
    with pytest.raises(UserError, match="already"):
        desk.add()
    with pytest.raises(UserError, match="there are nightly"):
        pause(desk.backend, "nigthly", paused=True)
    assert remove(desk.backend, "nightly") is True
    with pytest.raises(UserError, match="there is none"):
        remove(desk.backend, "nightly")


def test_a_removed_schedule_takes_its_firings_along_while_one_is_started(desk: Desk):
    desk.add()
    desk.make_due()
    desk.database.run(enter_due, atomic=True)
    claim = desk.database.run(partial(claim_firing, host="here"))
    assert claim is not None
    remove(desk.backend, "nightly")
    assert desk.database.run(partial(end_firing, claim=claim, state=FiringState.NOTHING)) is False


def test_old_firings_are_forgotten(desk: Desk):
    desk.add()

    def fill(connection: Connection) -> None:
        connection.execute(
            "INSERT INTO firings (schedule, due_at, state) SELECT 'nightly', now() - n * interval '1 hour', 'missed' "
            "FROM generate_series(1, 1500) n"
        )

    desk.database.run(fill, atomic=True)
    desk.make_due()
    fire_due(desk.database, desk.program())
    assert fetch(desk.database, "SELECT count(*) FROM firings")[0] == 1_001


@pytest.mark.parametrize(
    ("code", "output", "talk", "state", "words"),
    [
        (0, '{"run": {"id": "r1"}}', "", "submitted", None),
        (0, '{"runs": ["r1", "r2"]}', "", "submitted", "1 more"),
        (0, '{"run": {"id": null}, "verdict": "NOTHING_TO_REVIEW"}', "", "nothing", "nothing"),
        (0, "", "", "nothing", "nothing"),
        (2, "", "quorate: no such revision: main\n", "failed", "exit code 2: quorate: no such"),
        (-9, "", "", "failed", "exit code -9"),
    ],
)
def test_what_a_command_came_to_is_read_from_its_code_and_its_output(
    code: int, output: str, talk: str, state: str, words: str | None
):
    started = read_end(code, output, talk)
    assert started.state == state
    assert words is None or words in str(started.message)
