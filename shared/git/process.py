"""Calls of git, wherever they run: as our own child (here), or in a sandbox (workers/tools/sandbox/git.py).

What silences git is in `silence.py`; nobody starts it in another way.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from shared.errors import EnvironmentFault, QuorateError, SubjectError

_COMPLAINTS: tuple[tuple[str, type[QuorateError], str], ...] = (
    (
        r"not a git repository",
        SubjectError,
        "{where} is not inside a git repository. Go into one; a review also takes a change as --diff FILE, agent and "
        "graph take --repo DIR.",
    ),
    (
        r"dubious ownership|unsafe repository",
        EnvironmentFault,
        "git refuses the repository at {where}, because it belongs to somebody else. If you trust it: "
        "git config --global --add safe.directory {where}",
    ),
    (
        r"not allowed|lazy fetch|promisor",
        EnvironmentFault,
        "The repository at {where} is a partial clone and lacks contents that the review needs; nothing is "
        "fetched during a capture. Get them first, for example with `git diff` or a full clone.",
    ),
    (
        r"[Pp]ermission denied",
        EnvironmentFault,
        "No permission to read the repository at {where}: {reason}",
    ),
    (r"No space left", EnvironmentFault, "The disk is full: {reason}"),
)


class OutputTooLarge(QuorateError):
    """git wrote more than the caller wants to hold; callers turn this into their own sentence."""


@dataclass(frozen=True)
class GitOutput:
    """How a call ended; `code` is below zero when git was killed."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def complaint(self) -> str:
        """The line in which git says what is wrong; what follows it is advice."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        telling = (line for line in lines if line.startswith(("fatal: ", "error: ")))
        return next(telling, lines[-1] if lines else f"exit code {self.code}")[:300]

    @property
    def text(self) -> str:
        """All that git said on its standard error."""
        return self.stderr.decode("utf-8", "replace")


class GitRunner(Protocol):
    """Starts git."""

    def call(
        self,
        arguments: tuple[str, ...],
        environment: Mapping[str, str],
        given: bytes,
        limit: int | None,
    ) -> GitOutput:
        """Run git to its end; beyond `limit` bytes of output it may be killed. Raises when the time is over."""

    def failure(self, arguments: tuple[str, ...], output: GitOutput) -> QuorateError:
        """The error for a command that had to succeed."""


@dataclass(frozen=True)
class Git:
    """git on one repository, silenced by its `environment`; `object_format` is how it names objects."""

    runner: GitRunner
    environment: Mapping[str, str]
    object_format: str = "sha1"

    def attempt(self, *arguments: str, given: bytes = b"", limit: int | None = None) -> GitOutput:
        """Run a command whose exit code is for the caller to judge."""
        return self.runner.call(arguments, self.environment, given, limit)

    def run(self, *arguments: str, given: bytes = b"", limit: int | None = None) -> bytes:
        """What a command writes that has to succeed; raises the runner's failure, OutputTooLarge beyond `limit`."""
        output = self.attempt(*arguments, given=given, limit=limit)
        if limit is not None and len(output.stdout) > limit:
            raise OutputTooLarge(f"git wrote more than {limit} bytes")
        if output.code:
            raise self.runner.failure(arguments, output)
        return output.stdout

    def line(self, *arguments: str, given: bytes = b"") -> str:
        """Like `run`, for commands that answer one line."""
        return self.run(*arguments, given=given).decode("utf-8", "replace").strip()

    def head(self, *arguments: str, size: int) -> bytes:
        """The first bytes of what git writes."""
        output = self.attempt(*arguments, limit=size)
        if output.code > 0:
            raise self.runner.failure(arguments, output)
        return output.stdout[:size]

    def ask(self, *arguments: str) -> str | None:
        """What git answers, without its last newline; None when it says no."""
        output = self.attempt(*arguments)
        return None if output.code else os.fsdecode(output.stdout).removesuffix("\n")

    def with_environment(self, more: Mapping[str, str]) -> Git:
        """The same with other variables."""
        return replace(self, environment={**self.environment, **more})

    def with_index(self, index: Path) -> Git:
        """The same repository with another index, which need not exist yet."""
        return self.with_environment({"GIT_INDEX_FILE": str(index)})

    @property
    def no_object(self) -> str:
        """The id that stands for no object."""
        return "0" * (64 if self.object_format == "sha256" else 40)

    def write_blob(self, data: bytes) -> str:
        """Store a blob exactly as it is and return its id."""
        return self.line("hash-object", "-w", "--no-filters", "--stdin", given=data)

    def write_blobs(self, contents: Iterable[bytes]) -> None:
        """Store many blobs by one process; the stream counts bytes, so contents need no escaping."""
        stream = [b"blob\ndata %d\n%s\n" % (len(data), data) for data in contents]
        self.run("fast-import", "--quiet", given=b"".join(stream))

    def stage(self, entries: Mapping[str, tuple[str, str] | None]) -> None:
        """Put (mode, blob id) into the index for each path, or remove the path where it is None."""
        nothing = ("0", self.no_object)
        rows = (
            f"{mode} {blob}\t{path}\0"
            for path, (mode, blob) in ((path, entry or nothing) for path, entry in entries.items())
        )
        self.run("update-index", "-z", "--index-info", given="".join(rows).encode())

    def entries(self) -> dict[str, tuple[str, str]]:
        """(mode, blob id) of every path in the index."""
        listed: dict[str, tuple[str, str]] = {}
        for row in self.run("ls-files", "-s", "-z").split(b"\0")[:-1]:
            head, _, path = row.partition(b"\t")
            mode, blob, stage = head.decode().split(" ")
            if stage == "0":
                listed[path.decode("utf-8", "surrogateescape")] = (mode, blob)
        return listed


