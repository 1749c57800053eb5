"""Rows 55 to 61: workers that are told to leave; a broker that cuts, forgets, stands still or holds something else."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable

import pytest

from orchestrator.embedded.processes import wait_until
from shared.delivery.contracts import QUEUE_ORCHESTRATOR, QUEUE_TURNS
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.workload import REVIEW_STEPS
from tests.support.queues import redis_lists

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(300)]
SETTLE_S = 150.0
PAUSED_S = 15.0
CALLS = 4


def _told(cluster: Cluster, number: signal.Signals) -> float:
    """Send the turn worker a signal; when."""
    pid = cluster.keeper["turns"].pid
    at = cluster.note("told", "turns", pid)
    os.kill(pid, number)
    return at


def _busy(cluster: Cluster, latency: str) -> list[str]:
    """A worker with all slots in a call, and a backlog."""
    cluster.replace("turns", slots=CALLS)
    cluster.speak(latency=latency)
    runs = cluster.submit(3)
    cluster.wait_for(
        lambda: len(cluster.calls_in_flight()) == CALLS and cluster.queue_length(QUEUE_TURNS) >= 5,
        "calls are in flight, and a backlog waits",
    )
    return runs


@pytest.mark.parametrize(
    "again",
    [
        pytest.param((), id="row-55-sigterm"),
        pytest.param((signal.SIGTERM,), id="row-55-sigterm-twice", marks=pytest.mark.slow),
        pytest.param((signal.SIGQUIT,), id="row-55-sigterm-sigquit", marks=pytest.mark.slow),
        pytest.param(
            (signal.SIGQUIT, signal.SIGQUIT),
            id="row-55-sigterm-sigquit-twice",
            marks=pytest.mark.slow,
        ),
        pytest.param((signal.SIGINT,), id="row-55-sigterm-sigint", marks=pytest.mark.slow),
    ],
)
def test_a_worker_that_leaves_ends_what_it_has_and_takes_nothing_more(
    cluster: Cluster, measured: dict[str, object], again: tuple[signal.Signals, ...]
) -> None:
    runs = _busy(cluster, "4")
    pid = cluster.keeper["turns"].pid
    at = _told(cluster, signal.SIGTERM)
    for number in again:
        time.sleep(0.5)
        _told(cluster, number)
    left_s = cluster.keeper.wait_for_death(pid, 30) - at
    cluster.speak(latency="0.1")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), left_after=round(left_s, 1))
    own = [c for changes in cluster.stories(runs).values() for c in changes if c.pid == pid]
    assert not [c for c in own if c.is_claim and c.at > at + 0.5], "it took more after it was told"
    if not again or again == (signal.SIGTERM,):
        assert cluster.keeper.trouble[0] == "turns ended with 0"
        assert figures.extra_calls == 0, "a warm stop lets calls end"


@pytest.mark.slow
def test_row_55_a_worker_that_is_told_to_leave_from_afar_leaves_as_on_sigterm(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    runs = _busy(cluster, "2")
    pid = cluster.keeper["turns"].pid
    at = cluster.note("told", "turns", pid)
    cluster.app.control.shutdown(destination=[f"turns-{pid}@{socket.gethostname()}"])
    cluster.keeper.wait_for_death(pid, 30)
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), left_after=round(cluster.keeper.deaths[pid] - at, 1))
    assert cluster.keeper.trouble == ["turns ended with 0"]
    assert figures.extra_calls == 0


@pytest.mark.slow
def test_row_56_a_worker_that_is_told_to_leave_while_it_starts_leaves(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.keeper.drop("turns", signal.SIGKILL)
    started = time.monotonic()
    cluster.keep("turns")
    cluster.wait_ready(["turns"])
    start_s = time.monotonic() - started
    cluster.keeper.drop("turns", signal.SIGKILL)
    cluster.speak(latency="0.3")
    runs = cluster.submit(2)
    cluster.wait_for(lambda: cluster.queue_length(QUEUE_TURNS) == 6, "a backlog")
    ends = []
    for number in range(10):
        kept = cluster.keep(f"turns-{number}")
        kept.revived = False
        time.sleep(start_s * (0.6 + 0.06 * number))
        pid = kept.pid
        cluster.note("told", kept.name, pid)
        os.kill(pid, signal.SIGTERM)
        cluster.keeper.wait_for_death(pid, 20)
        ends.append(cluster.keeper.trouble[-1].rpartition(" ")[2])
    cluster.keep("turns")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), ends=" ".join(ends))
    assert set(ends) <= {"0", "-15"}, "it ended as from a fault"


def _restart(cluster: Cluster) -> None:
    cluster.kill_redis()
    cluster.wait_for(cluster.is_up, "Redis came back")


def _cut(cluster: Cluster) -> None:
    cluster.note("cut", "redis")
    assert cluster.redis.execute_command("CLIENT", "KILL", "TYPE", "normal") > 0


def _forget(cluster: Cluster) -> None:
    cluster.note("flushed", "redis")
    cluster.redis.flushall()


FAULTS = {"row-57-restarted": _restart, "row-57-cut": _cut, "row-57-flushed": _forget}
faults = pytest.mark.parametrize(
    "harm",
    [
        pytest.param(harm, id=row, marks=() if harm is _cut else pytest.mark.slow)
        for row, harm in FAULTS.items()
    ],
)


@faults
def test_a_broker_that_fails_while_consumers_wait_is_asked_again(
    cluster: Cluster, measured: dict[str, object], harm: Callable[[Cluster], None]
) -> None:
    cluster.speak(latency="0.1")
    for _ in range(3):
        time.sleep(1.5)  # every consumer waits for its lists
        harm(cluster)
    runs = cluster.submit(1)
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert not cluster.keeper.trouble
    assert figures.extra_calls == 0


@pytest.mark.slow
@faults
def test_a_broker_that_fails_while_a_batch_is_at_work_costs_nothing(
    cluster: Cluster, measured: dict[str, object], harm: Callable[[Cluster], None]
) -> None:
    runs = _busy(cluster, "2")
    harm(cluster)
    cluster.speak(latency="0.1..0.3")
    cluster.wait_for_steps(runs, "rebuttal")
    harm(cluster)
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert not cluster.keeper.trouble
    assert figures.extra_calls == 0


@pytest.mark.slow
@pytest.mark.parametrize("how", ["row-58-paused", "row-58-stopped"])
@pytest.mark.parametrize("when", ["idle", "busy"])
def test_a_broker_that_stands_still_for_a_while_costs_that_while(
    cluster: Cluster, measured: dict[str, object], how: str, when: str
) -> None:
    runs = _busy(cluster, "2") if when == "busy" else []
    if how == "row-58-paused":
        cluster.reviving = False
        cluster.note("stop", "redis")
        cluster.redis.execute_command("CLIENT", "PAUSE", int(PAUSED_S * 1000), "ALL")
        time.sleep(PAUSED_S)
        cluster.note("continue", "redis")
        cluster.reviving = True
    else:
        with cluster.redis_stopped():
            time.sleep(PAUSED_S)
    cluster.speak(latency="0.1..0.3")
    runs += cluster.submit(2)
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert not cluster.keeper.trouble
    assert figures.extra_calls == 0
    cluster.require_everybody_works()


@pytest.mark.parametrize(
    "held",
    [
        pytest.param(0, id="row-59-ordinary"),
        pytest.param(1, id="row-59-soon", marks=pytest.mark.slow),
        pytest.param(2, id="row-59-watched", marks=pytest.mark.slow),
    ],
)
def test_a_key_of_another_type_in_a_queue_s_place_ends_nobody(
    cluster: Cluster, measured: dict[str, object], held: int
) -> None:
    cluster.speak(latency="0.1..0.3")
    before = cluster.submit(1)
    cluster.wait_for_steps(before, "critique/1", "leased")
    places = [redis_lists(queue)[held] for queue in (QUEUE_TURNS, QUEUE_ORCHESTRATOR)]
    for place in places:
        cluster.redis.set(place, "no list")
    runs = before + cluster.submit(2) + cluster.submit(1, watched=True)
    time.sleep(5)
    assert cluster.redis.delete(*places) == 2
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert not cluster.keeper.trouble
    assert figures.extra_calls == 0


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_row_60_hundreds_of_turns_that_end_without_a_database_are_paid_once(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    turns, away_s = 500, 120.0
    answered = cluster.folder / f"answered-{cluster.consumer}"
    cluster.replace("turns", slots=turns)
    cluster.speak(until=str(answered))
    runs = cluster.submit(turns // 3)
    cluster.wait_for(
        lambda: len(cluster.calls_in_flight()) == turns // 3 * 3, "all calls are in flight", 180
    )
    with cluster.servers_left_alone():
        cluster.kill_postgres()
        answered.touch()
        spool = cluster.instance.state_dir / "spool"
        time.sleep(away_s)
        spooled = len(list(spool.glob("*.json")))
    settled = cluster.settle(runs, 300)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), spooled=spooled)
    assert figures.extra_calls == 0, "no holder was lost"
    assert not cluster.keeper.trouble
    assert wait_until(lambda: not list(spool.iterdir()), 60), "what was spooled was not brought in"


@pytest.mark.slow
def test_row_61_a_worker_with_one_slot_takes_one_message(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.replace("turns", slots=1)
    cluster.speak(latency="2")
    runs = cluster.submit(2)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == 1, "a call is in flight")
    assert cluster.queue_length(QUEUE_TURNS) >= 3, "it took what it has no slot for"
    cluster.speak(latency="0.1")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.extra_calls == 0
