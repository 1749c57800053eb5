"""The third trigger: find what was lost, what is ripe, who is gone. Runs in every orchestrator; one of them acts.

It needs Postgres only. Without a broker it still releases leases, expires decisions and fails overdue runs; what it
cannot publish it will publish later.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import partial

import structlog

from orchestrator.dispatch import publish
from orchestrator.engine import Engine
from orchestrator.staging import Scheduled, ScheduledStep
from shared.broker import depth
from shared.contracts import QUEUES, StepPayload
from shared.errors import EnvironmentFault
from shared.presence import SILENCE_S
from shared.publishing import Application
from shared.store.database import Connection, Database
from shared.store.decisions import expire_decisions
from shared.store.sweeping import (
    LostStep,
    bury_spent_steps,
    forget_processes,
    release_lost_leases,
    ripe_runs,
    take_lost_steps,
    try_lock,
)

SWEEP_S = 1.0
GRACE_S = 2.0
RIPE_AFTER_S = 1.5
REPUBLISHED_AT_ONCE = 500
FORGOTTEN_AFTER_S = 600.0
PARKED_AFTER = 5

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Swept:
    """What one sweep found."""

    released: int
    buried: int
    republished: int
    woken: int


class Sweeper:
    """A thread that sweeps every second."""

    def __init__(self, database: Database, app: Application, engine: Engine) -> None:
        """`database` without patience: a sweep that fails is simply the next one's."""
        self._database = database
        self._app = app
        self._engine = engine
        self._trusts_silence_from = 0.0
        self._stuck: Counter[str] = Counter()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)

    def start(self) -> None:
        """Sweep from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Sweep no more."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(SWEEP_S):
            try:
                self.sweep()
            except EnvironmentFault as fault:
                # While the database took no sweep it took no heartbeats either: silence says nothing yet.
                self._trusts_silence_from = time.monotonic() + SILENCE_S
                log.warning("sweep.failed", why=str(fault))
            except OSError as fault:
                log.warning("sweep.failed", why=str(fault))
            except Exception:
                log.exception("sweep.bug")  # the next sweep must come, whatever this one met

    def sweep(self) -> Swept | None:
        """Sweep once; None when another orchestrator is at it."""
        found = self._database.run(self._collect, atomic=True)
        if found is None:
            return None
        released, buried = found
        ripe = self._database.run(lambda connection: ripe_runs(connection, RIPE_AFTER_S))
        for run in ripe:
            self._advance_apart(run)
        republished = self._republish()
        swept = Swept(released, buried, republished, len(ripe))
        if released or buried or republished or ripe:
            log.info("swept", **swept.__dict__)
        return swept

    def _collect(self, connection: Connection) -> tuple[int, int] | None:
        if not try_lock(connection):
            return None
        expire_decisions(connection)
        if time.monotonic() < self._trusts_silence_from:
            return 0, 0
        # Runs are locked before steps, here as everywhere: finishers and sweeper cannot wait for one another.
        buried = bury_spent_steps(connection, SILENCE_S)
        released = release_lost_leases(connection, SILENCE_S)
        forget_processes(connection, FORGOTTEN_AFTER_S)
        return len(released), len(buried)

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
        scheduled = self._engine.advance(run)
        if scheduled is not None:
            publish(self._app, scheduled)

    def _republish(self) -> int:
        lost: list[LostStep] = []
        for queue in QUEUES:
            waiting = depth(self._app, queue)
            if waiting is None:
                return 0
            grace = GRACE_S if waiting == 0 else GRACE_S * 8
            lost.extend(self._database.run(partial(_take, queue=queue, grace_s=grace)))
        for scheduled in _stages(lost):
            publish(self._app, scheduled)
        return len(lost)


def _take(connection: Connection, queue: str, grace_s: float) -> list[LostStep]:
    return take_lost_steps(connection, queue, grace_s, REPUBLISHED_AT_ONCE)


def _stages(lost: list[LostStep]) -> list[Scheduled]:
    """Lost steps of one run are republished as one stage."""
    by_run: dict[tuple[str, str], list[ScheduledStep]] = defaultdict(list)
    for step in lost:
        payload = StepPayload(
            run=step.run,
            step=step.step,
            participant=step.participant,
            role=step.role,
            round=step.round,
        )
        by_run[(step.run, step.root_task)].append(ScheduledStep(step.task, step.queue, payload))
    return [Scheduled(run, root, tuple(steps)) for (run, root), steps in by_run.items()]
