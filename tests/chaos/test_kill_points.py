"""Rows 2 to 9: a worker, a child of its pool or the orchestrator is killed at a named point of its work."""

from __future__ import annotations

import pytest

from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
SETTLE_S = 150.0

# A kill point, the calls that it costs, the responses that save one. One step at a time: the figures are exact.
POINTS = {
    "row-2-claimed-not-called": ("claimed:2", 0, 0),
    "row-4-received-not-stored": ("response-received:2", 1, 0),
    "row-5-stored-not-accepted": ("response-stored:2", 0, 1),
    "row-6-accepted-before-the-barrier": ("finished:3", 0, 0),
    "row-7-barrier-passed-nothing-published": ("barrier-passed", 0, 0),
    "row-8-body-published": ("body-published", 0, 0),
}
# Processes have Celery's consumer in any case.
WAYS = (("lean", "threads"), ("celery", "threads"), ("lean", "prefork"))
IN_EVERY_RUN_OF_CI = {
    *(("lean", "threads", row) for row in POINTS),
    ("lean", "prefork", "row-7-barrier-passed-nothing-published"),
    ("celery", "threads", "row-7-barrier-passed-nothing-published"),
}


def _cases() -> list[object]:
    return [
        pytest.param(
            consumer,
            pool,
            *POINTS[row],
            id=f"{consumer}-{pool}-{row}" if pool == "threads" else f"{pool}-{row}",
            marks=() if (consumer, pool, row) in IN_EVERY_RUN_OF_CI else pytest.mark.slow,
        )
        for consumer, pool in WAYS
        for row in POINTS
    ]


@pytest.mark.parametrize(
    ("shared_cluster", "pool", "point", "extra", "adopted"), _cases(), indirect=["shared_cluster"]
)
def test_a_worker_killed_at_a_point_loses_nothing(
    cluster: Cluster,
    measured: dict[str, object],
    pool: str,
    point: str,
    extra: int,
    adopted: int,
) -> None:
    cluster.speak(latency="0.1..0.2")
    cluster.replace("turns", pool=pool, slots=1, kill_at=point)
    runs = cluster.submit(1)
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.kills == 1, "the kill point was not reached"
    assert figures.extra_calls == extra
    # A turn's end is committed after its slot is free: the next claim may come first, and its answer is then saved.
    uncommitted = 1 if point == "claimed:2" else 0
    assert adopted <= figures.adopted <= adopted + uncommitted


def test_row_3_a_worker_killed_in_mid_call_costs_what_was_in_flight(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(until=f"{cluster.folder}/never")
    runs = cluster.submit(2)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) >= 4, "calls are in flight")
    in_flight = cluster.calls_in_flight()
    cluster.kill("turns")
    cluster.speak(latency="0.1..0.2")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert len(in_flight) <= figures.extra_calls <= 6, (
        "every call in flight is paid twice, nothing else"
    )


ADVANCES = {
    "row-9-before-the-commit": "advance-uncommitted:2",
    "row-9-after-the-commit-before-the-publish": "advance-committed:2",
    "row-9-after-the-publish": "stage-published:2",
}


@pytest.mark.parametrize(
    ("shared_cluster", "point"),
    [
        pytest.param(
            consumer,
            point,
            id=f"{consumer}-{row}",
            marks=pytest.mark.slow if consumer == "celery" else (),
        )
        for consumer in ("lean", "celery")
        for row, point in ADVANCES.items()
    ],
    indirect=["shared_cluster"],
)
def test_the_orchestrator_killed_while_it_advances_loses_nothing(
    cluster: Cluster, measured: dict[str, object], point: str
) -> None:
    cluster.speak(latency="0.1..0.2")
    cluster.replace("orchestrator", kill_at=point)
    runs = cluster.submit(2)
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.kills == 1, "the kill point was not reached"
    assert figures.extra_calls == 0
