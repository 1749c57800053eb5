"""The orchestrator process: a Celery worker for advances, with the sweeper and the signal listener next to it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from celery.signals import worker_ready, worker_shutdown

from orchestrator.engine.advance import Engine
from orchestrator.engine.listener import SignalListener
from orchestrator.engine.purging import Purger
from orchestrator.engine.sweeper import Sweeper
from orchestrator.engine.tasks import AdvanceHandler, register
from orchestrator.traces.exporting import TraceExporter, make_sender
from orchestrator.webhooks.addresses import read_networks
from orchestrator.webhooks.delivering import WebhookDeliverer
from orchestrator.webhooks.sending import MessageSender
from orchestrator.workflows.descriptor import WorkflowType
from orchestrator.workflows.registry import WORKFLOWS, load_all
from shared.delivery.broker import make_app
from shared.delivery.contracts import QUEUE_ORCHESTRATOR
from shared.delivery.lean import take_leanly
from shared.delivery.presence import BEAT_ANSWER_S, BEAT_PATIENCE_S, Presence
from shared.delivery.publishing import Application
from shared.delivery.serving import serve
from shared.delivery.signals import Signals
from shared.logs import configure
from shared.models.retention import RetentionRule
from shared.settings import ServiceSettings
from shared.store.database import SERVICE_ANSWER_S, Database
from shared.store.sweeping import SWEEP_SILENCE_S

THREADS = 4
PATIENCE_S = 60.0
# At most so many connections to Postgres, by what they are for.
POOLS = {"advances": THREADS + 2, "admissions": 4, "sweeps": 3, "beats": 1, "outbox": 4}


class _Beside(Protocol):
    """What works beside the tasks, in threads of its own."""

    def start(self) -> None:
        """Work from now on."""
        ...

    def stop(self) -> None:
        """Begin nothing more."""
        ...


def build_app(settings: ServiceSettings, engine: Engine) -> Application:
    """The application with the orchestrator's tasks registered; every task module is imported by now."""
    app = make_app(
        settings.endpoints.broker_url,
        slots=THREADS,
        late_acks=settings.late_acks,
        redis_url=settings.endpoints.redis_url,
    )
    register(app, engine)
    return app


def _kept_for_good() -> Sequence[RetentionRule]:
    return ()


def _keep_running(services: Sequence[_Beside]) -> None:
    """Start the services with the worker, and stop them with it, the last one first."""

    def started(**_signal: object) -> None:
        for service in services:
            service.start()

    def stopped(**_signal: object) -> None:
        for service in reversed(services):
            service.stop()

    worker_ready.connect(started, weak=False)
    worker_shutdown.connect(stopped, weak=False)


def main(
    settings: ServiceSettings,
    workflows: Mapping[str, WorkflowType[Any]] = WORKFLOWS,
    retention: Callable[[], Sequence[RetentionRule]] = _kept_for_good,
) -> int:
    """Run until asked to stop; the exit code. `workflows` are those whose runs are advanced.

    `retention` reads the rules of purges, each time that one is due.
    """
    configure(settings.log_level, settings.log_format)
    load_all(workflows)
    url = settings.endpoints.database_url
    opened = partial(Database, url, answer_s=SERVICE_ANSWER_S, keys=settings.encryption_keys)
    database = opened(pool_size=POOLS["advances"], patience_s=PATIENCE_S)
    impatient = opened(pool_size=POOLS["admissions"], patience_s=2.0)
    sweeping = opened(pool_size=POOLS["sweeps"], patience_s=2.0, answer_s=SWEEP_SILENCE_S)
    # A beat waits for nobody's connection, and for no answer that comes too late.
    beating = Database(
        url, pool_size=POOLS["beats"], patience_s=BEAT_PATIENCE_S, answer_s=BEAT_ANSWER_S
    )
    freed = threading.Event()
    engine = Engine(database, workflows, freed=freed.set)
    app = build_app(settings, engine)
    if settings.is_lean:
        take_leanly(app, AdvanceHandler(app, engine))
    presence = Presence(beating, "orchestrator")
    sweeper = Sweeper(sweeping, app, Engine(impatient, workflows), starter=engine, freed=freed)
    listener = SignalListener(
        Signals(settings.endpoints.redis_url), engine, app, presence.process_id
    )

    # What waits for a receiver never takes a connection from what moves runs.
    outbox = opened(pool_size=POOLS["outbox"], patience_s=2.0)
    deliverer = WebhookDeliverer(outbox, MessageSender(read_networks(settings.webhook_networks)))
    beside: list[_Beside] = [presence, sweeper, listener, deliverer, Purger(outbox, retention)]
    if (sender := make_sender(os.environ)) is not None:
        beside.append(TraceExporter(outbox, sender))

    _keep_running(beside)
    return serve(
        app,
        name=f"orchestrator-{os.getpid()}",
        queues=(QUEUE_ORCHESTRATOR,),
        pool="threads",
        concurrency=THREADS,
    )
