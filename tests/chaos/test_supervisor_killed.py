"""Rows 41 to 44: the embedded supervisor killed with -9 in every phase of a command that somebody waits for."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.embedded.processes import is_alive, leaders, wait_until, working_in
from orchestrator.embedded.supervisor import supervisor_status
from shared.instance import Instance
from shared.settings import ServiceSettings
from tests.fixtures.instance import CommandLine, make_command_line, make_repository

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
REVIEW = ("review", "--participants", "diffcheck", "--decide", "skip")
WAIT_S = 120.0


@pytest.fixture(scope="module")
def embedded() -> Iterator[CommandLine]:
    """An instance of the module's own, with a repository in its home."""
    home = Path(tempfile.mkdtemp(prefix="qk-", dir="/tmp"))
    make_repository(home / "repository")
    command_line = make_command_line(home)
    try:
        yield command_line
    finally:
        command_line.stop()
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def instance(embedded: CommandLine) -> Instance:
    return ServiceSettings.from_environment(embedded.environ).instance


def kill_supervisor(instance: Instance, *, lifeline: bool, servers: bool = False) -> None:
    """SIGKILL to the supervisor and, before it, to what would start it again."""
    assert wait_until(lambda: supervisor_status(instance).pid is not None, 60)
    pid = supervisor_status(instance).pid
    assert pid is not None
    # In this order nobody has the time to bring anything back.
    os.kill(pid, signal.SIGSTOP)
    victims = _lifelines_of(pid) if lifeline else []
    if servers:
        folders = (instance.redis_dir, instance.postgres_dir)
        victims += [process.pid for folder in folders for process in leaders(working_in(folder))]
    for victim in (*victims, pid):
        os.kill(victim, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(pid), 30)


def _lifelines_of(pid: int) -> list[int]:
    """Its own, and its predecessor's, which started it."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
    return [
        int(relative)
        for relative in (*children, parent)
        if b"\0lifeline\0" in Path(f"/proc/{relative}/cmdline").read_bytes()
    ]


def review(embedded: CommandLine, *more: str) -> subprocess.Popen[str]:
    return embedded.start(*REVIEW, *more, cwd=embedded.home / "repository")


def read_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    for said in process.stderr:
        if words in said:
            return
    raise AssertionError(f"{words!r} was never said")


def ended_well(embedded: CommandLine, process: subprocess.Popen[str]) -> str:
    """Its talk, once the command has ended with its run's code and the run is completed."""
    _, talk = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, talk
    shown = embedded("show", "last", "--json")
    assert json.loads(shown.stdout)["run"]["status"] == "completed", shown.stdout
    return talk


def test_row_41_killed_as_soon_as_it_lives_before_anything_is_submitted(
    embedded: CommandLine, instance: Instance
) -> None:
    embedded("down")
    process = review(embedded)

    kill_supervisor(instance, lifeline=True)

    ended_well(embedded, process)


def test_row_42_killed_twice_in_a_row_its_lifeline_starts_it_again_for_nobody(
    embedded: CommandLine, instance: Instance
) -> None:
    submitted = embedded(*REVIEW, "--no-wait", cwd=embedded.home / "repository")
    assert submitted.returncode == 0, submitted.stderr
    for _ in range(2):
        before = supervisor_status(instance).pid
        kill_supervisor(instance, lifeline=False)
        assert wait_until(lambda: supervisor_status(instance).pid not in {None, before}, 60)  # noqa: B023

    def is_completed() -> bool:
        shown = embedded("show", "last", "--json")
        return bool(json.loads(shown.stdout)["run"]["status"] == "completed")

    assert wait_until(is_completed, WAIT_S, poll_s=0.5)


def test_row_43_killed_with_its_lifeline_and_both_servers_in_mid_run(
    embedded: CommandLine, instance: Instance
) -> None:
    assert embedded("up").returncode == 0
    children = supervisor_status(instance).children
    for child in children:  # nothing ends before all is killed; the successor ends them
        if child.pid is not None:
            os.kill(child.pid, signal.SIGSTOP)
    process = review(embedded)
    read_until(process, "run r")

    process.send_signal(signal.SIGSTOP)  # it would restart everything before `status` has looked
    kill_supervisor(instance, lifeline=True, servers=True)
    assert "the supervisor was killed" in embedded("status").stdout
    process.send_signal(signal.SIGCONT)

    assert "are being restarted" in ended_well(embedded, process)


def test_row_44_killed_while_a_decision_is_open(embedded: CommandLine, instance: Instance) -> None:
    repository = embedded.home / "repository"
    asked = embedded("review", "--participants", "ruff", "--no-wait", cwd=repository)
    assert asked.returncode == 0, asked.stderr
    assert embedded("watch", "last").returncode == 8

    kill_supervisor(instance, lifeline=True)

    decided = embedded("decide", "last", "skip")
    assert decided.returncode == 0, decided.stderr
