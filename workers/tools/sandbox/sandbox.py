"""Run a program that must not be trusted with much: few rights, few resources, a hard end.

The program gets an empty environment, its own session, limits, no network, no files but its scratch folders and the
programs themselves (docs/design/trust.md), and output that goes to files: nobody can hang by holding a pipe open. Which
walls the system gives is found by trying (walls.py); `ProgramResult.walls` names those that stood.
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from shared.errors import ToolError
from shared.programs import find_program as find_on_path
from shared.tools.card import ORDINARY, ToolLimits
from workers.tools.sandbox.launcher import UNBUILT, Walls, limit
from workers.tools.sandbox.walls import (
    PROCESSES,
    SYSTEM_PATH,
    counts_processes,
    give,
    launcher,
    mine,
    nameless,
    places,
    walls,
)
from workers.trees import entries_of, temporary_folder

MEGABYTE = 1024 * 1024
GRACE_S = 2.0
LOOK_S = 0.25
MOST_ENTRIES = 50_000


@dataclass(frozen=True)
class Confinement:
    """How a program is held: address space, output and scratch in megabytes, processors, descriptors, walls.

    `scratch_entries` is how many files and folders a scratch folder may come to have.

    `brief` is for programs that start nothing and end within moments: they do without the launcher, which
    costs more than they do, and so without namespaces. `walls` are the launcher's words for those to build; None:
    the strongest that hold here. `installed` are further places that it may read, and that stay whose they are.
    `runs_its_own`: it may run what it writes, as a compiler's user does; not for `brief` ones.
    """

    memory_mb: int = ORDINARY.memory_mb
    processors: int = ORDINARY.processors
    output_mb: int = 32
    scratch_mb: int = 512
    scratch_entries: int = MOST_ENTRIES
    open_files: int = 256
    isolate: bool = True
    brief: bool = False
    walls: tuple[str, ...] | None = None
    installed: tuple[Path, ...] = ()
    runs_its_own: bool = False


@dataclass(frozen=True)
class ProgramResult:
    """How a program ended. `code` is 128 + n after signal n; `walls`: the launcher's words for what stood around it."""

    code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    truncated: bool
    walls: tuple[str, ...] = ()

    @property
    def complaint(self) -> str:
        """The last line of its standard error, for people."""
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        return lines[-1][:300] if lines else f"exit code {self.code}"


class Countdown:
    """The time that a tool run has left, and what its programs may use."""

    def __init__(self, seconds: float, limits: ToolLimits = ORDINARY) -> None:
        self.began_at = time.time()
        self._limits = limits
        self._until = time.monotonic() + seconds

    def remaining_s(self) -> float:
        """Seconds left, more than zero; raises `ToolError` when there are none."""
        left = self._until - time.monotonic()
        if left <= 0:
            raise ToolError("The tool exceeded its time limit.")
        return left

    def confinement(self, **changed: Any) -> Confinement:
        """How a program of this run is held."""
        confinement = Confinement(self._limits.memory_mb, self._limits.processors)
        return replace(confinement, **changed)


