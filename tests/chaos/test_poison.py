"""Anybody who can write to Redis fills the queues of real processes: none ends, none is wedged, no run is lost."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest

from shared.delivery.contracts import (
    QUEUE_APPLY,
    QUEUE_ORCHESTRATOR,
    QUEUE_TOOLS,
    QUEUE_TURNS,
    QUEUES,
)
from tests.chaos.cluster import Cluster
from tests.chaos.processes import SCRIPTS
from tests.support.poison import poisons

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
TASKS = {
    QUEUE_TURNS: "quorate.turn",
    QUEUE_TOOLS: "quorate.tool.run",
    QUEUE_APPLY: "quorate.apply.patch",
    QUEUE_ORCHESTRATOR: "quorate.run.advance",
}


@pytest.fixture(params=["lean", pytest.param("celery", marks=pytest.mark.slow)])
def poisoned(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    made = Cluster(with_tools=True, consumer=request.param)
    yield made
    made.close()


def test_poisoned_queues_end_no_process_and_no_run(poisoned: Cluster) -> None:
    poisoned.restore()
    names = ("orchestrator", "turns", "tools")
    pids = [poisoned.keeper[name].pid for name in names]
    sent = 0
    for queue in QUEUES:
        for text in poisons(TASKS[queue], queue):
            poisoned.redis.lpush(f"quorate:{queue}", text)
            sent += 1

    runs = poisoned.submit(2)
    poisoned.settle(runs, 150.0, waiting=True)

    assert pids == [poisoned.keeper[name].pid for name in names], "a process was ended"
    poisoned.wait_for(
        lambda: not any(poisoned.queue_length(queue) for queue in QUEUES), "all were taken"
    )
    done = subprocess.run(
        [SCRIPTS / "quorate", "status", "--json"],
        env=poisoned.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    status = json.loads(done.stdout)
    assert status["queues"] == dict.fromkeys(QUEUES, 0)
    assert 0.8 * sent < sum(status["refused"].values()) <= sent
