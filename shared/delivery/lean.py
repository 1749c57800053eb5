"""The lean consumer: a step of Celery's worker that takes messages many at a time and does them with few statements.

Celery stays what it is for everybody who looks: the worker, its registry, remote control, `inspect`, events, signals,
warm shutdown. Only the way from a Redis list to the pool is ours: Celery's asks for one message at a time and goes
through a hub, a strategy and a tracer, which together cost several times what a turn's own work does. Every message is
looked at as before (shared/delivery/envelopes.py) and becomes Celery's own `Request`, which tells state and events.

Only what a free slot waits for is taken; all else stays in its list, where others can take it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Protocol

import redis
import structlog
from celery import bootsteps
from celery.signals import task_received
from celery.worker import state
from celery.worker.request import Request
from kombu.messaging import Consumer

from shared.delivery.envelopes import Refused, TakenMessage, check_task, read, where
from shared.delivery.publishing import Application
from shared.delivery.requests import TaskRequest
from shared.delivery.taking import ListReader
from shared.faults import failpoint

AWAY_S = 0.5

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Job:
    """What one slot does: `work` on these messages, which is over when it returns or raises."""

    requests: Sequence[Request]
    work: Callable[[], object]


class MessageHandler(Protocol):
    """What a process does with messages of its queues."""

    @property
    def most(self) -> int:
        """How many messages it wants at once."""

    @property
    def is_whole(self) -> bool:
        """Whether one slot does all that was taken together; else each message has its own."""

    def jobs(self, requests: Sequence[Request]) -> Iterable[Job]:
        """The work on these messages, for the pool's threads; what there is nothing to do about is settled here.

        If it raises, what it gave so far is done, and the rest is forgotten: the sweeper publishes it again.
        """

    def close(self) -> None:
        """Finish what was begun; no job comes any more. Called if there was one."""


class LeanConsumer:
    """The thread that takes messages for one handler, and the slots that it fills."""

    def __init__(self, worker: Any, handler: MessageHandler) -> None:
        """`worker` is Celery's controller, whose pool of threads does the work."""
        self._worker = worker
        self._app: Application = worker.app
        self._handler = handler
        self._slots = threading.Condition()
        self._free: int = worker.concurrency
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._has_begun = False
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lean-consumer", daemon=True)
        self._reader: ListReader | None = None

    def start(self) -> None:
        """Take messages from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more, and wait for what was taken."""
        self.terminate()
        self._thread.join()
        with self._slots:
            self._slots.wait_for(lambda: self._free >= self._worker.concurrency)
        # Not if Celery's handler of a further signal has raised: what still works could wait for ever then.
        if self._has_begun:
            self._handler.close()

    def terminate(self) -> None:
        """Take no more."""
        self._stopped.set()
        with self._slots:
            self._slots.notify_all()
        if (reader := self._reader) is not None:
            reader.wake()

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                with (
                    self._app.connection_for_read() as connection,
                    closing(ListReader(connection)) as self._reader,
                ):
                    self._consume(self._reader)
            except (redis.RedisError, OSError) as fault:
                log.warning("broker.unreachable", why=str(fault))
                self._stopped.wait(AWAY_S)
            except Exception:
                # The next message must be taken, whatever this one met.
                log.exception("consumer.bug")
                self._stopped.wait(AWAY_S)

    def _consume(self, reader: ListReader) -> None:
        while not self._stopped.is_set():
            queues = self._queues()
            room = self._room() if queues else 0
            if not room:
                self._stopped.wait(0.05)
                continue
            queue, texts = reader.take(queues, room)
            if texts:
                failpoint("popped")
                self._begin([r for text in texts if (r := self._request(queue, text))])

    def _queues(self) -> list[str]:
        """What Celery's consumer would consume: remote control adds and cancels queues there."""
        consumer = getattr(self._worker.consumer, "task_consumer", None)
        return [] if consumer is None else [queue.name for queue in consumer.queues]

    def _room(self) -> int:
        """How many messages may be taken; waits until that is at least one, or until the end."""
        with self._slots:
            self._slots.wait_for(lambda: self._free > 0 or self._stopped.is_set(), 1.0)
            free = max(self._free, 0)
        return (
            self._handler.most if free and self._handler.is_whole else min(self._handler.most, free)
        )

    def _request(self, queue: str, text: bytes) -> Request | None:
        """Celery's request for a message; None for what is refused or revoked."""
        try:
            message = read(text, queue)
            check_task(self._app.tasks, message)
            return self._received(message)
        except Refused as refusal:
            self._app.refusals.add(queue, len(text), str(refusal))
        except Exception as error:  # noqa: BLE001 - outermost: every good message has a row
            self._app.refusals.add(queue, len(text), where(error))
        return None

    def _received(self, message: TakenMessage) -> Request | None:
        consumer = self._worker.consumer
        task = self._app.tasks[message.headers["task"]]
        request = TaskRequest(
            message,
            app=self._app,
            hostname=consumer.hostname,
            eventer=consumer.event_dispatcher,
            task=task,
        )
        if request.id in state.revoked and request.revoked():
            return None
        task_received.send(sender=consumer, request=request)
        request.send_event(
            "task-received",
            name=request.name,
            args=request.argsrepr,
            kwargs=request.kwargsrepr,
            root_id=request.root_id,
            parent_id=request.parent_id,
            retries=0,
            eta=None,
            expires=None,
        )
        state.task_reserved(request)
        return request

    def _begin(self, requests: Sequence[Request]) -> None:
        if not requests:
            return
        self._has_begun = True
        begun: set[str] = set()
        unserved = 0
        try:
            for job in self._handler.jobs(requests):
                begun.update(request.id for request in job.requests)
                unserved += not self._is_given(job)
        except Exception:
            log.exception("consumer.bug")
            for request in requests:
                if request.id not in begun:
                    failed(request)
        for _ in range(unserved):
            self._work()

    def _is_given(self, job: Job) -> bool:
        """Whether a thread of the pool takes it. Else whoever is free has to look for it."""
        with self._slots:
            self._free -= 1
        self._jobs.put(job)
        try:
            self._worker.pool.executor.submit(self._work)
        except RuntimeError as fault:  # the machine, or its administrator, allows no further thread
            log.warning("pool.exhausted", why=str(fault))
            return False
        return True

    def _work(self) -> None:
        """Do the job that has waited longest, if there is one left."""
        with suppress(Empty):
            job = self._jobs.get_nowait()
            try:
                job.work()
            except Exception:
                log.exception("consumer.bug")
                for request in job.requests:
                    failed(request)
            finally:
                with self._slots:
                    self._free += 1
                    self._slots.notify_all()


