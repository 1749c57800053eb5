"""Signals in, stages out: what resumes a run after a decision."""

from __future__ import annotations

import threading
import time
from functools import partial

import redis
import structlog

from orchestrator.engine.advance import MOST_AT_ONCE, Engine
from orchestrator.engine.dispatch import publish_all, wake
from shared.delivery.publishing import Application
from shared.delivery.signals import Signals
from shared.errors import EnvironmentFault
from shared.faults import failpoint
from shared.store.runs import root_tasks

BLOCK_MS = 5_000
IDLE_MS = 10_000
TAKE_OVER_EVERY_S = 2.0

log = structlog.get_logger(__name__)


class SignalListener:
    """A thread that reads the signal stream and advances each run that is named there."""

    def __init__(self, signals: Signals, engine: Engine, app: Application, consumer: str) -> None:
        """`consumer` names this process in the stream's group."""
        self._signals = signals
        self._engine = engine
        self._app = app
        self._consumer = consumer
        self._take_over_at = 0.0
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
        idle_ms = self._idle_ms()
        heard = self._signals.receive(self._consumer, block_ms=BLOCK_MS, idle_ms=idle_ms)
        if not heard:
            return
        failpoint("signal-read")
        # Anybody may write signals: Postgres takes no text with a NUL in it.
        if self._act(list(dict.fromkeys(run for _, run in heard if run.isprintable()))):
            self._signals.acknowledge(*(message_id for message_id, _ in heard))

    def _act(self, runs: list[str]) -> bool:
        """Advance these runs, or put a flood of them into the queue; False when the broker did not take that.

        In the queue every orchestrator takes of them, and those that somebody waits for go first.
        """
        if len(runs) > MOST_AT_ONCE:
            known = self._engine.database.run(partial(root_tasks, runs=runs))
            return wake(self._app, known, "signal")
        for scheduled in self._engine.advance_all(runs):
            publish_all(self._app, scheduled)  # what the broker refuses the sweeper publishes
        return True

    def _idle_ms(self) -> int | None:
        """Dead listeners' signals are asked for now and then, not with every signal."""
        now = time.monotonic()
        if now < self._take_over_at:
            return None
        self._take_over_at = now + TAKE_OVER_EVERY_S
        return IDLE_MS
