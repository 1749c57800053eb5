"""Rows 50 to 54: what is taken, paid, ended or advanced together is lost together, and costs what was in flight."""

from __future__ import annotations

import signal
import time
from collections.abc import Sequence
from contextlib import nullcontext

import pytest

from shared.delivery.contracts import QUEUE_ORCHESTRATOR, QUEUE_TURNS
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import Figures, examine
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
SETTLE_S = 150.0
RUNS = 4
CRITICS = 3
TOGETHER = RUNS * CRITICS
"""First turns of all runs: what one worker takes at once."""

KILLED = pytest.param("SIGKILL", id="killed")
FROZEN = pytest.param("SIGSTOP", id="frozen", marks=pytest.mark.slow)
LEAN = pytest.mark.parametrize("shared_cluster", ["lean"], indirect=True)


def _examined(cluster: Cluster, runs: Sequence[str], measured: dict[str, object]) -> Figures:
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    return figures


def _armed(cluster: Cluster, name: str, point: str, how: str) -> int:
    """Start a process that meets its end, or stands still, at a point; its pid. Others are there to take over."""
    env = {"QUORATE_KILL_WITH": how}
    return cluster.keep(name, slots=TOGETHER, kill_at=point, env=env).pid


def _met(cluster: Cluster, name: str, pid: int, how: str) -> object:
    """What happens at the point: a death, or a standstill that lasts for the block."""
    if how == "SIGSTOP":
        return cluster.frozen_at_its_point(name)
    cluster.keeper.wait_for_death(pid, 60)
    return nullcontext()


def _count(cluster: Cluster, sql: str, runs: Sequence[str]) -> int:
    (row,) = cluster.ask(sql, list(runs))
    return int(row.n)


LEASED = "SELECT count(*) AS n FROM steps WHERE run_id = ANY(%s) AND status = 'leased'"
PAID = "SELECT count(*) AS n FROM usage WHERE run_id = ANY(%s)"
DONE = "SELECT count(*) AS n FROM steps WHERE run_id = ANY(%s) AND status = 'done'"
BEYOND = "SELECT count(DISTINCT run_id) AS n FROM steps WHERE run_id = ANY(%s) AND key NOT LIKE 'critique/1/%%'"
UNLOCKED = (
    "WITH free AS (SELECT id FROM runs WHERE id = ANY(%s) FOR NO KEY UPDATE SKIP LOCKED) "
    "SELECT count(*) AS n FROM free"
)


def _backlog(cluster: Cluster) -> list[str]:
    """Runs whose first turns wait in the queue, all of them, and no worker."""
    cluster.speak(latency="0.1..0.2")
    cluster.keeper.drop("turns", signal.SIGKILL)
    runs = cluster.submit(RUNS)
    cluster.wait_for(lambda: cluster.queue_length(QUEUE_TURNS) == TOGETHER, "a backlog")
    return runs


@LEAN
@pytest.mark.parametrize("how", [KILLED, FROZEN])
def test_row_50_a_batch_that_was_popped_and_not_claimed_is_published_again(
    cluster: Cluster, measured: dict[str, object], how: str
) -> None:
    runs = _backlog(cluster)
    pid = _armed(cluster, "turns", "popped", how)
    with _met(cluster, "turns", pid, how):
        assert cluster.queue_length(QUEUE_TURNS) == 0, "it took one by one"
        assert _count(cluster, LEASED, runs) == 0
        if how == "SIGSTOP":
            cluster.keep("turns-2")
            cluster.wait_for_steps(runs, "rebuttal", count=RUNS)
    figures = _examined(cluster, runs, measured)
    assert figures.kills == 1
    assert figures.extra_calls == 0


@LEAN
@pytest.mark.slow
@pytest.mark.parametrize("how", [KILLED, FROZEN])
def test_row_51_a_batch_that_was_claimed_and_not_begun_is_taken_over(
    cluster: Cluster, measured: dict[str, object], how: str
) -> None:
    runs = _backlog(cluster)
    pid = _armed(cluster, "turns", "claimed", how)
    with _met(cluster, "turns", pid, how):
        assert _count(cluster, LEASED, runs) == TOGETHER, "it claimed one by one"
        if how == "SIGSTOP":
            cluster.keep("turns-2")
            cluster.wait_for_steps(runs, "rebuttal", count=RUNS)
    figures = _examined(cluster, runs, measured)
    assert figures.kills == 1
    assert figures.extra_calls == 0


