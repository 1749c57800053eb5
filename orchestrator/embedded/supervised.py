"""One supervised process, and the lifeline that ends all of them when their supervisor is killed."""

import os
import signal
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.embedded.processes import spawn_detached
from shared.folders import appending

FIRST_DELAY_S = 0.1
LONGEST_DELAY_S = 5.0
GOOD_LIFE_S = 30.0

MARK = "QUORATE_SUPERVISED_BY"
"""Set in every child's environment to the instance's state folder, so that leftovers are known."""

# Every line is the whole list of process groups; at the end of input the supervisor is gone. Unlike
# PR_SET_PDEATHSIG this needs no code between fork and exec, reaches grandchildren, and works on macOS.
# Its arguments are a file, and the command that takes over while that file is there. It stays behind its successor,
# which may be killed before it has a lifeline of its own; 128 and more is a death by a signal. The pause keeps a
# supervisor that is killed again and again from taking the machine.
_LIFELINE = (
    'trap "" HUP INT QUIT TERM; groups=; '
    'while read -r line; do [ "$line" = released ] && exit 0; groups=$line; done; '
    'for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done; '
    'wanted=$1; shift; code=137; while [ "$code" -gt 128 ] && [ -e "$wanted" ]; do sleep 1; '
    '[ -e "$wanted" ] || exit 0; (trap - HUP INT QUIT TERM; exec "$@" </dev/null >&2); code=$?; done'
)

# A shell's own redirections name descriptors of one digit only.
_GUARD = 'exec <"/dev/fd/$1"; shift; ' + _LIFELINE


@dataclass(frozen=True, slots=True)
class ProcessSpec:
    """A process to keep alive."""

    name: str
    """Names its log file too."""
    argv: tuple[str, ...]
    env: Mapping[str, str] | None = None
    """Its whole environment; None gives it the supervisor's."""
    needed: Path | None = None
    """It is started while this file is there; None: always."""

    @property
    def is_needed(self) -> bool:
        """Whether it should be started."""
        return self.needed is None or self.needed.exists()


