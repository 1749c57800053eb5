"""Step tasks on a real Redis: a worker takes what it has slots for."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from celery.contrib.testing.worker import start_worker

from orchestrator.embedded.processes import wait_until
from shared.delivery.broker import make_app
from shared.delivery.contracts import QUEUE_TURNS, TASK_TURN, Receipt, StepPayload
from shared.models.steps import StepKind
from workers.tasks import register

pytestmark = pytest.mark.component


class Busy:
    """Works on every step until it is let go."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.over = threading.Event()

    def work(self, payload: StepPayload) -> Receipt:
        self.taken.append(payload.step)
        self.over.wait(60)
        return Receipt(step=payload.step, status="done")


def test_what_waits_for_a_slot_stays_in_the_queue(broker_url: str) -> None:
    app = make_app(broker_url, slots=2)
    busy: Any = Busy()
    register(app, lambda: busy, StepKind.TURN)
    for number in range(40):
        payload = StepPayload(run="r", step=str(number)).model_dump()
        app.send_task(TASK_TURN, (), {"payload": payload}, queue=QUEUE_TURNS, ignore_result=True)
    with start_worker(app, pool="threads", concurrency=2, perform_ping_check=False):
        assert wait_until(lambda: len(busy.taken) == 2, 30)
        assert not wait_until(lambda: app.depths([QUEUE_TURNS]) != {QUEUE_TURNS: 38}, 1)
        busy.over.set()
        assert wait_until(lambda: len(busy.taken) == 40, 30)
    assert app.depths([QUEUE_TURNS]) == {QUEUE_TURNS: 0}
    app.close()
