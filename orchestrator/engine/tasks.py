"""The orchestrator's Celery task: ten lines around the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from operator import itemgetter
from typing import Any

import structlog
from celery import Task
from celery.worker.request import Request

from orchestrator.engine.advance import Engine
from orchestrator.engine.dispatch import publish, publish_all
from shared.delivery.contracts import TASK_ADVANCE, AdvancePayload
from shared.delivery.lean import Job, accepted, succeeded
from shared.delivery.publishing import Application
from shared.delivery.requests import TaskRequest
from shared.delivery.tracing import completed, is_traced, traced
from shared.errors import EnvironmentFault

ADVANCED_AT_ONCE = 16

log = structlog.get_logger(__name__)


def register(app: Application, engine: Engine) -> None:
    """Register the orchestrator's tasks on `app`."""

    @app.task(name=TASK_ADVANCE, bind=True, ignore_result=True, shared=False, Request=TaskRequest)
    def advance(_task: Task[..., Any], payload: dict[str, Any]) -> dict[str, Any]:
        """Replay a run, commit what follows, publish it."""
        wanted = AdvancePayload.model_validate(payload)
        scheduled = engine.advance(wanted.run)
        if scheduled is not None:
            publish(app, scheduled)
        return {"run": wanted.run, "scheduled": 0 if scheduled is None else len(scheduled.steps)}


class AdvanceHandler:
    """The lean consumer's advances: those that were taken together are made in one transaction."""

    most = ADVANCED_AT_ONCE
    is_whole = True

    def __init__(self, app: Application, engine: Engine) -> None:
        """`engine` is shared by the pool's threads."""
        self._app = app
        self._engine = engine

    def jobs(self, requests: Sequence[Request]) -> Iterator[Job]:
        """One for all of them; each its own while somebody listens to Celery's signals."""
        if not is_traced():
            yield Job(requests, partial(self._advance, requests))
            return
        for request in requests:
            alone = partial(self._advance, [request])
            yield Job((request,), partial(traced, request, alone, itemgetter(0)))

    def close(self) -> None:
        """Every job has ended with its commit."""

    def _advance(self, requests: Sequence[Request]) -> Future[list[dict[str, Any]]]:
        since = [accepted(request) for request in requests]
        runs = [AdvancePayload.model_validate(r.kwargs["payload"]).run for r in requests]
        parents = dict(zip(runs, (request.id for request in requests), strict=True))
        counts = dict.fromkeys(runs, 0)
        try:
            for portion in self._engine.advance_all(runs):
                counts |= {scheduled.run: len(scheduled.steps) for scheduled in portion}
                publish_all(self._app, portion, parents)
        except EnvironmentFault as fault:
            log.warning("advance.abandoned", runs=runs, why=str(fault))  # the sweeper advances them
        results = [{"run": run, "scheduled": counts[run]} for run in runs]
        for request, result, moment in zip(requests, results, since, strict=True):
            succeeded(request, result, moment)
        return completed(results)
