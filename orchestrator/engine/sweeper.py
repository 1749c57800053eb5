"""The third trigger: find what was lost, what is due, who is gone. Runs in every orchestrator; one of them acts.

It needs Postgres only. Without a broker it still releases leases, expires decisions and fails overdue runs; what it
cannot publish it will publish later. It waits for no lock: what somebody else is at is the next sweep's. Three threads,
so that leases are released whatever an advance or the broker waits for, and a free place is given away at once.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import structlog

from orchestrator.engine.advance import Engine
from orchestrator.engine.dispatch import publish, publish_all
from orchestrator.engine.staging import Scheduled, ScheduledStep
from shared.delivery.contracts import StepPayload
from shared.delivery.publishing import Application
from shared.errors import EnvironmentFault
from shared.faults import failpoint
from shared.store.admission import ADMITTED_AT_ONCE, admit_runs, is_anything_queued
from shared.store.connections import IDLE_IN_TRANSACTION_S
from shared.store.counting import count
from shared.store.daily_spending import sum_up
from shared.store.database import Connection, Database
from shared.store.decisions import expire_decisions
from shared.store.processes import SILENCE_S
from shared.store.sweeping import (
    LostStep,
    Task,
    due_runs,
    end_silent_sessions,
    fail_exhausted_steps,
    forget_processes,
    may_be_lost,
    release_lost_leases,
    take_lost_steps,
    try_lock,
    undo_take,
)

SWEEP_S = 1.0
ADMISSION_PAUSE_S = 0.05
GRACE_S = 2.0
DUE_AFTER_S = 1.5
REPUBLISHED_AT_ONCE = 500
FORGOTTEN_AFTER_S = 600.0
TIDIED_EVERY_S = 10.0
PARKED_AFTER = 5
# Well above what ends a holder that can still be ended (shared/store/connections.py).
HELD_TOO_LONG_S = 30.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Swept:
    """What one sweep found."""

    released: int
    exhausted: int
    republished: int
    woken: int
    admitted: int


class Sweeper:
    """Threads that sweep every second."""

    def __init__(
        self,
        database: Database,
        app: Application,
        engine: Engine,
        *,
        starter: Engine | None = None,
        freed: threading.Event | None = None,
        held_too_long_s: float = HELD_TOO_LONG_S,
    ) -> None:
        """`database` without patience: a sweep that fails is simply the next one's.

        `starter` advances what is admitted, and keeps its replays; without one it is `engine`. `freed` is set by
        whoever freed a place or met a queued run: the next admission comes at once then.
        """
        self._starter = starter or engine
        self._freed = freed or threading.Event()
        self._held_too_long_s = held_too_long_s
        self._database = database
        self._app = app
        self._engine = engine
        self._trusts_silence_from = 0.0
        self._tidies_at = 0.0
        self._stuck: Counter[str] = Counter()
        self._kept_out_since: dict[Task, float] = {}
        self._stop = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Sweep from now on."""
        for work, early in (
            (self.collect, self._stop),
            (self.mend, self._stop),
            (self._admit_and_pause, self._freed),
        ):
            name = f"sweeper-{work.__name__.strip('_')}"
            thread = threading.Thread(
                target=self._repeat, args=(work, early), name=name, daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Sweep no more; a sweep under way goes on to its end, which `join` waits for."""
        self._stop.set()
        self._freed.set()

    def join(self, timeout_s: float) -> None:
        """Wait for the end of what was under way when it was stopped."""
        for thread in self._threads:
            thread.join(timeout_s)

    def _repeat(self, work: Callable[[], object], early: threading.Event) -> None:
        """Work every second, and whenever `early` is set."""
        while True:
            early.wait(SWEEP_S)
            if self._stop.is_set():
                return
            try:
                work()
            except (EnvironmentFault, OSError) as fault:
                log.warning("sweep.failed", why=str(fault))
            except Exception:
                log.exception("sweep.bug")  # the next sweep must come, whatever this one met

    def sweep(self) -> Swept | None:
        """Sweep once; None when another orchestrator is at it."""
        collected = self.collect()
        mended = None if collected is None else self.mend()
        admitted = None if mended is None else self.admit()
        if collected is None or mended is None or admitted is None:
            return None
        return Swept(*collected, *mended, admitted)

    def collect(self) -> tuple[int, int] | None:
        """Take away what nobody works on any more: (released, exhausted); None when another orchestrator is at it."""
        try:
            self._end_silent_sessions()
            collected = self._database.run(self._collect, atomic=True)
        except EnvironmentFault:
            # While the database took no sweep it took no heartbeats either: silence says nothing yet.
            self._trusts_silence_from = time.monotonic() + SILENCE_S
            raise
        if collected is not None and any(collected):
            released, exhausted = collected
            log.info("sweep.collected", released=released, exhausted=exhausted)
        return collected

    def mend(self) -> tuple[int, int] | None:
        """Restart what has stalled: (republished, woken); None when another orchestrator is at it."""
        due = self._database.run(self._due, atomic=True)
        if due is None:
            return None
        for run in due:
            self._advance_apart(run)
        republished = self._republish()
        self._tidy()
        if republished or due:
            log.info("sweep.mended", republished=republished, woken=len(due))
        return republished, len(due)

    def admit(self) -> int | None:
        """Let queued runs begin while there are places; how many. None when another orchestrator is at it."""
        if not self._database.run(is_anything_queued):
            return 0
        admitted = self._database.run(self._admit, atomic=True)
        if admitted is None:
            return None
        if admitted:
            failpoint("runs-admitted")
            log.info("sweep.admitted", runs=len(admitted))
        for scheduled in self._starter.advance_all(admitted):
            publish_all(self._app, scheduled)
        return len(admitted)

    def _admit_and_pause(self) -> None:
        """What is freed during the pause is given away together after it."""
        self._freed.clear()
        admitted = self.admit()
        if admitted != 0:
            self._freed.set()
        if admitted != ADMITTED_AT_ONCE:
            self._stop.wait(ADMISSION_PAUSE_S)

    def _admit(self, connection: Connection) -> list[str] | None:
        return admit_runs(connection) if self._may(connection, Task.ADMIT) else None

    def _due(self, connection: Connection) -> list[str] | None:
        return due_runs(connection, DUE_AFTER_S) if self._may(connection, Task.MEND) else None

    def _may(self, connection: Connection, task: Task) -> bool:
        """Whether this sweeper acts. The lock only spares work: each statement is harmless twice, and waits for none.

        So a holder that nothing ends, as a stopped process of the server, keeps nobody out for ever.
        """
        now = time.monotonic()
        if try_lock(connection, task):
            self._kept_out_since.pop(task, None)
            return True
        held_s = now - self._kept_out_since.setdefault(task, now)
        if held_s < self._held_too_long_s:
            return False
        log.warning("sweep.lock_ignored", task=task.name, held_s=round(held_s))
        return True

    def _tidy(self) -> None:
        """Now and then: what is not summed up yet is read call by call, and that is quick for a few."""
        if time.monotonic() >= self._tidies_at:
            self._tidies_at = time.monotonic() + TIDIED_EVERY_S
            self._database.run(sum_up)
            self._database.run(count, atomic=True)
            self._database.run(partial(forget_processes, silence_s=FORGOTTEN_AFTER_S))

    def _end_silent_sessions(self) -> None:
        """Before the sweep's lock is asked for, which such a session may hold."""
        silent = partial(end_silent_sessions, silence_s=IDLE_IN_TRANSACTION_S)
        if ended := self._database.run(silent):
            log.warning("sweep.silent_sessions_ended", sessions=ended)

    def _collect(self, connection: Connection) -> tuple[int, int] | None:
        if not self._may(connection, Task.COLLECT):
            return None
        expire_decisions(connection)
        if time.monotonic() < self._trusts_silence_from:
            return 0, 0
        # Runs are locked before steps, here as everywhere: finishers and sweeper cannot wait for one another.
        exhausted = fail_exhausted_steps(connection, SILENCE_S)
        released = release_lost_leases(connection, SILENCE_S)
        return len(released), len(exhausted)

    def _advance_apart(self, run: str) -> None:
        """A run that cannot be advanced must not keep the others from it; one that never can is parked."""
        try:
            self._advance(run)
        except (EnvironmentFault, OSError):
            raise
        except Exception as bug:
            log.exception("sweep.stuck", run=run)
            self._stuck[run] += 1
            if self._stuck[run] >= PARKED_AFTER:
                self._engine.park(run, bug)
                del self._stuck[run]
        else:
            self._stuck.pop(run, None)

    def _advance(self, run: str) -> None:
        """Advance here: what needs the sweeper has lost its messages once already."""
        scheduled = self._engine.advance(run, wait=False)
        if scheduled is not None:
            publish(self._app, scheduled)

    def _republish(self) -> int:
        """Publish what was lost; what is not taken by the broker is not marked as published."""
        if not self._database.run(partial(may_be_lost, grace_s=GRACE_S)):
            return 0
        depths = self._app.depths()
        if depths is None:
            return 0
        graces_s = {
            queue: GRACE_S if waiting == 0 else GRACE_S * 8 for queue, waiting in depths.items()
        }
        lost = self._database.run(
            partial(take_lost_steps, graces_s=graces_s, limit=REPUBLISHED_AT_ONCE)
        )
        refused = self._refused(lost)
        if refused:
            self._database.run(partial(undo_take, steps=refused))
        return len(lost) - len(refused)

    def _refused(self, lost: list[LostStep]) -> list[LostStep]:
        """Publish these steps; returns those that the broker did not take."""
        for number, (scheduled, _) in enumerate(stages := _stages(lost)):
            if not publish(self._app, scheduled):
                return [step for _, steps in stages[number:] for step in steps]
        return []


def _stages(lost: list[LostStep]) -> list[tuple[Scheduled, list[LostStep]]]:
    """Lost steps of one run are republished as one stage."""
    by_run: dict[tuple[str, str, int], list[LostStep]] = defaultdict(list)
    for step in lost:
        by_run[(step.run, step.root_task, step.priority)].append(step)
    return [
        (Scheduled(run, root, tuple(_scheduled(step) for step in steps), priority), steps)
        for (run, root, priority), steps in by_run.items()
    ]


def _scheduled(step: LostStep) -> ScheduledStep:
    payload = StepPayload(
        run=step.run,
        step=step.step,
        participant=step.participant,
        role=step.role,
        round=step.round,
    )
    return ScheduledStep(step.task, step.queue, payload)