def accepted(request: Request) -> float:
    """A thread works on it from now on; the moment, for `succeeded`."""
    now = time.monotonic()
    request.on_accepted(os.getpid(), now)
    return now


def succeeded(request: TaskRequest, receipt: object, since: float) -> None:
    """It is done, and this is what Celery would call its result: events show it, while somebody watches."""
    shown = repr(receipt) if request.is_watched else ""
    request.on_success((False, shown, time.monotonic() - since))


def failed(request: Request) -> None:
    """It ended as it must not; the log says why. Celery lets go of it, and its state says that it failed."""
    state.task_ready(request)
    request.send_event("task-failed", exception="see the worker's log", traceback=None)


class _DeclaredConsumer(Consumer):
    """Celery's consumer of a worker whose messages are taken by another thread: it knows its queues."""

    def consume(self, no_ack: bool | None = None) -> None:
        """Nothing is taken by Celery's main loop."""


class LeanStep(bootsteps.StartStopStep):  # type: ignore[misc]
    """The bootstep. It ends before the pool, whose threads do its work, and after Celery's own consumer."""

    requires = ("celery.worker.components:Pool",)

    def create(self, worker: Any) -> LeanConsumer:
        """The consumer that starts and stops with the worker."""
        worker.app.amqp.Consumer = _DeclaredConsumer
        return LeanConsumer(worker, worker.app.handler)


def take_leanly(app: Application, handler: MessageHandler) -> None:
    """Have workers of this application take messages for `handler` with the lean consumer."""
    app.handler = handler
    app.steps["worker"].add(LeanStep)
