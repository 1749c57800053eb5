"""Signals in, advances out: what resumes a run after a decision."""

from __future__ import annotations

import threading
from functools import partial

import redis
import structlog

from orchestrator.engine.dispatch import wake
from shared.delivery.publishing import Application
from shared.delivery.signals import Signals
from shared.errors import EnvironmentFault
from shared.faults import failpoint
from shared.store.database import Database
from shared.store.views import root_tasks

BLOCK_MS = 5_000
IDLE_MS = 10_000

log = structlog.get_logger(__name__)


class SignalListener:
    """A thread that reads the signal stream and publishes an advance for each run that is named there."""

    def __init__(
        self, signals: Signals, database: Database, app: Application, consumer: str
    ) -> None:
        """`consumer` names this process in the stream's group."""
        self._signals = signals
        self._database = database
        self._app = app
        self._consumer = consumer
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="listener", daemon=True)

    def start(self) -> None:
        """Listen from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Listen no more."""
        self._stop.set()

    def _run(self) -> None:
        prepared = False
        while not self._stop.is_set():
            try:
                if not prepared:
                    self._signals.prepare()
                    prepared = True
                self._listen()
            except (redis.RedisError, EnvironmentFault, OSError) as fault:
                prepared = False  # FLUSHALL and a new server know no group
                log.warning("signals.unreachable", why=str(fault))
                self._stop.wait(1.0)
            except Exception:
                log.exception(
                    "listener.bug"
                )  # the next signal must be heard, whatever this one met
                self._stop.wait(1.0)

    def _listen(self) -> None:
        heard = list(self._signals.receive(self._consumer, block_ms=BLOCK_MS, idle_ms=IDLE_MS))
        if not heard:
            return
        failpoint("signal-read")
        # Anybody may write signals: Postgres takes no text with a NUL in it.
        runs = [run for _, run in heard if run.isprintable()]
        known = self._database.run(partial(root_tasks, runs=runs))
        if wake(self._app, known, "signal"):
            self._signals.acknowledge(*(message_id for message_id, _ in heard))
