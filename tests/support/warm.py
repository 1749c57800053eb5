"""`quorate` without the half second of imports: a process that has imported the commands forks one for each call.

What runs is a real process of the real entry point with its own arguments, directory, environment and files; only the
imports are shared. Whoever tests the start itself (hostile folders, import times, services) starts it cold.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
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

ROOT = Path(__file__).parents[2]
# What Python reads when it starts cannot be given to a process that has started.
READ_AT_START = ("PYTHON", "LC_", "LANG", "LD_")


@dataclass(frozen=True)
class Order:
    """One call of the command line."""

    arguments: list[str]
    cwd: str
    environ: dict[str, str]


class WarmStarter:
    """The client's side. `run` may be called by several threads at once."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """Start the process that forks; it ends when this one does."""
        self._control, theirs = socket.socketpair()
        self._sending = threading.Lock()
        self._started_with = _read_at_start(environ)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm", str(theirs.fileno())],
                cwd=ROOT,
                env=dict(environ),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
            )

    def fits(self, environ: Mapping[str, str]) -> bool:
        """Whether a process with that environment would have started like this one."""
        return _read_at_start(environ) == self._started_with

    def run(self, order: Order, stdin: str, timeout_s: float) -> subprocess.CompletedProcess[str]:
        """Run a command to its end. Raises subprocess.TimeoutExpired: it was ended."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            ours, theirs = socket.socketpair()
            reading, writing = os.pipe()
            writer = threading.Thread(target=_write_all, args=(writing, stdin), daemon=True)
            with ours:
                with theirs, self._sending:
                    files = [reading, out.fileno(), err.fileno(), theirs.fileno()]
                    socket.send_fds(self._control, [b"!"], files)
                os.close(reading)
                writer.start()
                code = _wait(ours, order, timeout_s)
            writer.join()
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode("utf-8", "strict"))
        return subprocess.CompletedProcess(["quorate", *order.arguments], code, *texts)

    def stop(self) -> None:
        """Let the process end: it reads that nobody orders any more."""
        self._control.close()
        self._process.wait(20)


def _read_at_start(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name.startswith(READ_AT_START)}


def _write_all(file: int, text: str) -> None:
    with contextlib.suppress(BrokenPipeError), open(file, "w", encoding="utf-8") as pipe:
        pipe.write(text)


def _wait(line: socket.socket, order: Order, timeout_s: float) -> int:
    line.sendall(json.dumps(vars(order)).encode() + b"\n")
    with line.makefile("rb") as answers:
        pid = int(answers.readline())
        line.settimeout(timeout_s)
        try:
            return int(answers.readline())
        except TimeoutError:
            os.kill(pid, signal.SIGKILL)
            raise subprocess.TimeoutExpired(order.arguments, timeout_s) from None


# ---- the process that forks ---------------------------------------------------------------------


def serve(control: socket.socket) -> None:
    """Fork a command for every order until nobody orders any more."""
    while True:
        message, files, _, _ = socket.recv_fds(control, 1, 4)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not message:
            return
        if os.fork() == 0:
            control.close()
            _attend(files)
        for file in files:
            os.close(file)


def _attend(files: list[int]) -> None:
    """Start the command, say its process id, wait for it, say how it ended. Never returns."""
    *streams, reply = files
    with socket.socket(fileno=reply) as line, line.makefile("rb") as orders:
        order = Order(**json.loads(orders.readline()))
        pid = os.fork()
        if pid == 0:
            _become(order, streams)
        for file in streams:
            os.close(file)
        line.sendall(f"{pid}\n".encode())
        _, status = os.waitpid(pid, 0)
        with contextlib.suppress(BrokenPipeError):
            line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(order: Order, streams: list[int]) -> None:
    """Be the command: its files, folder, environment and arguments. Never returns."""
    for number, file in enumerate(streams):
        os.dup2(file, number)
    os.closerange(3, 256)
    os.environ.clear()
    os.environ.update(order.environ)
    os.chdir(order.cwd)
    sys.argv = [str(Path(sys.executable).parent / "quorate"), *order.arguments]
    code = 1
    try:
        code = importlib.import_module("orchestrator.cli.main").main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        error = sys.exception()
        if error is not None:
            traceback.print_exception(error)
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def preload() -> None:
    """Import what the commands import, and see that no fork copies it."""
    registry = importlib.import_module("orchestrator.cli.registry")
    for entry in registry.COMMANDS.values():
        importlib.import_module(entry.target.partition(":")[0])
    for module in ("orchestrator.application.backend", "shared.store.database", "alembic.command"):
        importlib.import_module(module)
    gc.freeze()


if __name__ == "__main__":
    preload()
    serve(socket.socket(fileno=int(sys.argv[1])))
