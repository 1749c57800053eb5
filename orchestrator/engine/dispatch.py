"""The only file with canvases: a stage becomes a chain of one step, or a chord of many, with `advance` at its end.

    one step      turn.si(...) | advance.si(run)
    a group       chord([turn.si(...), ...])(advance.si(run))

They are written as Celery's canvases write themselves into messages, without their objects, which cost more than the
rest of publishing; a test compares the two. A canvas never spans a pause. Publishing may fail or happen twice: the rows
decide, and the sweeper finds what was not taken. All messages of a run hang under its root task, so Flower shows the
run as one tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

from orchestrator.engine.staging import Scheduled, ScheduledStep
from shared.delivery.contracts import (
    QUEUE_ORCHESTRATOR,
    TASK_ADVANCE,
    task_and_shadow,
)
from shared.delivery.publishing import Application
from shared.faults import failpoint
from shared.models.priority import SOON

Signature = dict[str, Any]

SHOWN = ("participant", "role", "round", "step", "cause", "run")
"""What people see of a message, and in which order: a column of Flower shows some sixty characters of it."""


def publish_all(
    app: Application,
    scheduled: Sequence[Scheduled],
    parents: Mapping[str, str] | None = None,
) -> bool:
    """Send stages, and what wakes child runs or their parents; False when the broker did not take all of it.

    The sweeper will find it then. What goes into one list is pushed with one command. `parents` are the tasks that
    advanced the runs, where Celery does not know them.
    """
    stages = [stage for stage in scheduled if stage.children or stage.parent or stage.steps]
    if not stages:
        return True
    try:
        with app.gathered():
            for stage in stages:
                _send_all(app, stage, (parents or {}).get(stage.run))
    except app.broker_errors:
        return False
    for _ in stages:
        failpoint("stage-published")
    return True


def publish(app: Application, scheduled: Scheduled) -> bool:
    """Send one stage, as `publish_all` does."""
    return publish_all(app, [scheduled])


def wake(app: Application, runs: Mapping[str, tuple[str, int]], cause: str) -> bool:
    """Ask for one advance of each run, given with its root task and its priority.

    False when the broker did not take them.
    """
    try:
        with app.gathered():
            for run, (root_task, priority) in runs.items():
                _send(app, _advance(run, root_task, cause, priority))
    except app.broker_errors:
        return False
    return True


def _send_all(app: Application, scheduled: Scheduled, parent_id: str | None) -> None:
    send = partial(_send, app, parent_id=parent_id)
    root_task, priority = scheduled.root_task, scheduled.priority
    following = max(SOON, priority)
    for child in scheduled.children:
        send(_advance(child, root_task, "spawned", priority))
    if scheduled.parent is not None:
        send(_advance(scheduled.parent, root_task, "child", following))
    steps = [_step(step, root_task, priority) for step in scheduled.steps]
    _send_stage(app, send, steps, _advance(scheduled.run, root_task, "stage", following))


def _send_stage(
    app: Application, send: Callable[..., None], steps: Sequence[Signature], advance: Signature
) -> None:
    """`chain(step, advance)` of one step, `chord(steps, advance)` of many."""
    advance["options"] |= {"task_id": str(uuid4()), "reply_to": app.thread_oid}
    if len(steps) == 1:
        send(steps[0], chain=[advance])
        return
    group_id = advance["options"]["group_id"] = str(uuid4())
    for index, step in enumerate(steps):
        send(step, chord=advance, group_id=group_id, group_index=index)


def _send(app: Application, signature: Signature, **more: Any) -> None:
    app.send_task(signature["task"], (), signature["kwargs"], **signature["options"], **more)


def _step(step: ScheduledStep, root_task: str, priority: int) -> Signature:
    """A step task; its arguments are ids and words for people, never a text."""
    return _signature(step.task, step.queue, {**step.payload.__dict__}, root_task, priority)


def _advance(run: str, root_task: str, cause: str, priority: int) -> Signature:
    payload = {"v": 1, "run": run, "cause": cause}  # an AdvancePayload
    return _signature(TASK_ADVANCE, QUEUE_ORCHESTRATOR, payload, root_task, priority)


def _signature(
    task: str, queue: str, payload: dict[str, Any], root_task: str, priority: int
) -> Signature:
    """An immutable signature as JSON."""
    shown = {name: payload[name] for name in SHOWN if payload.get(name, "") != ""}
    registered, shadow = task_and_shadow(task)
    return {
        "task": registered,
        "args": [],
        "kwargs": {"payload": payload},
        "options": {
            "queue": queue,
            "root_id": root_task,
            "priority": priority,
            "ignore_result": True,
            "argsrepr": "()",
            "kwargsrepr": repr(shown),
            **({} if shadow is None else {"shadow": shadow}),
        },
        "subtask_type": None,
        "immutable": True,
    }
