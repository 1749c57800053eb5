"""The workers' Celery tasks: one for turns, one for tools, one for applying; all the same ten lines.

A process registers the tasks of its own kind only: a message for another kind is refused as unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shared.delivery.contracts import TASK_APPLY, TASK_TOOL, TASK_TURN, StepPayload
from shared.delivery.publishing import Application
from shared.models.steps import StepKind
from workers.turns.steps import StepWorker

TASKS: Mapping[StepKind, tuple[str, ...]] = {
    StepKind.TURN: (TASK_TURN,),
    StepKind.TOOL: (TASK_TOOL, TASK_APPLY),
}


def register(app: Application, step_worker: Callable[[], StepWorker], kind: StepKind) -> None:
    """Register the tasks of that kind on `app`; `step_worker` gives this process's own worker."""

    def work(payload: dict[str, Any]) -> dict[str, Any]:
        """Do one step and return its receipt."""
        return step_worker().work(StepPayload.model_validate(payload)).model_dump()

    for name in TASKS[kind]:
        # Celery counts what is not acknowledged and takes no more than it has slots: what waits for a slot stays in the
        # queue, where the sweeper sees that it is not lost. On Redis this costs nothing; RabbitMQ has a time limit.
        app.task(work, name=name, acks_late=app.writes_lists, ignore_result=True, shared=False)