@dataclass(frozen=True)
class LocalRunner:
    """git as our own child in one directory; `timeout_s` bounds every call."""

    executable: str
    directory: Path
    timeout_s: float = 60.0

    def call(
        self,
        arguments: tuple[str, ...],
        environment: Mapping[str, str],
        given: bytes,
        limit: int | None,
    ) -> GitOutput:
        """Run git in a session of its own, killed beyond the limit and beyond the time."""
        with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
            stdin.write(given)
            stdin.seek(0)
            try:
                process = subprocess.Popen(
                    [self.executable, *arguments],
                    cwd=self.directory,
                    env=dict(environment),
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    start_new_session=True,
                )
            except OSError as error:
                raise EnvironmentFault(
                    "git cannot be started in {directory}: {why}.",
                    directory=self.directory,
                    why=error.strerror,
                ) from error
            output = self._read(process, limit)
            stderr.seek(0)
            return GitOutput(process.returncode, output, stderr.read(65536))

    def failure(self, arguments: tuple[str, ...], output: GitOutput) -> QuorateError:
        """What people can do about it where that is known, else git's own words."""
        for pattern, kind, sentence in _COMPLAINTS:
            if re.search(pattern, output.text):
                return kind(sentence, where=self.directory, reason=output.complaint)
        return EnvironmentFault(
            "`git {command}` failed in {directory}: {complaint}",
            command=arguments[0],
            directory=self.directory,
            complaint=output.complaint,
        )

    def _read(self, process: subprocess.Popen[bytes], limit: int | None) -> bytes:
        late = threading.Event()

        def stop() -> None:
            late.set()
            _kill(process)

        watchdog = threading.Timer(self.timeout_s, stop)
        watchdog.daemon = True
        watchdog.start()
        output = b""
        try:
            if process.stdout is not None:
                with process.stdout as pipe:
                    output = pipe.read() if limit is None else pipe.read(limit + 1)
            if limit is None or len(output) <= limit:
                process.wait()
        finally:
            watchdog.cancel()
            if process.poll() is None:
                _kill(process)
                process.wait()
        if late.is_set():
            raise EnvironmentFault(
                "git did not answer within {timeout_s:g} s in {directory}.",
                timeout_s=self.timeout_s,
                directory=self.directory,
            )
        return output


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
