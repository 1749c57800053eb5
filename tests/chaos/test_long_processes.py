"""Rows 10, 11, 22, 23, 28, 29 and 31: processes that stop, leave, dawdle, double, poison and disagree on the time."""

from __future__ import annotations

import os
import signal
import time

import pytest

from tests.chaos.cluster import Cluster, Repeated
from tests.chaos.invariants import examine
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(240)]
SETTLE_S = 60.0


def test_row_10_a_process_that_was_frozen_and_wakes_up_writes_nothing(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="4")
    runs = cluster.submit(2)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == 6, "six calls are in flight")
    with cluster.stopped("turns"):
        cluster.keep("turns-2")
        taken = "SELECT count(*) AS n FROM steps WHERE run_id = ANY(%s) AND status = 'leased' AND token = 2"
        cluster.wait_for(lambda: cluster.ask(taken, runs)[0].n == 6, "others took over")
    # It wakes up with six answers in its sockets, and each of its steps is in somebody else's hands.
    cluster.wait_for_steps(runs, "rebuttal")
    cluster.speak(latency="0.2")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert cluster.keeper["turns"].starts == 1
    assert figures.extra_calls == 6


@pytest.mark.parametrize("pool", ["threads", "prefork"])
@pytest.mark.parametrize("how", ["SIGTERM", "SIGTERM-then-SIGKILL", "SIGQUIT"])
def test_row_11_a_worker_that_is_told_to_leave_in_mid_call(
    cluster: Cluster, measured: dict[str, object], pool: str, how: str
) -> None:
    cluster.replace("turns", pool=pool, slots=6)
    cluster.speak(latency="3")
    runs = cluster.submit(2)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == 6, "six calls are in flight")
    pid = cluster.keeper["turns"].pid
    cluster.note("told", "turns", pid)
    os.kill(pid, signal.SIGQUIT if how == "SIGQUIT" else signal.SIGTERM)
    if how == "SIGTERM-then-SIGKILL":
        time.sleep(1)
        cluster.kill("turns")
    left_s = cluster.keeper.wait_for_death(pid, 30) - cluster.faults[0].at
    cluster.speak(latency="0.1..0.3")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), left_after=round(left_s, 1))
    if how == "SIGTERM":
        assert figures.extra_calls == 0, "a warm stop lets calls end"


def test_row_22_late_and_reordered_advances_change_nothing(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    runs = cluster.submit(3)

    def wake_everybody() -> None:
        for run in runs:
            cluster.signals.send(run)

    with Repeated(wake_everybody, 0.05):
        settled = cluster.settle(runs, SETTLE_S)
        time.sleep(1)
    measured.update(examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS).told())


def test_row_23_turns_of_twenty_seconds_are_asked_once(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.keep("turns-2")
    cluster.tell({"*": {"latency": "0.1"}, "ada": {"latency": "20"}})
    runs = cluster.submit(2)
    settled = cluster.settle(runs, 120)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.calls == figures.steps


def test_row_28_a_step_that_kills_whoever_takes_it_is_given_up_and_others_go_on(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.replace("turns", pool="prefork", slots=4)
    cluster.tell({"*": {"latency": "0.2"}, "poison": {"latency": "5"}})
    runs = cluster.submit(1, models={"cyd": "poison"}) + cluster.submit(3)
    killed: set[int] = set()

    def kill_the_holder() -> None:
        for row in cluster.ask(
            "SELECT owner FROM steps WHERE run_id = %s AND key = 'critique/1/cyd' AND status = 'leased'",
            runs[0],
        ):
            pid = int(row.owner.split(":")[1])
            if pid not in killed:
                killed.add(pid)
                cluster.kill_pid("turns", pid)

    with Repeated(kill_the_holder, 0.2):
        healthy = cluster.settle(runs[1:], SETTLE_S)
        cluster.wait_for_steps(runs[:1], "critique/1/cyd", "failed")
    settled = cluster.settle(runs, SETTLE_S)
    examine(cluster, runs[1:], settle_s=healthy, steps=REVIEW_STEPS)
    figures = examine(cluster, runs, settle_s=settled, failures_allowed=True)
    measured.update(figures.told(), healthy_s=round(healthy, 1))
    rows = cluster.ask(
        "SELECT attempts, failure_kind FROM steps WHERE run_id = %s AND key = 'critique/1/cyd'",
        runs[0],
    )
    assert (rows[0].attempts, rows[0].failure_kind) == (3, "dead")


@pytest.mark.parametrize(
    "wish",
    [
        {"fault": "429", "times": 1},
        {"fault": "500", "times": 2},
        {"fault": "reset", "times": 1},
        {"fault": "hang"},
        {"fault": "drip"},
        {"fault": "garbage"},
        {"size": 10_000_000},
    ],
    ids=lambda wish: "-".join(str(word) for word in wish.values()),
)
def test_row_28_a_participant_that_misbehaves_stops_nobody(
    cluster: Cluster, measured: dict[str, object], wish: dict[str, object]
) -> None:
    cluster.tell({"*": {"latency": "0.1"}, "bad": wish})
    runs = cluster.submit(2, models={"cyd": "bad"}, turn_timeout_s=4)
    settled = cluster.settle(runs, SETTLE_S)
    rows = cluster.ask(
        "SELECT key, status, failure_kind FROM steps WHERE run_id = ANY(%s) AND status <> 'done'",
        runs,
    )
    assert all(row.key.endswith("/cyd") for row in rows), rows
    kinds = sorted({row.failure_kind for row in rows})
    measured.update(runs=len(runs), failed=",".join(kinds), **{"settle s": round(settled, 1)})
    log = (cluster.folder / "turns.log").read_text()
    assert "step.bug" not in log, log[log.index("step.bug") - 200 :][:2000]


def test_row_29_two_orchestrators_sweep_and_advance_side_by_side(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.keep("orchestrator-2")
    cluster.keep("turns-2")
    cluster.wait_ready(["orchestrator-2", "turns-2"])
    answered = cluster.folder / f"answered-29-{cluster.consumer}"
    cluster.speak(latency="0.5..1", until=str(answered))
    runs = cluster.submit(6)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) >= 6, "calls are in flight")
    cluster.kill("turns-2")
    answered.touch()
    settled = cluster.settle(runs, SETTLE_S)
    measured.update(examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS).told())


@pytest.mark.parametrize("shift_s", [-3600, 3600])
def test_row_31_a_worker_with_a_wrong_clock_holds_and_loses_steps_like_any_other(
    cluster: Cluster, measured: dict[str, object], shift_s: int
) -> None:
    """Without faketime: a sitecustomize module shifts what Python says the time is."""
    place = cluster.folder / f"shifted{shift_s}"
    place.mkdir()
    (place / "sitecustomize.py").write_text(
        "import time\n_now, _ns = time.time, time.time_ns\n"
        f"time.time = lambda: _now() + {shift_s}\ntime.time_ns = lambda: _ns() + {shift_s} * 10**9\n"
    )
    cluster.replace("turns", env={"PYTHONPATH": str(place)})
    answered = place / f"answered-{cluster.consumer}"
    cluster.speak(latency="1", until=str(answered))
    runs = cluster.submit(2)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == 6, "six calls are in flight")
    cluster.kill("turns")
    answered.touch()
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.extra_calls == 6, "take-over counts on the database's clock alone"
