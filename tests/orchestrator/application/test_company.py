"""Who is at work on an instance, as `quorate status` tells it."""

from __future__ import annotations

import os
import socket
import subprocess
from datetime import UTC, datetime

import pytest

from orchestrator.application.company import ProcessState, VersionFit, colleagues
from shared.build import Build
from shared.store.processes import ProcessRow

OURS = Build("0.1.0", 1, "aaaa")


def row(host: str, pid: int, silent_s: float, version: str = str(OURS)) -> ProcessRow:
    return ProcessRow("id", "turns", host, pid, version, 1, datetime.now(UTC), silent_s)


@pytest.fixture(scope="module")
def dead() -> int:
    ended = subprocess.Popen(["true"])
    ended.wait()
    return ended.pid


@pytest.mark.parametrize("embedded", [True, False])
@pytest.mark.parametrize(
    ("host", "silent_s", "state"),
    [
        (socket.gethostname(), 1.0, ProcessState.LIVING),
        (socket.gethostname(), 45.0, ProcessState.SILENT),
        ("elsewhere", 1.0, ProcessState.LIVING),
        ("elsewhere", 45.0, ProcessState.SILENT),
    ],
)
def test_a_process_that_says_nothing_is_silent(
    host: str, silent_s: float, state: ProcessState, embedded: bool
) -> None:
    (found,) = colleagues([row(host, os.getpid(), silent_s)], OURS, embedded=embedded)
    assert found.presence is state


def test_a_pid_that_is_gone_is_a_death_at_once_where_all_are_on_this_machine(dead: int) -> None:
    here = socket.gethostname()
    just, long_ago = row(here, dead, 1.0), row(here, dead, 45.0)
    states = [each.presence for each in colleagues([just, long_ago], OURS, embedded=True)]
    assert states == [ProcessState.DEAD] * 2
    states = [each.presence for each in colleagues([just, long_ago], OURS, embedded=False)]
    assert states == [ProcessState.LIVING, ProcessState.DEAD], "a container may have this name"


@pytest.mark.parametrize(
    ("version", "fit"),
    [
        ("0.1.0+1.aaaa", VersionFit.SAME),
        ("0.2.0+1.bbbb", VersionFit.COMPATIBLE),
        ("0.1.0", VersionFit.COMPATIBLE),
        ("0.2.0+2.bbbb", VersionFit.INCOMPATIBLE),
    ],
)
def test_other_code_is_compatible_while_its_messages_are_the_same(
    version: str, fit: VersionFit
) -> None:
    (found,) = colleagues([row("elsewhere", 1, 1.0, version)], OURS, embedded=False)
    assert found.fit is fit
