"""Turns and tool runs as rows, and a worker in this process that works on them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from shared.delivery.contracts import Receipt, StepPayload
from shared.models.panel import Participant
from shared.models.steps import PromptPart, ToolRequest, TurnRequest
from shared.store.database import Database
from tests.support.model_process import ModelServer
from tests.support.runs import fetch, new_run, new_step
from workers.turns.steps import StepWorker

Entry = dict[str, Any]


def scripted(*replies: Entry, **fields: Any) -> Participant:
    """A participant that says these entries of a script."""
    return Participant(
        name="critic", provider="scripted", options={"replies": list(replies)}, **fields
    )


def openai(server: ModelServer, model: str) -> Participant:
    """A participant behind the stand-in model server."""
    return Participant(
        name="critic", provider="openai", model=model, options={"base_url": server.base_url}
    )


def asked(participant: Participant, **fields: Any) -> str:
    """A turn's request as JSON."""
    request = {
        "participant": participant,
        "role": "critique",
        "round": 1,
        "reply_model": "critique.review",
        "prompt": (PromptPart(text="Review it."),),
        "marker": "m" * 24,
    }
    return TurnRequest.model_validate({**request, **fields}).model_dump_json()


def turn(database: Database, participant: Participant, **fields: Any) -> str:
    """A run of one step `a`, in which the participant speaks."""
    return new_run(database, new_step("a", request=asked(participant, **fields)))


def tool(database: Database, name: str) -> str:
    """A run of one step `a`, a tool run."""
    request = ToolRequest(
        tool=name, participant="t", role="critique", round=1, reply_model="critique.review"
    )
    return new_run(database, new_step("a", kind="tool", request=request.model_dump_json()))


def work(worker: StepWorker, run: str, step: str = "a") -> Receipt:
    """What a message about the step brings."""
    return worker.work(StepPayload(run=run, step=step))


def until(true: Callable[[], bool], timeout_s: float = 60) -> None:
    """Wait for it."""
    deadline = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < deadline, "it never came to be"
        threading.Event().wait(0.01)


def calls(database: Database) -> int:
    """How many calls were counted."""
    return int(fetch(database, "SELECT count(*) AS n FROM usage").n)
