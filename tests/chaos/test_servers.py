"""Rows 1, 12, 13, 17 and 21: lost and doubled messages, servers that are killed or forget everything."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time

import pytest

from orchestrator.embedded.processes import wait_until
from shared.delivery.contracts import QUEUE_TURNS
from tests.chaos.cluster import Cluster, Repeated
from tests.chaos.invariants import examine
from tests.chaos.workload import REVIEW_STEPS
from tests.support.queues import redis_lists

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
SETTLE_S = 150.0


def test_row_1_a_message_that_died_with_its_worker_is_published_again(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    kept = cluster.keeper["turns"]
    kept.revived = False
    with cluster.stopped("turns") as pid:
        runs = cluster.submit(1)
        cluster.wait_for_steps(runs, "critique/1", "pending", 3)
        # Redis hands messages to the question of a process that will never read the answer: if they come within the
        # second that a question lasts.
        time.sleep(1.5)
        if cluster.queue_length(QUEUE_TURNS) == 3:
            assert any(cluster.redis.rpop(name) for name in redis_lists(QUEUE_TURNS))
        assert cluster.queue_length(QUEUE_TURNS) < 3
        os.kill(pid, signal.SIGKILL)
    kept.revived = True
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.extra_calls == 0


def test_row_12_redis_killed_idle_and_with_full_queues_and_no_worker_crashes(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.kill_redis()
    cluster.wait_for(cluster.is_up, "Redis came back")
    cluster.replace("turns", slots=1)
    pids = [cluster.keeper[name].pid for name in ("orchestrator", "turns")]
    cluster.speak(latency="0.5")  # messages are still waiting when a slow machine looks
    runs = cluster.submit(4)
    for _ in range(3):
        cluster.wait_for(lambda: cluster.queue_length(QUEUE_TURNS) > 2, "messages wait")
        cluster.kill_redis()
        cluster.wait_for(cluster.is_up, "Redis came back")
    cluster.speak(latency="0.05")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.extra_calls == 0
    assert pids == [cluster.keeper[name].pid for name in ("orchestrator", "turns")], (
        f"a process did not survive the broker's death: {cluster.keeper.trouble}"
    )
    cluster.require_everybody_works()


@pytest.mark.parametrize("how", ["flushall", "restart-without-its-file"])
def test_row_13_a_redis_that_forgot_everything_in_mid_round_costs_seconds_only(
    cluster: Cluster, measured: dict[str, object], how: str
) -> None:
    cluster.replace("turns", slots=2)
    runs = cluster.submit(3)
    cluster.wait_for(lambda: cluster.queue_length(QUEUE_TURNS) > 2, "messages wait")
    if how == "flushall":
        cluster.redis.flushall()
    else:
        with cluster.servers_left_alone():
            cluster.kill_redis()
            shutil.rmtree(cluster.instance.redis_dir / "appendonlydir")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.extra_calls == 0


def test_row_17_postgres_killed_under_calls_spools_their_answers_and_pays_nothing_twice(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    answered = cluster.folder / "answered"
    cluster.speak(until=str(answered))
    runs = cluster.submit(2)
    cluster.kill_postgres()  # under the first advances
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) >= 3, "calls are in flight")
    with cluster.servers_left_alone():
        cluster.kill_postgres()  # under the calls: their answers find no database
        answered.touch()
        spool = cluster.instance.state_dir / "spool"
        assert wait_until(lambda: len(list(spool.glob("*.json"))) >= 3, 60), "nothing was spooled"
        spooled = len(list(spool.glob("*.json")))
    cluster.speak(latency="0.5")
    for role in ("rebuttal", "critique/3"):
        cluster.wait_for_steps(runs, role)
        cluster.kill_postgres()  # wherever the claims, finishes and advances happen to be
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), spooled=spooled)
    assert figures.extra_calls == 0, "no holder was lost"
    assert wait_until(lambda: not list(spool.iterdir()), 60), "what was spooled was not brought in"


def test_row_21_every_message_delivered_five_times_more_changes_nothing(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    seen: set[tuple[str, str]] = set()
    sent = 0

    def deliver_again() -> None:
        nonlocal sent
        sent += cluster.republish(runs, 5, leaving_out=seen)

    cluster.keep("turns-2")
    cluster.speak(latency="0.1..0.3")
    runs = cluster.submit(3)
    with Repeated(deliver_again, 0.02):
        settled = cluster.settle(runs, SETTLE_S)
    deliver_again()  # those that came and ended between two looks
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), doubled=sent)
    assert sent == 5 * figures.steps
    assert figures.extra_calls == 0


def test_rubbish_in_the_queues_stops_nobody(cluster: Cluster, measured: dict[str, object]) -> None:
    """Part of row 28, cheap enough for every run: what no worker can read."""
    key = f"quorate:{QUEUE_TURNS}"
    worker = cluster.keeper["turns"].pid
    for rubbish in (
        "not json",
        json.dumps({"body": "!!!", "content-encoding": "utf-8", "properties": {}}),
        json.dumps(
            {
                "body": "W10=",
                "content-encoding": "utf-8",
                "content-type": "application/x-python-serialize",
                "headers": {"task": "quorate.turn", "id": "1", "lang": "py"},
                "properties": {
                    "body_encoding": "base64",
                    "delivery_tag": "1",
                    "delivery_info": {"exchange": "", "routing_key": QUEUE_TURNS},
                },
            }
        ),
    ):
        cluster.redis.lpush(key, rubbish)
    runs = cluster.submit(1)
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), restarts=int(worker != cluster.keeper["turns"].pid))
