"""Rows 24 to 27: people answer, cancel and race one another while processes and servers are down."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from datetime import datetime
from functools import partial

import pytest

from shared.errors import DecisionConflict
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import RunStatus
from shared.models.rows import DecisionRow
from shared.store.decisions import answer_decision
from shared.store.listed_decisions import list_decisions
from shared.store.runs import cancel_run
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.proxy import FreezingProxy
from tests.chaos.workload import FIX_STEPS, critique_with_patch, git, make_subject

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
SETTLE_S = 150.0


@pytest.fixture(scope="module", params=["lean", pytest.param("celery", marks=pytest.mark.slow)])
def shared_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster whose tool workers check and apply patches."""
    made = Cluster(with_tools=True, consumer=request.param)
    yield made
    made.close()


def _ask_for_decisions(cluster: Cluster, count: int, timeout_s: float | None = 3600) -> list[str]:
    """Runs that wait for a person, each with a repository of its own."""
    cluster.tell({"*": {"latency": "0.1"}, "patcher": {"text": critique_with_patch()}})
    runs = []
    for _ in range(count):
        runs += cluster.submit(
            1,
            subject=make_subject(cluster.folder),
            mode="ask",
            rounds=1,
            timeout_s=timeout_s,
            models={"ada": "patcher"},
        )
    cluster.settle(runs, SETTLE_S, waiting=True)
    assert set(cluster.statuses(runs).values()) == {RunStatus.WAITING}, cluster.explain(runs, 0)
    return runs


def _decision(cluster: Cluster, run: str) -> DecisionRow:
    return cluster.database.run(lambda c: list_decisions(c, run=run, only_open=False))[0]


def _has_come(cluster: Cluster, moment: datetime | None) -> bool:
    return bool(cluster.ask("SELECT now() >= %s AS due", moment)[0].due)


def _answer(cluster: Cluster, run: str, choice: str = "apply_fix", actor: str = "kim") -> bool:
    """Answer as `quorate decide` does: the row, then the signal. True when the broker took the signal."""
    row = _decision(cluster, run)
    answer = DecisionAnswer(choice=choice, actor=actor, channel="cli")
    cluster.database.run(
        lambda c: answer_decision(c, run, row.key, answer, row.shown_sha256), atomic=True
    )
    return cluster.signals.send(run)


def _commits(cluster: Cluster, run: str) -> int:
    """How often the run's fix was committed, in whichever repository, beside the state that was reviewed."""
    count = 0
    for place in cluster.folder.glob("repo-*"):
        for branch in git(
            place, "branch", "--list", f"*{run}*", "--format=%(refname:short)"
        ).split():
            titles = git(place, "log", "--format=%s", f"main..{branch}").splitlines()
            count += sum(not title.startswith("State under review") for title in titles)
    return count


@pytest.mark.parametrize("down", ["orchestrator", "redis", "both"])
def test_row_24_an_answer_given_while_its_readers_are_down_is_applied_once(
    cluster: Cluster, measured: dict[str, object], down: str
) -> None:
    runs = _ask_for_decisions(cluster, 1)
    with cluster.servers_left_alone():
        if down != "redis":
            cluster.keeper["orchestrator"].revived = False
            cluster.kill("orchestrator")
        if down != "orchestrator":
            cluster.kill_redis()
        took_signal = _answer(cluster, runs[0])
        assert took_signal == (down == "orchestrator")
    cluster.keeper["orchestrator"].revived = True
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=FIX_STEPS)
    measured.update(figures.told(), commits=_commits(cluster, runs[0]))
    assert measured["commits"] == 1
    assert figures.extra_calls == 0


@pytest.mark.slow
def test_row_38_a_signal_connection_that_fell_silent_delays_no_answer(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    real = cluster.instance.redis_socket
    proxy = FreezingProxy(cluster.folder / "silent", real, real.name)
    proxy.arm("XREADGROUP", asked=False)
    env = {
        "QUORATE_DATABASE_URL": cluster.endpoints.database_url,
        "QUORATE_REDIS_URL": cluster.endpoints.redis_url.replace(str(real), str(proxy.socket)),
        "QUORATE_BROKER_URL": cluster.endpoints.broker_url,
    }
    cluster.replace("orchestrator", env=env)
    cluster.wait_for(lambda: proxy.frozen, "the listener's connection is frozen")
    runs = _ask_for_decisions(cluster, 1)
    assert _answer(cluster, runs[0])
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=FIX_STEPS)
    measured.update(figures.told(), commits=_commits(cluster, runs[0]))
    cluster.keeper.drop("orchestrator", signal.SIGKILL)
    proxy.close()
    assert measured["commits"] == 1
    assert figures.extra_calls == 0


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["apply-child", "tools-worker"])
def test_a_tool_worker_killed_while_it_applies_a_fix_applies_it_once(
    cluster: Cluster, measured: dict[str, object], fault: str
) -> None:
    runs = _ask_for_decisions(cluster, 1)
    if fault == "apply-child":
        cluster.replace("tools", kill_at="tool-done")
    _answer(cluster, runs[0])
    if fault == "tools-worker":
        cluster.wait_for_steps(runs, "apply", "leased")
        cluster.kill("tools")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=FIX_STEPS)
    measured.update(figures.told(), commits=_commits(cluster, runs[0]))
    assert measured["commits"] == 1
    assert figures.kills >= 1


