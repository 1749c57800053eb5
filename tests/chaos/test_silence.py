"""Rows 33 to 37: a peer that says nothing more: connections that stay open without a word, processes that stand still.

On unix sockets no keepalive helps: the limits of the server, of the client and of the sweeper must do it.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

from orchestrator.embedded.processes import wait_until
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import Figures, examine
from tests.chaos.proxy import FreezingProxy, through
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
SETTLE_S = 90.0
A_MINUTE_S = 60.0

SWEEP_LOCK = "pg_try_advisory_xact_lock"
RUN_LOCK = "FOR NO KEY UPDATE OF r"
CLAIM = "SET status = 'leased'"
HEARTBEAT = "INSERT INTO processes"
FINISH = "counted_down AS"


@pytest.fixture
def proxy(cluster: Cluster) -> Iterator[FreezingProxy]:
    """A way to the cluster's Postgres on which one connection can be frozen."""
    made = FreezingProxy(
        cluster.folder / f"p{time.monotonic_ns()}", cluster.instance.postgres_socket
    )
    yield made
    for name in cluster.keeper.names():
        cluster.keeper.drop(name, signal.SIGKILL)
    made.close()


def _through(cluster: Cluster, proxy: FreezingProxy) -> dict[str, str]:
    return {
        "QUORATE_DATABASE_URL": through(cluster.endpoints.database_url, proxy),
        "QUORATE_REDIS_URL": cluster.endpoints.redis_url,
        "QUORATE_BROKER_URL": cluster.endpoints.broker_url,
    }


def _two_of_each(cluster: Cluster, frozen: str, proxy: FreezingProxy) -> None:
    """Two orchestrators and two turn workers; the first one named `frozen` goes through the proxy."""
    cluster.replace(frozen, env=_through(cluster, proxy))
    for name in ("orchestrator-2", "turns-2"):
        cluster.keep(name)
    cluster.wait_ready(["orchestrator-2", "turns-2"])


def _require_frozen(proxy: FreezingProxy) -> None:
    assert wait_until(lambda: proxy.frozen > 0, 60), "nothing was frozen"


def _examined(
    cluster: Cluster, runs: list[str], settled: float, measured: dict[str, object]
) -> Figures:
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    return figures


@pytest.mark.parametrize("lock", [SWEEP_LOCK, RUN_LOCK], ids=["row-33-sweep", "row-34-advance"])
def test_a_connection_frozen_with_a_lock_in_it_stops_no_recovery(
    cluster: Cluster, proxy: FreezingProxy, measured: dict[str, object], lock: str
) -> None:
    _two_of_each(cluster, "orchestrator", proxy)
    cluster.speak(latency="3")
    runs = cluster.submit(3)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == 9, "nine calls are in flight")
    proxy.arm(lock, answered=True)
    runs += cluster.submit(3)
    _require_frozen(proxy)
    cluster.keeper["turns"].revived = False
    cluster.kill("turns")
    cluster.speak(latency="0.2")
    settled = cluster.settle(runs, SETTLE_S)
    figures = _examined(cluster, runs, settled, measured)
    assert figures.take_over_s, "the dead worker held nothing"


def _cases() -> list[object]:
    """One of them in every run of CI: processes take seconds to start."""
    statements = {"row-35-claim": CLAIM, "row-36-heartbeat": HEARTBEAT, "row-37-finish": FINISH}
    return [
        pytest.param(
            statement,
            asked,
            id=f"{row}-{'answer' if asked else 'question'}-lost",
            marks=() if asked and statement is HEARTBEAT else pytest.mark.slow,
        )
        for row, statement in statements.items()
        for asked in (True, False)
    ]


@pytest.mark.parametrize(("statement", "asked"), _cases())
def test_a_worker_with_a_frozen_connection_goes_on_and_nothing_is_paid_twice(
    cluster: Cluster, proxy: FreezingProxy, measured: dict[str, object], statement: str, asked: bool
) -> None:
    cluster.replace("turns", env=_through(cluster, proxy))
    cluster.speak(latency="0.5")
    proxy.arm(statement, asked=asked)
    runs = cluster.submit(2)
    _require_frozen(proxy)
    settled = cluster.settle(runs, SETTLE_S)
    figures = _examined(cluster, runs, settled, measured)
    assert figures.extra_calls == 0
    assert not cluster.keeper.trouble


@pytest.mark.slow
def test_row_36_a_worker_none_of_whose_heartbeats_arrives_leaves_the_work_to_others(
    cluster: Cluster, proxy: FreezingProxy, measured: dict[str, object]
) -> None:
    _two_of_each(cluster, "turns", proxy)
    cluster.speak(latency="3")
    proxy.arm(HEARTBEAT, times=10**6)
    _require_frozen(proxy)
    frozen = cluster.keeper["turns"].pid
    runs = cluster.submit(6)
    settled = cluster.settle(runs, SETTLE_S)
    ended = cluster.keeper.wait_for_death(frozen, 90)
    figures = examine(cluster, runs, settle_s=settled, failures_allowed=True)
    measured.update(figures.told())
    assert ended, "the ghost went on"
    # What it had taken before its last good heartbeat was eight seconds old is all that is lost.
    assert figures.extra_calls <= 8
    rows = cluster.ask(
        "SELECT key FROM steps WHERE run_id = ANY(%s) AND failure_kind = 'dead'", runs
    )
    assert not rows, "a step was given up although a healthy worker was there"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "point"),
    [("orchestrator", "advance-uncommitted"), ("turns", "response-received")],
)
def test_a_process_that_stands_still_for_a_minute_holds_nobody_up(
    cluster: Cluster, measured: dict[str, object], name: str, point: str
) -> None:
    """The orchestrator inside its transaction, with a run locked; a worker with an answer in its hands."""
    stop = {"QUORATE_KILL_WITH": "SIGSTOP"}
    cluster.replace(name, kill_at=f"{point}:2", env=stop)
    for other in ("orchestrator-2", "turns-2"):
        cluster.keep(other)
    cluster.wait_ready(["orchestrator-2", "turns-2"])
    cluster.speak(latency="0.5..1")
    runs = cluster.submit(4)
    with cluster.frozen_at_its_point(name):
        stopped_at = time.monotonic()
        settled = cluster.settle(runs, A_MINUTE_S)
        time.sleep(max(stopped_at + A_MINUTE_S - time.monotonic(), 0))
    late = cluster.submit(2)
    cluster.settle(late, SETTLE_S)
    figures = _examined(cluster, runs + late, settled, measured)
    assert cluster.keeper[name].starts == 1, "it goes on when it wakes up"
    assert figures.extra_calls <= 8
