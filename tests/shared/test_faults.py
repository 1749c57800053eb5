"""Named points at which a fault test ends a process: exactly there, exactly then, and never otherwise."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from shared.faults import failpoint
for point in ("before", "here", "here", "here", "after"):
    failpoint(point)
    print(point, flush=True)
"""


def reached(**environ: str) -> tuple[int, list[str]]:
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"PATH": "/usr/bin:/bin", **environ},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return ended.returncode, ended.stdout.split()


ALL = ["before", "here", "here", "here", "after"]


@pytest.mark.parametrize(
    ("armed", "expected"),
    [
        ("", (0, ALL)),
        ("nowhere", (0, ALL)),
        ("here:4", (0, ALL)),
        ("here", (-signal.SIGKILL, ALL[:1])),
        ("here:2", (-signal.SIGKILL, ALL[:2])),
        ("after", (-signal.SIGKILL, ALL[:4])),
    ],
)
def test_a_process_dies_where_it_was_told_to(armed: str, expected: tuple[int, list[str]]) -> None:
    assert reached(QUORATE_KILL_AT=armed) == expected


def test_another_signal_can_be_asked_for() -> None:
    armed = {"QUORATE_KILL_AT": "here", "QUORATE_KILL_WITH": "SIGTERM"}

    assert reached(**armed) == (-signal.SIGTERM, ["before"])


def test_a_restarted_process_goes_on(tmp_path: Path) -> None:
    once = str(tmp_path / "killed")

    first = reached(QUORATE_KILL_AT="here", QUORATE_KILL_ONCE=once)
    second = reached(QUORATE_KILL_AT="here", QUORATE_KILL_ONCE=once)

    assert first == (-signal.SIGKILL, ["before"])
    assert second == (0, ALL)