@pytest.mark.slow
def test_row_25_of_two_people_at_once_one_is_told_of_the_conflict(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    runs = _ask_for_decisions(cluster, 4)
    outcomes: list[str] = []
    gate = threading.Barrier(2 * len(runs))

    def answer(run: str, choice: str, actor: str) -> None:
        gate.wait()
        try:
            _answer(cluster, run, choice, actor)
            outcomes.append("recorded")
        except DecisionConflict:
            outcomes.append("conflict")

    people = [
        threading.Thread(target=answer, args=(run, choice, choice))
        for run in runs
        for choice in ("apply_fix", "skip")
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert sorted(outcomes) == ["conflict"] * len(runs) + ["recorded"] * len(runs)
    settled = cluster.settle(runs, SETTLE_S)
    measured.update(examine(cluster, runs, settle_s=settled).told(), conflicts=len(runs))
    for run in runs:
        row = _decision(cluster, run)
        assert row.answer is not None
        assert row.answer["choice"] == row.answer["actor"], "the recorded answer is one person's"
        _answer(cluster, run, row.answer["choice"])  # the same answer again is a no-op


@pytest.mark.slow
def test_row_25_an_answer_at_the_deadline_and_an_answer_to_something_else(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    runs = _ask_for_decisions(cluster, 3, timeout_s=4)
    row = _decision(cluster, runs[0])
    with pytest.raises(DecisionConflict, match="something else"):
        cluster.database.run(
            lambda c: answer_decision(
                c,
                runs[0],
                row.key,
                DecisionAnswer(choice="skip", actor="kim", channel="cli"),
                "0" * 64,
            ),
            atomic=True,
        )
    refused = 0
    assert row.deadline_at is not None
    for run in runs[1:]:  # around the deadline, where the sweeper and a person meet
        deadline = _decision(cluster, run).deadline_at
        cluster.wait_for(partial(_has_come, cluster, deadline), "the deadline")
        try:
            _answer(cluster, run)
        except DecisionConflict:
            refused += 1
    settled = cluster.settle(runs, SETTLE_S)
    measured.update(examine(cluster, runs, settle_s=settled).told(), conflicts=refused)
    assert _decision(cluster, runs[0]).state == "expired"


@pytest.mark.slow
def test_row_26_a_signal_read_by_a_listener_that_died_is_not_lost(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    runs = _ask_for_decisions(cluster, 1)
    cluster.replace("orchestrator", kill_at="signal-read")
    _answer(cluster, runs[0])
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=FIX_STEPS)
    measured.update(figures.told(), commits=_commits(cluster, runs[0]))
    assert measured["commits"] == 1
    assert figures.kills == 1


def _cancel(cluster: Cluster, run: str) -> None:
    cluster.database.run(lambda c: cancel_run(c, run, "kim"), atomic=True)


@pytest.mark.parametrize("moment", ["queued", "in-call", "at-the-barrier", "waiting"])
def test_row_27_nothing_starts_after_a_cancellation(
    cluster: Cluster, measured: dict[str, object], moment: str
) -> None:
    cluster.speak(latency="0.2")
    match moment:
        case "queued":
            runs = cluster.submit(1)  # the usual work, so that the test can see something
            with cluster.stopped("turns"):
                runs += cluster.submit(2)
                cluster.wait_for_steps(runs[1:], "critique/1", "pending", 6)
                for run in runs[1:]:
                    _cancel(cluster, run)
            cancelled = runs[1:]
        case "in-call":
            cluster.speak(until=f"{cluster.folder}/never")
            cancelled = runs = cluster.submit(2)
            cluster.wait_for(lambda: len(cluster.calls_in_flight()) >= 4, "calls are in flight")
            for run in runs:
                _cancel(cluster, run)
        case "at-the-barrier":
            # One after the other, each stage long enough for the cancellation to come before the next one ends.
            cluster.speak(latency="1")
            cancelled = runs = []
            for _ in range(2):
                runs += cluster.submit(1)
                cluster.wait_for_steps(runs[-1:], "critique/1", "done", 3)
                _cancel(cluster, runs[-1])
        case _:
            cancelled = runs = _ask_for_decisions(cluster, 1)
            _cancel(cluster, runs[0])
            with pytest.raises(DecisionConflict, match="cancelled"):
                _answer(cluster, runs[0])
    settled = cluster.settle(runs, SETTLE_S)
    cluster.wait_for(lambda: not cluster.calls_in_flight(), "calls of cancelled runs end")
    figures = examine(cluster, runs, settle_s=settled)
    measured.update(figures.told())
    assert {cluster.statuses(runs)[run] for run in cancelled} == {RunStatus.CANCELLED}


def test_a_warm_stop_of_the_tool_worker_is_quick_when_idle(cluster: Cluster) -> None:
    assert cluster.keeper.drop("tools", signal.SIGTERM, 60) < 20
