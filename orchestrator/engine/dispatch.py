"""The only file with a canvas: a stage becomes a chain of one step, or a chord of many, with `advance` at its end.

    one step      turn.si(...) | advance.si(run)
    a group       chord([turn.si(...), ...])(advance.si(run))

A canvas never spans a pause. Publishing may fail or happen twice: the rows decide, and the sweeper finds what was
not taken. All messages of a run hang under its root task, so Flower shows the run as one tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from celery import chain, chord
from celery.canvas import Signature

from orchestrator.engine.staging import Scheduled, ScheduledStep
from shared.delivery.contracts import (
    ORDINARY,
    QUEUE_ORCHESTRATOR,
    SOON,
    TASK_ADVANCE,
    AdvancePayload,
    task_and_shadow,
)
from shared.delivery.publishing import Application
from shared.faults import failpoint


def publish(app: Application, scheduled: Scheduled) -> bool:
    """Send a stage, and what wakes child runs or their parent; False when the broker did not take it.

    The sweeper will find it then.
    """
    root_task = scheduled.root_task
    priority = SOON if scheduled.soon else ORDINARY
    canvases = [
        advance_signature(app, child, root_task, "spawned", priority)
        for child in scheduled.children
    ]
    if scheduled.parent is not None:
        canvases.append(advance_signature(app, scheduled.parent, root_task, "child", SOON))
    if scheduled.steps:
        advance = advance_signature(app, scheduled.run, root_task, "stage", SOON)
        steps = [step_signature(app, step, root_task, priority) for step in scheduled.steps]
        canvases.append(chain(steps[0], advance) if len(steps) == 1 else chord(steps, advance))
    if not canvases:
        return True
    try:
        with app.gathered():
            for canvas in canvases:
                canvas.apply_async(root_id=root_task, ignore_result=True)
    except app.broker_errors:
        return False
    failpoint("stage-published")
    return True


def wake(app: Application, runs: Mapping[str, tuple[str, bool]], cause: str) -> bool:
    """Ask for one advance of each run, given with its root task and whether it goes before others.

    False when the broker did not take them.
    """
    try:
        with app.gathered():
            for run, (root_task, soon) in runs.items():
                priority = SOON if soon else ORDINARY
                advance = advance_signature(app, run, root_task, cause, priority)
                advance.apply_async(ignore_result=True)
    except app.broker_errors:
        return False
    return True


def step_signature(
    app: Application, step: ScheduledStep, root_task: str, priority: int = ORDINARY
) -> Signature:
    """An immutable signature of a step task; its arguments are ids and words for people, never a text."""
    payload = step.payload.model_dump(mode="json")
    return _signature(app, step.task, step.queue, payload, root_task, priority)


def advance_signature(
    app: Application, run: str, root_task: str, cause: str, priority: int = ORDINARY
) -> Signature:
    """An immutable signature of `quorate.run.advance`."""
    payload = AdvancePayload(run=run, cause=cause).model_dump(mode="json")
    return _signature(app, TASK_ADVANCE, QUEUE_ORCHESTRATOR, payload, root_task, priority)


def _signature(
    app: Application, task: str, queue: str, payload: dict[str, Any], root_task: str, priority: int
) -> Signature:
    shown = {name: value for name, value in payload.items() if name != "v" and value != ""}
    registered, shadow = task_and_shadow(task)
    return app.signature(
        registered,
        kwargs={"payload": payload},
        immutable=True,
        options={
            "queue": queue,
            "root_id": root_task,
            "priority": priority,
            "ignore_result": True,
            "argsrepr": "()",
            "kwargsrepr": repr(shown),
            **({} if shadow is None else {"shadow": shadow}),
        },
    )