@pytest.mark.parametrize("how", [KILLED, FROZEN])
@pytest.mark.parametrize(
    "point",
    [
        pytest.param("answers-gathered", id="row-52-answers-gathered-not-committed"),
        pytest.param("ends-gathered", id="row-53-ends-gathered-not-committed"),
        pytest.param(
            "finished", id="row-53-ends-committed-nothing-published", marks=pytest.mark.slow
        ),
    ],
)
def test_what_was_gathered_and_not_committed_costs_no_more_than_its_own_calls(
    cluster: Cluster, measured: dict[str, object], point: str, how: str
) -> None:
    """All answers come at the same moment, and the point is met with the first of them that are gathered."""
    answered = cluster.folder / f"answered-{point}-{how}-{cluster.consumer}"
    cluster.speak(until=str(answered))
    cluster.keeper.drop("turns", signal.SIGKILL)
    pid = _armed(cluster, "turns", point, how)
    runs = cluster.submit(RUNS)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == TOGETHER, "all calls are in flight")
    answered.touch()
    with _met(cluster, "turns", pid, how):
        time.sleep(1)  # a statement that was on its way is committed all the same
        paid, done = _count(cluster, PAID, runs), _count(cluster, DONE, runs)
        if how == "SIGSTOP":
            cluster.keep("turns-2")
            cluster.wait_for_steps(runs, "rebuttal", count=RUNS)
    figures = _examined(cluster, runs, measured)
    measured.update(paid=paid, done=done)
    assert figures.kills == 1
    assert figures.extra_calls == TOGETHER - paid, "what was stored is not paid again, all else is"
    assert paid == 0 or point != "answers-gathered"
    assert done == 0 or point == "finished"


@pytest.mark.parametrize("how", [KILLED, FROZEN])
@pytest.mark.parametrize(
    ("point", "beyond"),
    [
        pytest.param("advance-uncommitted:3", 0, id="row-54-in-the-middle-of-their-commit"),
        pytest.param("advance-committed:3", RUNS, id="row-54-committed-nothing-published"),
        pytest.param("stage-published:3", RUNS, id="row-54-published", marks=pytest.mark.slow),
    ],
)
def test_an_advance_of_many_runs_is_done_for_all_of_them_or_for_none(
    cluster: Cluster, measured: dict[str, object], point: str, beyond: int, how: str
) -> None:
    """Their barriers pass while there is no orchestrator; the next one finds them all in its queue."""
    answered = cluster.folder / f"answered-{point}-{how}-{cluster.consumer}"
    cluster.speak(until=str(answered))
    cluster.replace("turns", slots=TOGETHER)
    runs = cluster.submit(RUNS)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == TOGETHER, "all calls are in flight")
    cluster.keeper.drop("orchestrator", signal.SIGKILL)
    answered.touch()
    cluster.wait_for(
        lambda: cluster.queue_length(QUEUE_ORCHESTRATOR) == RUNS, "every barrier has passed"
    )
    pid = _armed(cluster, "orchestrator", point, how)
    with _met(cluster, "orchestrator", pid, how):
        advanced = _count(cluster, BEYOND, runs)
        if cluster.consumer == "lean":
            assert advanced == beyond, "they were not advanced in one transaction"
        if how == "SIGSTOP":
            if point.startswith("advance-uncommitted") and cluster.consumer == "lean":
                assert _count(cluster, UNLOCKED, runs) == 0, "not all of them are held"
            cluster.keep("orchestrator-2")
            cluster.settle(runs, SETTLE_S)
    figures = _examined(cluster, runs, measured)
    measured.update(advanced=advanced)
    assert figures.kills == 1
    assert figures.extra_calls == 0
