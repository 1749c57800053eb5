"""Watch a run: poll its heartbeat, say what changed, stop when it is settled or the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from orchestrator.application.backend import Backend
from orchestrator.application.report import load_header, load_snapshot
from orchestrator.embedded.crashes import why_nothing_starts
from orchestrator.embedded.starting import end_stopped
from orchestrator.embedded.supervisor import supervisor_status
from orchestrator.presentation.live.progress_events import RunSnapshot
from shared.delivery.live import EXPECTED_S, WATCHED_S, Live
from shared.errors import EnvironmentFault
from shared.models.notices import Notice, notice
from shared.store.database import Connection
from shared.store.processes import SILENCE_S, list_processes
from shared.store.views import RunHeartbeat, run_heartbeat
from shared.text.unfinished import SoFar

FAST_S, SLOW_S, SLOWEST_S = 0.05, 0.2, 0.5
FAST_FOR_S, SLOW_FOR_S = 10.0, 60.0
WORKER_CHECK_S = 10.0
REVIVAL_S = 1.0
LIVE_S = 0.2
WORKERS = {"turn": "turns", "tool": "tools"}
"""Which workers a step waits for, by its kind."""


class RunObserver(Protocol):
    """Whoever watches a run. `streams`: answers are wanted while they come, which costs processor time."""

    streams: bool

    def changed(self, before: RunSnapshot | None, after: RunSnapshot) -> None:
        """Something has happened; `before` is None at the first look."""

    def refreshed(self, snapshot: RunSnapshot) -> None:
        """Time has passed, and streaming answers have grown."""

    def warn(self, notice: Notice) -> None:
        """What keeps the run from going on."""


class Care(Protocol):
    """Sees to it that somebody works on a run that is waited for."""

    def progressed(self) -> None:
        """Something has happened: nobody is missing."""

    def look(self, run: str) -> None:
        """Look what is missing, now and then."""


class RunSource(Protocol):
    """Where a run is watched: in the store, or behind a service."""

    def heartbeat(self, run: str) -> RunHeartbeat:
        """Whether anything has happened. Raises UnknownRun."""

    def snapshot(self, run: str, heartbeat: RunHeartbeat) -> RunSnapshot:
        """The run as it stands."""

    def live(self, run: str) -> Mapping[str, SoFar]:
        """What streaming turns have said so far; asking for it is what makes them stream."""

    def announce(self, run: str, life_s: int) -> None:
        """Somebody is going to watch: what begins within `life_s` streams."""

    def care(self, warn: Callable[[Notice], None]) -> Care:
        """Looks after what a run needs; `warn` hears what keeps it from going on."""


def announce_watcher(backend: Backend, run: str, life_s: int = WATCHED_S) -> None:
    """Somebody is going to watch a run: what begins within `life_s` streams."""
    if not life_s:
        return
    live = Live(backend.settings.endpoints.redis_url)
    live.announce(run, life_s)
    live.close()


class ProcessCare:
    """Sees to it that the processes exist without which whoever waits would wait for ever."""

    def __init__(self, backend: Backend, warn: Callable[[Notice], None]) -> None:
        """`warn` is told what keeps a run from going on."""
        self._backend = backend
        self._warn = warn
        self._revived_at = 0.0
        self._quiet_since = time.monotonic()

    def progressed(self) -> None:
        """Something has happened: nobody is missing."""
        self._quiet_since = time.monotonic()

    def look(self, run: str) -> None:
        """Restart embedded processes that were killed; where nothing happens for a while, name what `run` lacks."""
        now = time.monotonic()
        if now - self._revived_at >= REVIVAL_S:
            self._revived_at = now
            if self._backend.revive():
                self._tell(notice("revived"))
        if now - self._quiet_since >= WORKER_CHECK_S:
            self.progressed()
            notices = missing_processes(self._backend, snapshot_of(self._backend, run))
            if notices and end_stopped(self._backend.settings):  # and the next look starts another
                notices = [notice("supervisor_stopped")]
            for missing in notices:
                self._tell(missing)

    def _tell(self, notice: Notice) -> None:
        self._warn(notice)
        self.progressed()


class RunWatcher:
    """Watches one run, also several times in a row: what was seen once is not reported again."""

    def __init__(self, source: RunSource, run: str, observer: RunObserver) -> None:
        """Nothing is looked at yet."""
        self._source = source
        self._run = run
        self._observer = observer
        self._snapshot: RunSnapshot | None = None
        self._heartbeat: RunHeartbeat | None = None
        self._so_far: Mapping[str, SoFar] = {}
        self._asked_at = 0.0

    def skip_the_past(self) -> None:
        """Report only what happens from now on."""
        self._heartbeat = self._source.heartbeat(self._run)
        self._snapshot = self._source.snapshot(self._run, self._heartbeat)

    def watch_until_settled(self, timeout_s: float | None = None) -> bool:
        """Report what happens until the run is settled; False when `timeout_s` was over before."""
        began = time.monotonic()
        care = self._source.care(self._observer.warn)
        self._asked_at = 0.0
        self._listen()  # before the first turn is taken, or it does not stream
        while True:
            heartbeat = self._source.heartbeat(self._run)
            snapshot = self._report(heartbeat, care)
            if heartbeat.settled:
                return True
            if timeout_s is not None and time.monotonic() - began >= timeout_s:
                return False
            care.look(self._run)
            self._observer.refreshed(
                replace(snapshot, elapsed_s=heartbeat.elapsed_s, live=self._listen())
            )
            pause_s = _pause_s(time.monotonic() - began)
            time.sleep(min(pause_s, LIVE_S) if self._observer.streams else pause_s)

    def leave(self) -> None:
        """Watch no more; whoever saw answers grow is expected back."""
        if self._observer.streams:
            self._source.announce(self._run, EXPECTED_S)

    def _listen(self) -> Mapping[str, SoFar]:
        """What streaming turns have said so far; asking for it is what makes them stream."""
        now = time.monotonic()
        if self._observer.streams and now - self._asked_at >= LIVE_S:
            self._asked_at = now
            self._so_far = self._source.live(self._run)
        return self._so_far

    def _report(self, heartbeat: RunHeartbeat, care: Care) -> RunSnapshot:
        before = self._snapshot
        if (
            before is not None
            and self._heartbeat is not None
            and not _differ(heartbeat, self._heartbeat)
        ):
            return before
        after = self._source.snapshot(self._run, heartbeat)
        self._snapshot, self._heartbeat = after, heartbeat
        self._observer.changed(before, after)
        care.progressed()
        return after


def _pause_s(watched_s: float) -> float:
    """How long to wait before the next poll: often at first, so that the first finding shows at once."""
    if watched_s < FAST_FOR_S:
        return FAST_S
    return SLOW_S if watched_s < SLOW_FOR_S else SLOWEST_S


def _differ(first: RunHeartbeat, second: RunHeartbeat) -> bool:
    return {**first.__dict__, "elapsed_s": 0} != {**second.__dict__, "elapsed_s": 0}


def snapshot_of(backend: Backend, run: str) -> RunSnapshot:
    """A run as it stands."""

    def read(connection: Connection) -> RunSnapshot:
        heartbeat = run_heartbeat(connection, run)
        return load_snapshot(connection, run, heartbeat, load_header(connection, run))

    return backend.read(read)


def missing_processes(backend: Backend, snapshot: RunSnapshot) -> list[Notice]:
    """Which processes nobody has started though the run waits for them, and what to do about it.

    Raises EnvironmentFault where one ends whenever it is started.
    """
    needed = {WORKERS[step.kind] for step in snapshot.open_steps if step.kind in WORKERS}
    missing = sorted((needed | {"orchestrator"}) - _living(backend))
    if backend.settings.external is not None:
        return [_unstarted(kind) for kind in missing]
    instance = backend.settings.instance
    if missing and not supervisor_status(instance).running:
        return [notice("nothing_runs")]
    if why := why_nothing_starts(instance, missing):
        raise EnvironmentFault("{why} What is stored goes on once it can start.", why=why)
    return [notice("starts_again", kind=kind) for kind in missing]


def _living(backend: Backend) -> set[str]:
    """The kinds of processes that are alive."""
    processes = backend.read(list_processes)
    return {process.kind for process in processes if process.silent_s < SILENCE_S}


def _unstarted(kind: str) -> Notice:
    return notice("no_orchestrator") if kind == "orchestrator" else notice("no_worker", kind=kind)
