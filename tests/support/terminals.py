"""A command in a terminal of its own: what it writes there, keys that are typed, and how it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


class Typed:
    """A process whose three streams are one pseudo-terminal. `close` ends it."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], folder: Path) -> None:
        """Starts the command in a terminal of 100 columns and 30 rows."""
        self.raw = ""
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.chdir(folder)
            os.execvpe(command[0], list(command), {**environ, "TERM": "xterm-256color"})
        size = struct.pack("HHHH", 30, 100, 0, 0)
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, size)

    @property
    def text(self) -> str:
        """Everything that was written so far, without control sequences; what was drawn anew stands on a new line."""
        return _CONTROL.sub("", self.raw.replace("\x1b[2K", "\n")).replace("\r", "\n")

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._terminal, keys.encode())

    def until(self, seen: Callable[[str], bool], timeout_s: float = 60.0) -> str:
        """Read until something is seen in the text. Raises AssertionError when it is not in time, or at the end."""
        deadline = time.monotonic() + timeout_s
        while not seen(self.text):
            if time.monotonic() > deadline or not self._read():
                raise AssertionError(f"it was never seen; the terminal shows:\n{self.text[-3000:]}")
        return self.text

    def end(self, timeout_s: float = 60.0) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + timeout_s
        while self._read():
            assert time.monotonic() < deadline, self.text[-3000:]
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """End whatever still runs."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._terminal)

    def _read(self) -> bool:
        """True while the process holds its terminal."""
        if select.select([self._terminal], [], [], 0.5)[0]:
            try:
                piece = os.read(self._terminal, 65_536)
            except OSError:
                return False
            self.raw += piece.decode("utf-8", "replace")
            return bool(piece)
        return True


@contextlib.contextmanager
def terminal(command: Sequence[str], environ: Mapping[str, str], folder: Path) -> Iterator[Typed]:
    """A command in a terminal, ended at the latest with the block."""
    typed = Typed(command, environ, folder)
    try:
        yield typed
    finally:
        typed.close()
