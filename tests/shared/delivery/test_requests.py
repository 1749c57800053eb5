"""What the event of a finished task says of its step, from the representation that Celery's pools pass on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from celery.app.task import Task
from celery.utils.saferepr import saferepr

from shared.delivery.contracts import HANDED_BACK, Receipt
from shared.delivery.requests import TaskRequest


class Events:
    """Celery's dispatcher, as far as a request needs it."""

    enabled = True

    def __init__(self) -> None:
        self.sent: list[tuple[str, object]] = []

    def send(self, kind: str, *, exception: object = None, **_fields: Any) -> None:
        self.sent.append((kind, exception))


def shown(kind: str, **fields: Any) -> tuple[str, object]:
    request = TaskRequest.__new__(TaskRequest)
    request._eventer = Events()
    request._task = SimpleNamespace(send_events=True)
    request.id = "x"
    request.send_event(kind, **fields)
    (sent,) = request._eventer.sent
    return sent


LONGEST = "s" * 512


@pytest.mark.parametrize(
    ("receipt", "event"),
    [
        (Receipt(step=LONGEST, status="done", ready=True), ("task-succeeded", None)),
        (Receipt(step=LONGEST, status="failed", failure="timeout"), ("task-failed", "timeout")),
        (Receipt(step="it's", status="failed", failure="refusal"), ("task-failed", "refusal")),
        (Receipt(step="a", status="abandoned", failure="abandoned"), ("task-failed", "abandoned")),
        (Receipt(step="a", status=HANDED_BACK), ("task-retried", HANDED_BACK)),
        (Receipt(step="a", status="failed"), ("task-succeeded", None)),
        (Receipt(step="a", status="stale"), ("task-succeeded", None)),
    ],
)
def test_a_step_s_end_is_the_task_s(receipt: Receipt, event: tuple[str, object]) -> None:
    result = saferepr(receipt.model_dump(), Task.resultrepr_maxsize)
    assert shown("task-succeeded", result=result, runtime=1.0) == event


@pytest.mark.parametrize("result", ["{'run': 'r', 'scheduled': 2}", "'text'", "{...", "x" * 1024])
def test_what_is_no_receipt_has_succeeded(result: str) -> None:
    assert shown("task-succeeded", result=result, runtime=1.0) == ("task-succeeded", None)


def test_of_an_exception_only_its_class_is_sent() -> None:
    sent = shown("task-failed", exception="ValueError('what was said')", traceback="what was said")
    assert sent == ("task-failed", "ValueError")
