"""Workers that run and say nothing: a supervised process whose heartbeat has stopped is ended, and so started again.

A pattern that backtracks for an hour under the interpreter's lock stops the heartbeat of a process, its signal
handlers and every turn in it; its steps are taken over, but the process would stay and look like a worker. Processes
that can still act end themselves earlier (`shared/delivery/presence.py`).

Who never beat has no heartbeat that could stop: a child that comes to nothing, and the main process of a pool, are
looked at themselves.
"""

import os
import signal
import socket
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from orchestrator.embedded.processes import age_s, is_stopped, signal_all
from orchestrator.embedded.wire import PostgresRefusal, PostgresWire
from shared.instance import Instance

SILENT_S = 45.0
"""Well above what a process waits for before it ends itself."""
LOOKS = 3
"""How many times in a row a process must be found silent: after a suspended machine everybody is at first."""
LOOK_EVERY_S = 5.0
STOPPED_LOOKS = int(SILENT_S / LOOK_EVERY_S)
"""The main process of a pool does not beat: it is silent when it was stopped for as long."""
KILLED_AFTER_S = 10.0
BEGUN_S = 180.0
"""Within this a child or one of its own has beaten for the first time, or it ends by itself."""

Silent = tuple[int, float]
"""A pid of this machine, and for how many seconds it has said nothing."""


LATEST = (
    "SELECT host, pid, extract(epoch FROM now() - max(seen_at)) FROM processes GROUP BY host, pid"
)
"""When each process beat last; a pid may have had several."""


def silent_in(
    instance: Instance, children: Collection[int], begun_s: float = BEGUN_S
) -> list[Silent]:
    """Who of this machine has stopped beating, or has not begun; raises OSError when the database does not answer."""
    with PostgresWire.to(instance) as postgres:
        try:
            rows = postgres.query(LATEST)
        except PostgresRefusal:  # the schema is not made yet
            return []
    host = socket.gethostname()
    latest = [(int(pid), float(silent_s)) for name, pid, silent_s in rows if name == host]
    silent = [(pid, silent_s) for pid, silent_s in latest if silent_s > SILENT_S]
    return [*silent, *((child, 0.0) for child in children if _is_mute(child, latest, begun_s))]


def _is_mute(child: int, latest: Iterable[Silent], begun_s: float) -> bool:
    """Whether neither the child nor a process of its pool has beaten, though it has run for `begun_s`."""
    if (age_s(child) or 0.0) < begun_s:
        return False
    return not any(_session(pid) == child and (age_s(pid) or 0.0) >= s for pid, s in latest)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


@dataclass
class _Seen:
    looks: int = 0
    asked_at: float | None = None
    killed: bool = False


class SilenceWatch:
    """Looks for silent processes below the supervisor's children; SIGTERM first, SIGKILL after ten seconds."""

    def __init__(
        self,
        ask: Callable[[], Iterable[Silent]],
        children: Callable[[], Collection[int]],
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`children` are the leaders of the sessions that may be touched."""
        self._ask = ask
        self._children = children
        self._say = say
        self._clock = clock
        self._seen: dict[int, _Seen] = {}
        self._looked_at = clock()

    def check(self) -> None:
        """Act on what has been silent for long, if it is time to check again."""
        now = self._clock()
        if now - self._looked_at < LOOK_EVERY_S:
            return
        self._looked_at = now
        looks = {child: STOPPED_LOOKS for child in self._children() if is_stopped(child)}
        looks |= {pid: LOOKS for pid, silent_s in self._ask() if self._is_ours(pid, silent_s)}
        self._seen = {pid: self._seen.get(pid, _Seen()) for pid in looks}
        for pid, seen in self._seen.items():
            seen.looks += 1
            if seen.looks >= looks[pid] and not seen.killed:
                self._press(pid, seen, now)

    def _press(self, pid: int, seen: _Seen, now: float) -> None:
        if seen.asked_at is None:
            seen.asked_at = now
            self._say(f"process {pid} has not given a sign of life for {SILENT_S:g} s: SIGTERM")
            signal_all((pid,), signal.SIGTERM)
        elif now - seen.asked_at >= KILLED_AFTER_S:
            seen.killed = True
            self._say(f"process {pid} does not end: SIGKILL")
            signal_all((pid,), signal.SIGKILL)

    def _is_ours(self, pid: int, silent_s: float) -> bool:
        """Whether it lives below a child and is the one that beat: pids are given away again."""
        session = _session(pid)
        age = age_s(pid)
        return session in self._children() and age is not None and age >= silent_s
