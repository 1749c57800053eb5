"""A worker process: which queue it serves, in which pool, with which connections."""

from __future__ import annotations

import contextlib
import os
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial

import structlog
from celery.signals import (
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
)

from shared.allowed import Allowed
from shared.delivery.broker import make_app
from shared.delivery.contracts import QUEUE_APPLY, QUEUE_TOOLS, QUEUE_TURNS
from shared.delivery.lean import take_leanly
from shared.delivery.live import Live
from shared.delivery.presence import BEAT_ANSWER_S, BEAT_PATIENCE_S, Presence, retire_process
from shared.delivery.publishing import Application
from shared.delivery.serving import serve
from shared.faults import failpoint
from shared.logs import configure
from shared.models.steps import StepKind
from shared.providers.limits import paused
from shared.settings import ServiceSettings
from shared.store.database import SERVICE_ANSWER_S, Database
from shared.store.migrate import wait_for_schema
from workers.limits.limiter import Limiter
from workers.tasks import StepHandler, register
from workers.temporary import claim_folder, leave_folder, use_folder
from workers.turns.courier import Courier
from workers.turns.spool import Spool
from workers.turns.steps import StepWorker
from workers.turns.turn import TurnWorker

PATIENCE_S = 60.0
POOL_CONNECTIONS = 12
TOOL_TIME_LIMIT_S = 1800.0
TOOL_MEMORY = 8 * 1024**3

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Kind:
    """What a worker process does. Turns wait in threads; tools can be killed in processes."""

    queues: tuple[str, ...]
    pool: str
    connections: int
    steps: StepKind


KINDS: dict[str, Kind] = {
    "turns": Kind((QUEUE_TURNS,), "threads", POOL_CONNECTIONS, StepKind.TURN),
    "tools": Kind((QUEUE_TOOLS, QUEUE_APPLY), "prefork", 2, StepKind.TOOL),
}


class Runtime:
    """This process's connections and presence; recreated after a fork."""

    def __init__(
        self,
        settings: ServiceSettings,
        kind: str,
        publishing: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """Nothing is opened before `current` is asked. `publishing` is entered around what ends of steps set off."""
        self.slots = 0
        self._settings = settings
        self._publishing = publishing
        self._kind = kind
        self._lock = threading.Lock()
        self._pid = 0
        self._main_pid = os.getpid()
        self._worker: StepWorker | None = None
        self._courier: Courier | None = None
        self._databases: tuple[Database, ...] = ()

    def current(self) -> StepWorker:
        """The step worker of this very process."""
        if self._worker is not None and self._pid == os.getpid():
            return self._worker
        with self._lock:
            if self._worker is None or self._pid != os.getpid():
                self._worker = self._build()
                self._pid = os.getpid()
            return self._worker

    def close(self) -> None:
        """End in good order."""
        if self._worker is not None and self._pid == os.getpid():
            self._worker.presence.stop()
            if self._courier is not None:
                self._courier.stop()
            for database in self._databases:
                database.close()

    def _build(self) -> StepWorker:
        url = self._settings.endpoints.database_url
        database = Database(
            url,
            pool_size=KINDS[self._kind].connections,
            patience_s=PATIENCE_S,
            answer_s=SERVICE_ANSWER_S,
            keys=self._settings.encryption_keys,
        )
        # A beat waits for no turn's connection, and for no answer that comes too late.
        apart = Database(url, pool_size=1, patience_s=BEAT_PATIENCE_S, answer_s=BEAT_ANSWER_S)
        self._databases = (database, apart)
        retire = partial(retire_process, self._main_pid)
        presence = Presence(apart, self._kind, slots=self.slots, retire=retire)
        presence.start()
        spool = Spool(self._settings.instance.state_dir / "spool")
        threading.Thread(target=spool.drain, args=(database,), daemon=True).start()
        redis_url = self._settings.endpoints.redis_url
        allowed = Allowed.of(self._settings.instance, os.environ)
        turns = TurnWorker(
            database,
            limiter=Limiter.at(redis_url),
            usd_a_day=self._settings.max_usd_per_day,
            live=Live(redis_url),
            allowed=allowed,
        )
        if KINDS[self._kind].steps is StepKind.TURN:
            names = partial(_paused_names, redis_url)
            self._courier = Courier(database, allowed=allowed, paused=names)
            threading.Thread(target=self._courier.run, name="courier", daemon=True).start()
        return StepWorker(
            turns,
            presence,
            spool,
            kind=KINDS[self._kind].steps,
            around_ends=self._publishing,
        )


def build_app(settings: ServiceSettings, kind: str) -> tuple[Application, Runtime]:
    """The application with the step tasks registered; every task module is imported by now."""
    app = make_app(
        settings.endpoints.broker_url,
        slots=settings.turn_slots,
        late_acks=settings.late_acks,
        redis_url=settings.endpoints.redis_url,
    )
    runtime = Runtime(settings, kind, partial(_published, app))
    register(app, runtime.current, KINDS[kind].steps)
    return app, runtime


def _paused_names(redis_url: str) -> list[str]:
    return [pause.name for pause in paused(redis_url)]


@contextmanager
def _published(app: Application) -> Iterator[None]:
    """What is published in the block goes out with one command a list; without a broker the sweeper does it later."""
    try:
        with app.gathered() as messages:
            yield
        if messages:
            failpoint("body-published")
    except app.broker_errors as fault:
        log.warning("ends.unpublished", why=str(fault))


def _limit_memory() -> None:
    """This process works on strangers' files: what makes it grow ends its step, and not the machine."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = TOOL_MEMORY if hard == resource.RLIM_INFINITY else min(TOOL_MEMORY, hard)
    with contextlib.suppress(ValueError, OSError):  # macOS has no limit of address space
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))


def _usual_slots(settings: ServiceSettings, kind: str) -> int:
    return settings.turn_slots if kind == "turns" else (os.cpu_count() or 2)


def main(settings: ServiceSettings, kind: str, concurrency: int | None, pool: str | None) -> int:
    """Serve `kind` until told to stop; the exit code."""
    configure(settings.log_level, settings.log_format)
    wait_for_schema(settings.endpoints.database_url, keys=settings.encryption_keys)
    # Only what runs tools keeps everything there: browsers put sockets where TMPDIR says, and their paths are short.
    (use_folder if kind == "tools" else claim_folder)(settings.instance.state_dir)
    app, runtime = build_app(settings, kind)
    served = KINDS[kind]
    chosen = pool or served.pool
    if chosen == "threads" and settings.is_lean:
        take_leanly(app, StepHandler(app, runtime.current))

    def started(**_signal: object) -> None:
        if chosen == "prefork":
            _limit_memory()
            use_folder(settings.instance.state_dir)
        runtime.current()

    def stopped(**_signal: object) -> None:
        runtime.close()

    (worker_process_init if chosen == "prefork" else worker_ready).connect(started, weak=False)
    for ended in (
        worker_shutdown,
        worker_process_shutdown,
    ):  # of a pool's processes, too: each beats for itself
        ended.connect(stopped, weak=False)
    slots = concurrency or _usual_slots(settings, kind)
    runtime.slots = 1 if chosen == "prefork" else slots
    try:
        return serve(
            app,
            name=f"{kind}-{os.getpid()}",
            queues=served.queues,
            pool=chosen,
            concurrency=slots,
            time_limit_s=TOOL_TIME_LIMIT_S if chosen == "prefork" else None,
        )
    finally:
        leave_folder(settings.instance.state_dir)
