"""The workers' Celery tasks: one a role, one for tools, one for applying; all the same ten lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery import Celery

from shared.contracts import TASK_APPLY, TASK_TOOL, TURN_TASKS, StepPayload
from workers.steps import StepWorker


def register(app: Celery, step_worker: Callable[[], StepWorker]) -> None:
    """Register the step tasks on `app`; `step_worker` gives this process's own worker."""

    def work(payload: dict[str, Any]) -> dict[str, Any]:
        """Do one step and return its receipt."""
        return step_worker().work(StepPayload.model_validate(payload)).model_dump()

    for name in (*TURN_TASKS.values(), TASK_TOOL, TASK_APPLY):
        app.task(work, name=name, ignore_result=True, shared=False)