def find_program(name: str) -> Path:
    """The program of that name beside this interpreter, else on PATH; raises `ToolError`."""
    beside = Path(sys.executable).parent / name
    if os.access(beside, os.X_OK):
        return beside
    path = find_on_path(name)
    if path is None:
        raise ToolError(
            "The program {name!r} is not installed: install it or put it on PATH.", name=name
        )
    return Path(path).absolute()


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A private empty directory that is gone afterwards."""
    with temporary_folder("quorate-") as folder:
        yield folder


def execute(
    command: Sequence[str],
    *,
    cwd: Path,
    home: Path,
    timeout_s: float,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    confinement: Confinement | None = None,
    reads: Sequence[Path] = (),
) -> ProgramResult:
    """Run `command` (an absolute program and its arguments, no shell) to its end or to `timeout_s`.

    It may write in `cwd` and `home`, which are scratch folders (as root they are given to a nameless account), and
    read in `reads`. Nothing that it started in its session outlives the call, nor the worker, should that be killed.
    Raises `ToolError` only when it cannot be started; a timeout and an exit code are for the caller to judge.
    """
    confinement = confinement or Confinement()
    words, brief = _words(confinement)
    scratches = list(dict.fromkeys((str(cwd), str(home))))
    shown = (*reads, *confinement.installed)
    readable = [*places(command[0]), *map(str, shown)] if words else []
    give(words, [*scratches, *map(str, reads)])
    limits = _limits(timeout_s, confinement, words)
    # `theirs` is only ever closed: that is what the launcher waits for.
    lifeline, theirs = os.pipe()
    try:
        with _input(stdin) as given, _output() as stdout, _output() as stderr:
            start = partial(
                _start,
                cwd=cwd,
                environment=_environment(home, command[0], environment or {}),
                streams=(given, stdout, stderr),
            )
            if brief:
                process = _start_behind(words, readable, scratches, limits, command, start)
            else:
                wall_s = timeout_s + GRACE_S
                run = scratches if confinement.runs_its_own else []
                line = launcher(lifeline, wall_s, limits, words, readable, scratches, run)
                process = start([*line, *command], lifeline=(lifeline,))
            try:
                ended, overfull = _wait(process, timeout_s, scratches, confinement)
            finally:
                _end(process)
            cap = confinement.output_mb * MEGABYTE
            out, err = _read(stdout, cap), _read(stderr, cap)
    finally:
        os.close(lifeline)
        os.close(theirs)
    if process.returncode == UNBUILT and words:
        raise ToolError(
            "Cannot start {command}: {why}.",
            command=command[0],
            why=err.decode("utf-8", "replace"),
        )
    return ProgramResult(
        code=_exit_code(process.returncode),
        stdout=out,
        stderr=err,
        timed_out=not ended,
        truncated=overfull or max(len(out), len(err)) >= cap,
        walls=words,
    )


def output_of(finished: ProgramResult, program: str) -> bytes:
    """Its standard output; raises `ToolError` unless the program ended well, in time and within its limits."""
    if finished.timed_out:
        raise ToolError("{program} was stopped: it took too long.", program=program)
    if finished.truncated:
        raise ToolError("{program} was stopped: it wrote too much.", program=program)
    if finished.code != 0:
        raise ToolError(
            "{program} failed: {complaint}.", program=program, complaint=finished.complaint
        )
    return finished.stdout


def _exit_code(code: int) -> int:
    return code if code >= 0 else 128 - code


def _words(confinement: Confinement) -> tuple[tuple[str, ...], bool]:
    """The launcher's words for the walls, and whether the program starts without the launcher."""
    if not confinement.isolate:
        return (), confinement.brief
    words = walls() if confinement.walls is None else confinement.walls
    # Root's tools cannot reach root's folders under another account: only a root of their own shows these to them.
    if not confinement.brief or (nameless(words) and "namespaces" in words):
        return words, False
    return tuple(word for word in words if word not in ("namespaces", "user")), True


def _limits(timeout_s: float, confinement: Confinement, words: Sequence[str]) -> str:
    settings = {
        "AS": confinement.memory_mb * MEGABYTE,
        "CPU": math.ceil(timeout_s) * confinement.processors + 1,
        "FSIZE": confinement.output_mb * MEGABYTE,
        "NOFILE": confinement.open_files,
        "CORE": 0,
    }
    if counts_processes(words):
        settings["NPROC"] = PROCESSES
    return ",".join(f"RLIMIT_{name}={value}" for name, value in settings.items())


def _start_behind(
    words: Sequence[str],
    reads: list[str],
    writes: list[str],
    limits: str,
    command: Sequence[str],
    start: Callable[..., subprocess.Popen[bytes]],
) -> subprocess.Popen[bytes]:
    """Start a brief program: its walls are prepared here and entered between fork and exec."""
    try:
        behind = Walls(",".join(mine(words)), reads, writes)
    except OSError as error:
        raise ToolError("The sandbox cannot be built: {error}.", error=error) from error

    def enter() -> None:
        limit(limits)
        if words:
            behind.enter()

    try:
        return start(list(command), before=enter)
    finally:
        if behind.rules is not None:
            os.close(behind.rules)


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
    lifeline: tuple[int, ...] = (),
    before: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            pass_fds=lifeline,
            start_new_session=True,
            # It imports nothing and takes no lock: the walls were prepared before the fork.
            preexec_fn=before,  # noqa: PLW1509
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise ToolError(
            "Cannot start {command}: {error}.", command=command[0], error=error
        ) from error


def _wait(
    process: subprocess.Popen[bytes],
    timeout_s: float,
    scratches: Sequence[str],
    limits: Confinement,
) -> tuple[bool, bool]:
    """Whether the process ended in time, and whether it filled its scratch. It is not reaped yet: its group's
    number stays taken."""
    if sys.platform != "linux":
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout_s)
        return process.returncode is not None, False
    until = time.monotonic() + timeout_s
    descriptor = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while (left_s := until - time.monotonic()) > 0:
            if poll.poll(min(left_s, LOOK_S) * 1000):
                return True, False
            if any(_is_overfull(folder, limits) for folder in scratches):
                return True, True
        return False, False
    finally:
        os.close(descriptor)


def _is_overfull(folder: str, limits: Confinement) -> bool:
    size, most = 0, limits.scratch_mb * MEGABYTE
    for number, entry in enumerate(entries_of(folder)):
        if (
            entry is None or number > limits.scratch_entries
        ):  # what lies too deep cannot be measured
            return True
        if not entry.is_dir(follow_symlinks=False):
            with contextlib.suppress(OSError):
                size += entry.stat(follow_symlinks=False).st_blocks * 512
        if size > most:
            return True
    return False


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
