"""The contract between orchestrator and workers: task names, queues, payloads, signals.

Every Celery message is a wake-up call with ids; losing, doubling or reordering it must not matter.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from shared.delivery import queues
from shared.models.wire import Wire

QUEUE_TURNS = queues.TURNS
QUEUE_TOOLS = queues.TOOLS
QUEUE_APPLY = queues.APPLY
QUEUE_ORCHESTRATOR = queues.ORCHESTRATOR
QUEUES = queues.ALL

TASK_ADVANCE = "quorate.run.advance"
TASK_TOOL = "quorate.tool.run"
TASK_APPLY = "quorate.apply.patch"
TASK_TURN = "quorate.turn"

SIGNAL_STREAM = "quorate:signals"
SIGNAL_GROUP = "orchestrators"
# What does the work of a tool, by the queue of its card.
TOOL_TASKS = {QUEUE_TOOLS: TASK_TOOL, QUEUE_APPLY: TASK_APPLY}


def _printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError("not printable")
    return name


# Anybody who can write to the broker names runs and steps: Postgres takes no text with a NUL or half a character in it.
Named = Annotated[str, Field(max_length=512), AfterValidator(_printable)]


class StepPayload(Wire):
    """Work on one step. `participant`, `role` and `round` are only for people who watch the queue."""

    v: Literal[1] = 1
    run: Named
    step: Named
    participant: str = ""
    role: str = ""
    round: int = 0


class AdvancePayload(Wire):
    """Look at a run and schedule what comes next."""

    v: Literal[1] = 1
    run: Named
    cause: str = ""


HANDED_BACK = "handed back"
"""A step's status in the receipt of a task that leaves it for later."""


class Receipt(Wire):
    """What a step task returns: ids only. `ready` says that no step of the run is open any more.

    `failure` is the kind of failure that this very task ended with (`FailureKind`, or `abandoned`), and no word more.
    """

    step: str
    status: str
    ready: bool = False
    failure: str = ""


# What each task is called with, as `payload`.
PAYLOADS: dict[str, type[StepPayload] | type[AdvancePayload]] = {
    TASK_ADVANCE: AdvancePayload,
    **dict.fromkeys((TASK_TURN, TASK_TOOL, TASK_APPLY), StepPayload),
}

TurnName = Annotated[
    str, StringConstraints(pattern=r"^quorate\.turn\.[a-z][a-z0-9-]*$", max_length=64)
]
"""What a turn is called where people look."""


def turn_name(role: str) -> str:
    """What a step of that role is called, in its row and where people look."""
    return f"{TASK_TURN}.{role}"


def task_and_shadow(name: str) -> tuple[str, str | None]:
    """The task that does a step of that name, and the name that Flower shows if it is another one.

    Roles are words of the workflows, so there is one task for all turns: a worker knows any role.
    """
    return (TASK_TURN, name) if name.startswith(f"{TASK_TURN}.") else (name, None)
