"""The workers' Celery tasks: one for turns, one for tools, one for applying; all the same ten lines.

A process registers the tasks of its own kind only: a message for another kind is refused as unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

import structlog
from celery.worker.request import Request

from shared.delivery.contracts import TASK_APPLY, TASK_TOOL, TASK_TURN, Receipt, StepPayload
from shared.delivery.lean import Job, accepted, failed, succeeded
from shared.delivery.publishing import Application
from shared.delivery.requests import TaskRequest
from shared.delivery.tracing import completed, traced
from shared.faults import failpoint
from shared.models.steps import StepKind
from workers.turns.steps import StepWorker

TASKS: Mapping[StepKind, tuple[str, ...]] = {
    StepKind.TURN: (TASK_TURN,),
    StepKind.TOOL: (TASK_TOOL, TASK_APPLY),
}
CLAIMED_AT_ONCE = 64

log = structlog.get_logger(__name__)


def register(app: Application, step_worker: Callable[[], StepWorker], kind: StepKind) -> None:
    """Register the tasks of that kind on `app`; `step_worker` gives this process's own worker."""

    def work(payload: dict[str, Any]) -> dict[str, Any]:
        """Do one step and return its receipt."""
        return step_worker().work(StepPayload.model_validate(payload)).model_dump()

    for name in TASKS[kind]:
        # Celery counts what is not acknowledged and takes no more than it has slots: what waits for a slot stays in the
        # queue, where the sweeper sees that it is not lost. On Redis this costs nothing; RabbitMQ has a time limit.
        app.task(
            work,
            name=name,
            acks_late=app.writes_lists,
            ignore_result=True,
            shared=False,
            Request=TaskRequest,
        )


class StepHandler:
    """The lean consumer's work on steps: those that were taken together are claimed together.

    Their ends are committed together too, and what follows them is published with one command.
    """

    most = CLAIMED_AT_ONCE
    is_whole = False

    def __init__(self, app: Application, step_worker: Callable[[], StepWorker]) -> None:
        """`step_worker` gives this process's own worker."""
        self._app = app
        self._step_worker = step_worker

    def jobs(self, requests: Sequence[Request]) -> Iterator[Job]:
        """One for each step that could be claimed."""
        worker = self._step_worker()
        payloads = [StepPayload.model_validate(request.kwargs["payload"]) for request in requests]
        refused: list[tuple[Request, Receipt]] = []
        for request, taken in zip(requests, worker.take(payloads), strict=True):
            if isinstance(taken, Receipt):
                refused.append((request, taken))
            else:
                yield Job(
                    (request,), partial(self._perform, request, partial(worker.perform, taken))
                )
        with worker.around_ends():
            for request, receipt in refused:
                self._perform(request, partial(completed, receipt))

    def close(self) -> None:
        """Commit what has ended."""
        self._step_worker().close()

    def _perform(self, request: Request, work: Callable[[], Future[Receipt]]) -> None:
        since = accepted(request)

        def ended(receipt: Future[Receipt]) -> None:
            try:
                self._end(request, receipt.result(), since)
            except Exception:
                log.exception("step.unended", step=request.kwargs["payload"]["step"])
                failed(request)

        traced(request, work, Receipt.model_dump).add_done_callback(ended)

    def _end(self, request: Request, receipt: Receipt, since: float) -> None:
        if receipt.ready:
            failpoint("barrier-passed")
            self._app.send_following(request)
        succeeded(request, receipt.model_dump(), since)
