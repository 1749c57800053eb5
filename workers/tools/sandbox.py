"""Run a program that must not be trusted with much: few rights, few resources, a hard end.

The program gets an empty environment, its own session, limits, no network, and output that goes to files:
nobody can hang by holding a pipe open. User, network, process and IPC namespaces are used where the system
lets an ordinary user make them; `Finished.isolated` says whether they were.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from shared.errors import ToolError
from shared.programs import find_program as find_on_path

LAUNCHER = Path(__file__).with_name("launcher.py")
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
# Most private first; the first that the system permits is used.
NAMESPACES = (
    ("-r", "-n", "-i", "-p", "-f", "--kill-child"),
    ("-r", "-n"),
)
MEGABYTE = 1024 * 1024
GRACE_S = 2.0


@dataclass(frozen=True)
class Confinement:
    """How a program is held: address space and output in megabytes, descriptors, namespaces.

    `brief` is for programs that start nothing and end within moments: they do without the launcher, which
    costs more than they do.
    """

    memory_mb: int = 4096
    output_mb: int = 32
    open_files: int = 256
    isolate: bool = True
    brief: bool = False


@dataclass(frozen=True)
class Finished:
    """How a program ended. `code` is 128 + n after signal n; `isolated`: it ran in its own namespaces."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    truncated: bool
    isolated: bool

    @property
    def complaint(self) -> str:
        """The last line of its standard error, for people."""
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else f"exit code {self.code}"


class Countdown:
    """The time that a tool run has left."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def remaining_s(self) -> float:
        """Seconds left, more than zero; raises `ToolError` when there are none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise ToolError("The tool ran out of its time limit.")
        return left


def find_program(name: str) -> Path:
    """The program of that name beside this interpreter, else on PATH; raises `ToolError`."""
    beside = Path(sys.executable).parent / name
    if os.access(beside, os.X_OK):
        return beside
    found = find_on_path(name)
    if found is None:
        raise ToolError(f"The program {name!r} is not installed: install it or put it on PATH.")
    return Path(found).absolute()


@functools.cache
def namespace_command() -> tuple[str, ...]:
    """The `unshare` command this system permits, or nothing; probed once in a process."""
    unshare = shutil.which("unshare", path=SYSTEM_PATH)
    if unshare is None:
        return ()
    for flags in NAMESPACES:
        command = (unshare, *flags, "--")
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            probe = subprocess.run([*command, "true"], capture_output=True, timeout=5, check=False)
            if probe.returncode == 0:
                return command
    return ()


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A private empty directory that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="quorate-", ignore_cleanup_errors=True) as name:
        yield Path(name).resolve()


def execute(
    command: Sequence[str],
    *,
    cwd: Path,
    home: Path,
    timeout_s: float,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    confinement: Confinement | None = None,
) -> Finished:
    """Run `command` (an absolute program and its arguments, no shell) to its end or to `timeout_s`.

    Nothing that it started in its session outlives the call, nor the worker, should that be killed. Raises
    `ToolError` only when it cannot be started; a timeout and an exit code are for the caller to judge.
    """
    confinement = confinement or Confinement()
    namespaces = namespace_command() if confinement.isolate else ()
    mine, theirs = os.pipe()  # `theirs` is only ever closed: that is what the launcher waits for
    try:
        with _input(stdin) as given, _output() as stdout, _output() as stderr:
            process = _start(
                [*namespaces, *_launch(mine, timeout_s, confinement), *command],
                cwd=cwd,
                environment=_environment(home, command[0], environment or {}),
                streams=(given, stdout, stderr),
                lifeline=mine,
            )
            try:
                ended = _wait(process, timeout_s)
            finally:
                _end(process)
            cap = confinement.output_mb * MEGABYTE
            out, err = _read(stdout, cap), _read(stderr, cap)
            return Finished(
                code=process.returncode if process.returncode >= 0 else 128 - process.returncode,
                stdout=out,
                stderr=err,
                timed_out=not ended,
                truncated=max(len(out), len(err)) >= cap,
                isolated=bool(namespaces),
            )
    finally:
        os.close(mine)
        os.close(theirs)


def output_of(finished: Finished, program: str) -> bytes:
    """Its standard output; raises `ToolError` unless the program ended well, in time and within its limits."""
    if finished.timed_out:
        raise ToolError(f"{program} was stopped: it took too long.")
    if finished.truncated:
        raise ToolError(f"{program} was stopped: it wrote too much.")
    if finished.code != 0:
        raise ToolError(f"{program} failed: {finished.complaint}.")
    return finished.stdout


def _launch(lifeline: int, timeout_s: float, confinement: Confinement) -> list[str]:
    settings = {
        "AS": confinement.memory_mb * MEGABYTE,
        "CPU": math.ceil(timeout_s) * 2 + 1,
        "FSIZE": confinement.output_mb * MEGABYTE,
        "NOFILE": confinement.open_files,
        "CORE": 0,
    }
    prlimit = _prlimit() if confinement.brief else None
    if prlimit is not None:
        return [prlimit, *(f"--{name.lower()}={value}" for name, value in settings.items()), "--"]
    text = ",".join(f"RLIMIT_{name}={value}" for name, value in settings.items())
    wall_s = str(timeout_s + GRACE_S)
    return [sys.executable, "-I", "-S", str(LAUNCHER), str(lifeline), wall_s, text]


@functools.cache
def _prlimit() -> str | None:
    return shutil.which("prlimit", path=SYSTEM_PATH)


def _environment(home: Path, program: str, more: Mapping[str, str]) -> dict[str, str]:
    return {
        "PATH": f"{Path(program).parent}:{SYSTEM_PATH}",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "HOME": str(home),
        "TMPDIR": str(home),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONSAFEPATH": "1",
        "PYTHONUTF8": "1",
        **more,
    }


def _start(
    command: list[str],
    *,
    cwd: Path,
    environment: dict[str, str],
    streams: tuple[IO[bytes], IO[bytes], IO[bytes]],
    lifeline: int,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            pass_fds=(lifeline,),
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise ToolError(f"Cannot start {command[0]}: {error}.") from error


def _wait(process: subprocess.Popen[bytes], timeout_s: float) -> bool:
    """True when the process ended in time. It is not reaped yet: its group's number stays taken."""
    if sys.platform != "linux":
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout_s)
        return process.returncode is not None
    descriptor = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(max(timeout_s, 0.0) * 1000))
    finally:
        os.close(descriptor)


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextlib.contextmanager
def _input(data: bytes) -> Iterator[IO[bytes]]:
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file


def _output() -> IO[bytes]:
    return tempfile.TemporaryFile()


def _read(file: IO[bytes], cap: int) -> bytes:
    file.seek(0)
    return file.read(cap)
