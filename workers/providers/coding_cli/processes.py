"""A child process under a call's guard: killed with its whole group at the deadline or on cancel."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from workers.providers.coding_cli.stream_parser import StreamParser
from workers.providers.guard import POLL_S, Guard

MAX_OUTPUT = 16 * 1024 * 1024
_KEPT_STDERR = 64 * 1024
# How long a child's children may keep its pipes open after it has ended.
_LINGER_S = 0.5


@dataclass(frozen=True, slots=True)
class FinishedProcess:
    """What a process left: its exit code (negative: a signal), its output and the end of its stderr."""

    code: int
    output: bytes = field(repr=False)
    errors: bytes = field(repr=False)


def run(
    command: Sequence[str],
    stdin: bytes,
    folder: Path,
    environ: Mapping[str, str],
    guard: Guard,
    parser: StreamParser | None = None,
) -> FinishedProcess:
    """Run to the end without a shell. Raises ProviderError: cannot start, timeout, cancelled, too much output.

    `parser` reads the output as it comes, and says what of it is kept. A process that was started and
    given up may have been charged, and its error says so.
    """
    guard.check()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=dict(environ),
            start_new_session=True,
        )
    except OSError as error:
        raise ProviderError(
            FailureKind.UNREACHABLE,
            f"{guard.participant}: {command[0]} cannot be started: {error.strerror}.",
        ) from None
    try:
        output, errors = _Exchange(process, stdin, guard, parser).run()
    except ProviderError as error:
        # It was at work on the prompt, and may have paid for that.
        error.charged = True
        raise
    finally:
        _end(process)
    return FinishedProcess(process.returncode, output, errors)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group. The leader is not reaped before, so the group's number is still ours."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    process.wait()


class _Exchange:
    """Feeds and drains the three pipes of one process without blocking."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: bytes,
        guard: Guard,
        parser: StreamParser | None,
    ) -> None:
        self._process = process
        self._parser = parser
        self._left = memoryview(stdin)
        self._guard = guard
        self._output = bytearray()
        self._errors = bytearray()
        self._selector = selectors.DefaultSelector()

    def run(self) -> tuple[bytes, bytes]:
        """Until both outputs end, or the process has ended and only its children hold them."""
        process = self._process
        with self._selector as selector:
            self._watch(process.stdin, selectors.EVENT_WRITE)
            self._watch(process.stdout, selectors.EVENT_READ)
            self._watch(process.stderr, selectors.EVENT_READ)
            gone_at: float | None = None
            while selector.get_map():
                self._guard.check()
                if self._parser is not None:
                    self._parser.wait()
                for key, _ in selector.select(self._wait_s(gone_at)):
                    self._serve(key.fileobj)  # type: ignore[arg-type]
                if gone_at is None and _has_ended(process.pid):
                    gone_at = time.monotonic()
                elif gone_at is not None and time.monotonic() - gone_at > _LINGER_S:
                    break
        while not _has_ended(process.pid):
            # It closed its outputs and goes on: it still has its time.
            self._guard.pause(0.01)
        self._keep(b"" if self._parser is None else self._parser.end())
        return bytes(self._output), bytes(self._errors)

    def _wait_s(self, gone_at: float | None) -> float:
        wait_s = POLL_S if gone_at is None else 0.05
        return max(min(wait_s, self._guard.remaining_s()), 0.0)

    def _watch(self, stream: IO[bytes] | None, event: int) -> None:
        if stream is not None:
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, event)

    def _serve(self, stream: IO[bytes]) -> None:
        if stream is self._process.stdin:
            self._write(stream)
            return
        data = os.read(stream.fileno(), 65536)
        if not data:
            self._selector.unregister(stream)
        elif stream is self._process.stdout:
            self._keep(data if self._parser is None else self._parser.take(data))
        else:
            self._errors = (self._errors + data)[-_KEPT_STDERR:]

    def _keep(self, output: bytes) -> None:
        self._output += output
        if len(self._output) > MAX_OUTPUT:
            raise ProviderError(
                FailureKind.TRUNCATED,
                f"The output of {self._guard.participant} exceeds {MAX_OUTPUT} bytes.",
            )

    def _write(self, stream: IO[bytes]) -> None:
        try:
            written = os.write(stream.fileno(), self._left[:65536]) if self._left else 0
            self._left = self._left[written:]
        except BrokenPipeError:
            self._left = self._left[:0]
        if not self._left:
            self._selector.unregister(stream)
            with contextlib.suppress(OSError):
                stream.close()


def _has_ended(pid: int) -> bool:
    """True when the process is over; it stays unreaped."""
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
