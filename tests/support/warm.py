"""Quorate's programs without the half second of imports: a process that has imported them forks one for each call.

What runs is a real process of the real entry point with its own arguments, directory, environment and files; only the
imports are shared. Whoever tests the start itself (hostile folders, import times, services) starts it cold.
A shell takes part by scripts of the same names, which hand their orders over (`WarmStarter.scripts`).
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent
# What Python reads when it starts cannot be given to a process that has started.
READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_")
ENTRIES = {"quorate": "orchestrator.cli.main", "quorate-worker": "workers.main"}
SERVICES = ("up", "orchestrator", "serve", "flower")
"""Commands that stay, or leave something that does: a shell starts them cold."""

_SCRIPT = """\
#!{python} -IS
import json, os, socket, sys
environ = dict(os.environ)
kept = {{n: v for n, v in environ.items() if n.startswith({read_at_start!r})}}
if kept != {started_with!r} or (sys.argv[1:2] and sys.argv[1] in {services!r}):
    os.execv({cold!r}, [{cold!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    socket.send_fds(line, [b"!"], [0, 1, 2])
    order = {{"program": {program!r}, "arguments": sys.argv[1:], "cwd": os.getcwd(), "environ": environ}}
    line.sendall(json.dumps(order).encode() + b"\\n")
    with line.makefile("rb") as answers:
        answers.readline()
        code = int(answers.readline())
sys.exit(code if code >= 0 else 128 - code)
"""


@dataclass(frozen=True)
class Order:
    """One call of a program: `quorate`, `quorate-worker`, or a file of Python. A service has a session of its own."""

    arguments: list[str]
    cwd: str
    environ: dict[str, str]
    program: str = "quorate"
    service: bool = False


class WarmProcess:
    """What an order started, to be treated like a subprocess.Popen."""

    def __init__(self, line: socket.socket, order: Order, files: tuple[int, int, int]) -> None:
        """Send the order over a new line and wait until it has been started."""
        self.returncode: int | None = None
        self._name = order.arguments
        self._line = line
        self._told = b""
        self._asking = threading.Lock()
        socket.send_fds(line, [b"!"], files)
        line.sendall(json.dumps(vars(order)).encode() + b"\n")
        self.pid = self._number(None)

    def poll(self) -> int | None:
        """How it ended; None while it lives."""
        if self._asking.acquire(blocking=False):  # else somebody waits for it: it lives
            try:
                self._look(0)
            except subprocess.TimeoutExpired:
                pass
            finally:
                self._asking.release()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended. Raises subprocess.TimeoutExpired."""
        with self._asking:
            return self._look(timeout)

    def _look(self, timeout: float | None) -> int:
        if self.returncode is None:
            self.returncode = self._number(timeout)
            self._line.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _number(self, timeout: float | None) -> int:
        while b"\n" not in self._told:
            if not select.select([self._line], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self._name, timeout or 0)
            more = self._line.recv(64)
            assert more, "the process that forks has ended"
            self._told += more
        number, _, self._told = self._told.partition(b"\n")
        return int(number)


class WarmStarter:
    """The client's side. It may be called by several threads at once.

    `scripts` is a folder for a PATH: what a shell, a hook or another program finds there is started warm, too.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Start the process that forks; it ends when this one does."""
        self._folder = Path(tempfile.mkdtemp(prefix="qw-", dir="/tmp"))
        self._address = str(self._folder / "s")
        self._started_with = _read_at_start(environ)
        self.scripts = self._folder / "bin"
        self.scripts.mkdir()
        for program in ENTRIES:
            self._leave_script(program)
        self._lifeline, theirs = socket.socketpair()
        with theirs, socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self._address)
            listener.listen(64)
            files = [theirs.fileno(), listener.fileno()]
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm", *map(str, files)],
                cwd=ROOT,
                env=dict(environ),
                pass_fds=files,
                stdin=subprocess.DEVNULL,
            )

    def fits(self, environ: Mapping[str, str]) -> bool:
        """Whether a process with that environment would have started like this one."""
        return _read_at_start(environ) == self._started_with

    def start(self, order: Order, files: tuple[int, int, int]) -> WarmProcess:
        """Start a program with these descriptors as its standard files."""
        line = socket.socket(socket.AF_UNIX)
        line.connect(self._address)
        return WarmProcess(line, order, files)

    def run(self, order: Order, stdin: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
        """Run a command to its end. Raises subprocess.TimeoutExpired: it was ended."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            reading, writing = os.pipe()
            process = self.start(order, (reading, out.fileno(), err.fileno()))
            os.close(reading)
            writer = threading.Thread(target=_write_all, args=(writing, stdin), daemon=True)
            writer.start()
            try:
                code = process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(20)
                raise
            writer.join()
            texts = [_text(out), _text(err)]
        return subprocess.CompletedProcess(["quorate", *order.arguments], code, *texts)

    def _leave_script(self, program: str) -> None:
        """A script of the program's name: it starts the program warm where that makes no difference."""
        script = self.scripts / program
        script.write_text(
            _SCRIPT.format(
                python=sys.executable,
                read_at_start=READ_AT_START,
                started_with=self._started_with,
                services=SERVICES,
                cold=str(SCRIPTS / program),
                address=self._address,
                program=program,
            )
        )
        script.chmod(0o755)

    def stop(self) -> None:
        """Let the process end: it reads that nobody orders any more."""
        self._lifeline.close()
        self._process.wait(20)
        shutil.rmtree(self._folder, ignore_errors=True)


def _read_at_start(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name.startswith(READ_AT_START)}


def _write_all(file: int, text: str) -> None:
    with contextlib.suppress(BrokenPipeError), open(file, "w", encoding="utf-8") as pipe:
        pipe.write(text)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "strict")


# ---- the process that forks ---------------------------------------------------------------------


def serve(lifeline: socket.socket, listener: socket.socket) -> None:
    """Fork a program for every order until nobody orders any more."""
    while True:
        ready, _, _ = select.select([lifeline, listener], [], [])
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if lifeline in ready:
            return
        line, _ = listener.accept()
        with line:
            if os.fork() == 0:
                lifeline.close()
                listener.close()
                _attend(line)


def _attend(line: socket.socket) -> None:
    """Start the program, say its process id, wait for it, say how it ended. Never returns."""
    _, streams, _, _ = socket.recv_fds(line, 1, 3)
    with line.makefile("rb") as orders:
        order = Order(**json.loads(orders.readline()))
    pid = os.fork()
    if pid == 0:
        _become(order, streams)
    for file in streams:
        os.close(file)
    with contextlib.suppress(OSError):
        line.sendall(f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(order: Order, streams: list[int]) -> None:
    """Be the program: its files, folder, environment and arguments. Never returns."""
    if order.service:
        os.setsid()
    for number, file in enumerate(streams):
        os.dup2(file, number)
    os.closerange(3, 256)
    _open_standard_files()
    os.environ.clear()
    os.environ.update(order.environ)
    os.chdir(order.cwd)
    sys.argv = [str(SCRIPTS / order.program), *order.arguments]
    importlib.reload(sys.modules["shared.faults"])  # it read the environment when it was imported
    code = 1
    try:
        if order.program in ENTRIES:
            code = importlib.import_module(ENTRIES[order.program]).main()
        else:
            runpy.run_path(order.program, run_name="__main__")
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        error = sys.exception()
        if error is not None:
            traceback.print_exception(error)
        if order.service:
            threading._shutdown()
            atexit._run_exitfuncs()
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _open_standard_files() -> None:
    """What Python made of our own files does not fit to others: a pipe cannot be sought, say."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        ours = getattr(sys, name)
        opened = io.TextIOWrapper(
            open(number, "wb" if number else "rb", closefd=False),  # noqa: SIM115 - it stays open
            encoding=ours.encoding,
            errors=ours.errors,
            line_buffering=name == "stderr" or os.isatty(number),
        )
        setattr(sys, name, opened)


def preload() -> None:
    """Import what the programs import, and see that no fork copies it."""
    registry = importlib.import_module("orchestrator.cli.registry")
    for entry in registry.COMMANDS.values():
        importlib.import_module(entry.target.partition(":")[0])
    for module in (
        "orchestrator.application.backend",
        "orchestrator.engine.service",
        "shared.store.database",
        "alembic.command",
        "workers.main",
        "workers.app",
    ):
        importlib.import_module(module)
    # What a service builds before it serves; whoever finds it built goes on.
    importlib.import_module("orchestrator.workflows.registry").load_all()
    importlib.import_module("shared.models.wire").build_all()
    importlib.import_module("shared.patterns").compile_all()
    gc.freeze()


if __name__ == "__main__":
    preload()
    serve(*(socket.socket(fileno=int(number)) for number in sys.argv[1:]))