@dataclass(frozen=True, slots=True)
class Successor:
    """What takes over when a supervisor is killed, as long as the file `wanted` is there."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    wanted: Path


def next_delay_s(last_s: float | None, lived_s: float) -> float:
    """How long to wait before the next start: 0.1 s, doubling to 5 s, from the start after 30 s of good life."""
    if last_s is None or lived_s >= GOOD_LIFE_S:
        return FIRST_DELAY_S
    return min(last_s * 2, LONGEST_DELAY_S)


class Child:
    """A process in a session of its own that is started again when it ends. Times are monotonic."""

    def __init__(
        self, spec: ProcessSpec, environ: Mapping[str, str], folder: Path, log: Path
    ) -> None:
        self.spec = spec
        self.restarts = -1
        self.since: datetime | None = None
        self.due_s = 0.0
        self._environ = environ if spec.env is None else spec.env
        self._folder = folder
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._started_s = 0.0
        self._delay_s: float | None = None
        self.crashes = 0
        """How many starts in a row ended by themselves, with an error, before they had lived well."""

    @property
    def pid(self) -> int | None:
        """Its pid, which is its process group's number too."""
        return self._process.pid if self._process else None

    def start(self, now_s: float) -> str | None:
        """Start it; returns what stood in the way, in which case it is due again later."""
        self.restarts += 1
        self._started_s = now_s
        try:
            with appending(self._log) as log:
                self._process = subprocess.Popen(
                    self.spec.argv,
                    cwd=self._folder,
                    env={**self._environ, MARK: str(self._folder)},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError as error:
            self._postpone(now_s)
            return f"{self.spec.name} cannot be started: {error}"
        self.since = datetime.now(UTC)
        return None

    def bury_if_ended(self, now_s: float) -> str | None:
        """If it has ended, end the rest of its group and say how it ended."""
        if self._process is None or (code := self._process.poll()) is None:
            return None
        self._signal_group(self._process.pid, signal.SIGKILL)
        self._process = None
        self.since = None
        crashed = code > 0 and now_s - self._started_s < GOOD_LIFE_S
        self.crashes = self.crashes + 1 if crashed else 0
        self._postpone(now_s)
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"{self.spec.name} {how}"

    def ask_to_stop(self) -> None:
        """SIGTERM to the process alone: Celery's pool children would die of it in mid-task."""
        if self._process:
            self._process.terminate()

    def kill(self) -> None:
        """SIGKILL to the whole group, and reap."""
        if self._process:
            self._signal_group(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def _postpone(self, now_s: float) -> None:
        self._delay_s = next_delay_s(self._delay_s, now_s - self._started_s)
        self.due_s = now_s + self._delay_s

    @staticmethod
    def _signal_group(group: int, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # macOS: EPERM for a group of zombies
            os.killpg(group, number)


@contextmanager
def guarded_start(successor: Successor, log: int) -> Iterator[int]:
    """A lifeline for a supervisor that is still to be started, and has none of its own until it is ready.

    The descriptor is for it to inherit; the lifeline starts the successor when nobody holds that any more, unless it
    was released. Raises EnvironmentFault if the shell cannot be started.
    """
    read, write = os.pipe()
    try:
        spawn_detached(
            (
                "/bin/sh",
                "-c",
                _GUARD,
                "lifeline",
                str(read),
                str(successor.wanted),
                *successor.argv,
            ),
            cwd=Path("/"),
            env=successor.env,
            log=log,
            keep=(read,),
            umask=-1,
        )
        try:
            yield write
        except BaseException:
            release_guard(write)
            raise
    finally:
        os.close(read)
        os.close(write)


def release_guard(guard: int | None) -> None:
    """End the lifeline of a start: there is another one, or nothing to bring back."""
    if guard is not None:
        with suppress(OSError):
            os.write(guard, b"released\n")


class Lifeline:
    """A tiny shell that kills the groups it was told about when our end of its pipe closes.

    With a `successor` it starts that then.
    """

    def __init__(self, successor: Successor | None = None) -> None:
        self._successor = successor
        self._groups: tuple[int, ...] = ()
        self._shell = self._open()

    def hold(self, groups: Iterable[int]) -> None:
        """From now on, exactly `groups` end with us; revives the shell if somebody killed it."""
        wanted = tuple(sorted(groups))
        if self._shell.poll() is not None:
            self.cut()
            self._shell = self._open()
        elif wanted == self._groups:
            return
        self._groups = wanted
        self._write(wanted)

    @property
    def pid(self) -> int:
        return self._shell.pid

    def close(self) -> None:
        """Let go of every group."""
        self._write(())
        self.cut()

    def end(self) -> None:
        """Let go of every group, and start no successor: another supervisor is there already."""
        self._write(())
        self._shell.kill()
        self._shell.wait()

    def leave(self) -> None:
        """Let go of every group; it starts the successor unless another supervisor is there by then."""
        self._write(())
        if self._shell.stdin:
            self._shell.stdin.close()

    def cut(self) -> None:
        """End the groups that are held, as our own death would."""
        if self._shell.stdin:
            with suppress(BrokenPipeError):
                self._shell.stdin.close()
        self._shell.wait()

    def _write(self, groups: tuple[int, ...]) -> None:
        if self._shell.stdin:
            with suppress(BrokenPipeError):  # the next `hold` sees that it is dead
                self._shell.stdin.write(" ".join(map(str, groups)).encode() + b"\n")
                self._shell.stdin.flush()

    def _open(self) -> subprocess.Popen[bytes]:
        after = self._successor
        words = (str(after.wanted), *after.argv) if after else ("/dev/null/none",)
        return subprocess.Popen(
            ("/bin/sh", "-c", _LIFELINE, "lifeline", *words),
            cwd="/",
            env=after.env if after else {"PATH": "/usr/bin:/bin"},
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=None if after else subprocess.DEVNULL,
            start_new_session=True,
        )
