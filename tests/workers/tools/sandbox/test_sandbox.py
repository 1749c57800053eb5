"""A program in the sandbox has few rights, few resources and a certain end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.errors import ToolError
from workers.tools.sandbox.sandbox import (
    Confinement,
    Countdown,
    ProgramResult,
    execute,
    find_program,
    output_of,
)
from workers.tools.sandbox.walls import walls

UNISOLATED = Confinement(isolate=False)
# Starts a child that flees into its own session, keeps the output open and writes its heartbeat.
FLEEING_CHILD = """
import os, subprocess, sys, time
heart = sys.argv[1]
beat = "import sys,time\\nwhile True:\\n open(sys.argv[1],'a').write('x'); time.sleep(0.02)"
subprocess.Popen([sys.executable, "-c", beat, heart], start_new_session=sys.argv[2] == "flee")
while not os.path.exists(heart):
    time.sleep(0.01)
print("started", flush=True)
time.sleep(float(sys.argv[3]))
"""


def python(
    code: str, *arguments: str, tmp: Path, timeout_s: float = 60.0, **more: object
) -> ProgramResult:
    command = [sys.executable, "-I", "-c", code, *arguments]
    return execute(command, cwd=tmp, home=tmp, timeout_s=timeout_s, **more)  # type: ignore[arg-type]


def eventually(condition: Callable[[], bool], seconds: float = 30.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return False


def is_silent(heart: Path) -> bool:
    before = heart.stat().st_size
    time.sleep(0.15)
    return heart.stat().st_size == before


def test_a_program_sees_an_environment_without_anything_of_ours(tmp_path: Path) -> None:
    os.environ["QUORATE_TEST_CANARY"] = "secret"
    try:
        done = python("import os, json; print(json.dumps(dict(os.environ)))", tmp=tmp_path)
    finally:
        del os.environ["QUORATE_TEST_CANARY"]
    assert done.code == 0
    assert b"secret" not in done.stdout
    assert f'"HOME": "{tmp_path}"'.encode() in done.stdout


def test_a_slow_program_is_stopped_and_said_to_be_slow(tmp_path: Path) -> None:
    begun = time.monotonic()
    done = python("import time; time.sleep(60)", tmp=tmp_path, timeout_s=0.3)
    assert done.timed_out
    assert time.monotonic() - begun < 30
    with pytest.raises(ToolError, match="took too long"):
        output_of(done, "it")


@pytest.mark.parametrize("ending", ["timeout", "exit"])
def test_a_child_that_holds_the_output_neither_delays_nor_survives(
    tmp_path: Path, ending: str
) -> None:
    heart = tmp_path / "heart"
    sleep_s, limits_s = ("90", (1.0, 20.0)) if ending == "timeout" else ("0", (60.0,))
    for timeout_s in limits_s:
        begun = time.monotonic()
        done = python(
            FLEEING_CHILD,
            str(heart),
            "stay",
            sleep_s,
            tmp=tmp_path,
            timeout_s=timeout_s,
            confinement=UNISOLATED,
        )
        assert time.monotonic() - begun < 40
        if done.stdout:  # else it had no time to start its child
            break
    assert done.stdout == b"started\n"
    assert is_silent(heart)


def test_a_child_that_flees_into_its_own_session_dies_with_its_namespace(tmp_path: Path) -> None:
    if "namespaces" not in walls():
        pytest.skip("this system gives ordinary users no process namespace")
    heart = tmp_path / "heart"
    for timeout_s in (1.0, 20.0):
        done = python(FLEEING_CHILD, str(heart), "flee", "60", tmp=tmp_path, timeout_s=timeout_s)
        if done.stdout:  # else it had no time to start its child
            break
    assert done.timed_out
    assert is_silent(heart)


def test_a_killed_worker_takes_its_program_with_it(tmp_path: Path) -> None:
    heart = tmp_path / "heart"
    beat = "import sys,time\nwhile True:\n open(sys.argv[1],'a').write('x'); time.sleep(0.02)"
    worker = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from pathlib import Path; from workers.tools.sandbox.sandbox import execute\n"
            "execute([sys.executable, '-c', sys.argv[1], sys.argv[2]], cwd=Path(sys.argv[3]),"
            " home=Path(sys.argv[3]), timeout_s=60)",
            beat,
            str(heart),
            str(tmp_path),
        ],
        cwd=Path(__file__).parents[4],
    )
    try:
        assert eventually(heart.exists)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert eventually(lambda: is_silent(heart))


def test_output_is_capped_and_said_to_be_cut(tmp_path: Path) -> None:
    done = python(
        "import os\nwhile True: os.write(1, b'x' * 65536)",
        tmp=tmp_path,
        confinement=Confinement(output_mb=1),
    )
    assert done.truncated
    assert len(done.stdout) == 1024 * 1024
    with pytest.raises(ToolError, match="too much"):
        output_of(done, "it")


def test_memory_is_limited(tmp_path: Path) -> None:
    done = python(
        "x = bytearray(900_000_000)", tmp=tmp_path, confinement=Confinement(memory_mb=400)
    )
    assert done.code == 1
    assert "MemoryError" in done.complaint


def test_there_is_no_network_inside(tmp_path: Path) -> None:
    if not walls():
        pytest.skip("this system has no wall against the network")
    code = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 30)"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        inside = python(code, port, tmp=tmp_path)
        outside = python(code, port, tmp=tmp_path, confinement=UNISOLATED)
    assert (inside.walls, inside.code) == (walls(), 1)
    assert (outside.walls, outside.code) == ((), 0)


def test_arguments_are_never_read_by_a_shell(tmp_path: Path) -> None:
    hostile = f"$(touch {tmp_path}/a); touch {tmp_path}/b & `touch {tmp_path}/c`"
    done = python("import sys; print(sys.argv[1])", hostile, tmp=tmp_path)
    assert done.stdout.decode().strip() == hostile
    assert list(tmp_path.iterdir()) == []


def test_a_brief_program_is_held_by_the_same_limits(tmp_path: Path) -> None:
    brief = Confinement(brief=True, memory_mb=400, output_mb=1)
    greedy = python("x = bytearray(900_000_000)", tmp=tmp_path, confinement=brief)
    assert "MemoryError" in greedy.complaint
    loud = python(
        "import os\nwhile True: os.write(1, b'x' * 65536)", tmp=tmp_path, confinement=brief
    )
    assert loud.truncated
    slow = python("import time; time.sleep(60)", tmp=tmp_path, timeout_s=0.3, confinement=brief)
    assert slow.timed_out
    assert python("import os; print(len(os.environ))", tmp=tmp_path, confinement=brief).code == 0


def test_input_reaches_the_program_and_exit_codes_come_back(tmp_path: Path) -> None:
    code = "import sys; print(sys.stdin.read().upper()); print('no', file=sys.stderr); sys.exit(3)"
    done = python(code, tmp=tmp_path, stdin="안녕 abc".encode())
    assert (done.stdout.decode(), done.code) == ("안녕 ABC\n", 3)
    with pytest.raises(ToolError, match="it failed: no"):
        output_of(done, "it")


def test_a_program_that_a_signal_ended_has_a_code_that_says_so(tmp_path: Path) -> None:
    done = python("import os; os.kill(os.getpid(), 15)", tmp=tmp_path)
    assert done.code == 128 + 15


def test_a_missing_program_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="not installed"):
        find_program("no-such-program-anywhere")
    done = execute(["/no/such/program"], cwd=tmp_path, home=tmp_path, timeout_s=60)
    assert done.code == 127
    assert "/no/such/program" in done.complaint


def test_programs_of_our_environment_come_before_those_on_path() -> None:
    assert find_program("ruff") == Path(sys.executable).parent / "ruff"


def test_a_countdown_that_is_over_raises() -> None:
    with pytest.raises(ToolError, match="time limit"):
        Countdown(0.0).remaining_s()
    assert 0 < Countdown(5.0).remaining_s() <= 5.0
