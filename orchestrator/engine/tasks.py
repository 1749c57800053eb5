"""The orchestrator's Celery task: ten lines around the engine."""

from __future__ import annotations

from typing import Any

from celery import Task

from orchestrator.engine.advance import Engine
from orchestrator.engine.dispatch import publish
from shared.delivery.contracts import TASK_ADVANCE, AdvancePayload
from shared.delivery.publishing import Application


def register(app: Application, engine: Engine) -> None:
    """Register the orchestrator's tasks on `app`."""

    @app.task(name=TASK_ADVANCE, bind=True, ignore_result=True, shared=False)
    def advance(_task: Task[..., Any], payload: dict[str, Any]) -> dict[str, Any]:
        """Replay a run, commit what follows, publish it."""
        wanted = AdvancePayload.model_validate(payload)
        scheduled = engine.advance(wanted.run)
        if scheduled is not None:
            publish(app, scheduled)
        return {"run": wanted.run, "scheduled": 0 if scheduled is None else len(scheduled.steps)}
