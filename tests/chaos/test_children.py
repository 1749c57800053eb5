"""Rows 45 to 49: runs that started others die with their processes, are cancelled, have no time or money left."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from shared.models.outcomes import RunStatus
from shared.models.run import Budget
from shared.store.runs import cancel_run
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
PROGRAM = Path(__file__).with_name("small_orchestrator.py")
SETTLE_S = 150.0


@pytest.fixture
def family(cluster: Cluster) -> Cluster:
    """The cluster with an orchestrator that knows the run with two reviews below it."""
    cluster.replace("orchestrator", program=PROGRAM)
    cluster.speak(latency="0.1..0.2")
    return cluster


def submit(cluster: Cluster, workflow: str = "supervisor", **options: object) -> str:
    (parent,) = cluster.submit(1, workflow=workflow, **options)
    return parent


def children(cluster: Cluster, parent: str) -> list[str]:
    rows = cluster.ask("SELECT id FROM runs WHERE parent_run = %s ORDER BY created_at, id", parent)
    return [row.id for row in rows]


def summary(cluster: Cluster, parent: str) -> str:
    (row,) = cluster.ask("SELECT outcome->>'summary' AS summary FROM runs WHERE id = %s", parent)
    return str(row.summary)


def wait_for_children(cluster: Cluster, parent: str) -> list[str]:
    cluster.wait_for(lambda: len(children(cluster, parent)) == 2, "both child runs are there")
    return children(cluster, parent)


@pytest.mark.parametrize(
    ("point", "times"),
    [
        pytest.param("advance-uncommitted", 1, id="row-45-before-the-commit-of-the-children"),
        pytest.param("child-committed", 1, id="row-45-children-committed-not-published"),
        pytest.param("child-ended", 1, id="row-46-the-last-child-ended-nobody-told"),
    ],
)
def test_the_orchestrator_killed_between_a_run_and_its_children_loses_neither(
    cluster: Cluster, measured: dict[str, object], point: str, times: int
) -> None:
    cluster.speak(latency="0.1..0.2")
    cluster.replace("orchestrator", program=PROGRAM, kill_at=f"{point}:{times}")
    parent = submit(cluster)
    settled = cluster.settle([parent], SETTLE_S)
    runs = children(cluster, parent)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.kills == 1, "the kill point was not reached"
    assert figures.extra_calls == 0
    assert len(runs) == 2
    assert summary(cluster, parent) == "completed, completed"


def cancelled_at(cluster: Cluster, parent: str) -> float:
    (row,) = cluster.ask(
        "SELECT extract(epoch FROM at)::float AS at FROM events WHERE run_id = %s AND type = 'run.cancelled'",
        parent,
    )
    return float(row.at)


def claims(cluster: Cluster, runs: Sequence[str]) -> list[float]:
    changes = (change for story in cluster.stories(runs).values() for change in story)
    return [change.at for change in changes if change.is_claim]


@pytest.mark.parametrize("moment", ["queued", "in-call", "waiting"])
def test_row_47_nothing_starts_below_a_run_that_was_cancelled(
    family: Cluster, measured: dict[str, object], moment: str
) -> None:
    usual = family.submit(1)  # so that the test can see something
    match moment:
        case "queued":
            family.settle(usual, SETTLE_S)
            with family.stopped("turns"):
                parent = submit(family)
                runs = wait_for_children(family, parent)
                family.wait_for_steps(runs, "critique/1", "pending", 6)
                family.database.run(lambda c: cancel_run(c, parent, "kim"), atomic=True)
        case "in-call":
            family.settle(usual, SETTLE_S)
            family.speak(until=f"{family.folder}/never")
            parent = submit(family)
            runs = wait_for_children(family, parent)
            family.wait_for(lambda: len(family.calls_in_flight()) >= 4, "calls are in flight")
            family.database.run(lambda c: cancel_run(c, parent, "kim"), atomic=True)
        case _:
            family.settle(usual, SETTLE_S)
            parent = submit(family, "boss", labels={"child": "asking"})
            family.wait_for(lambda: children(family, parent), "the child run is there")
            runs = children(family, parent)
            family.settle(runs, SETTLE_S, waiting=True)
            family.database.run(lambda c: cancel_run(c, parent, "kim"), atomic=True)
    settled = family.settle([parent, *runs], SETTLE_S)
    family.wait_for(lambda: not family.calls_in_flight(), "calls of cancelled runs end")
    figures = examine(family, [*usual, *runs], settle_s=settled)
    measured.update(figures.told())
    ended = family.statuses([parent, *runs])
    assert set(ended.values()) == {RunStatus.CANCELLED}
    assert not [at for at in claims(family, runs) if at > cancelled_at(family, parent)]


def test_row_48_a_parent_s_deadline_is_its_children_s(
    family: Cluster, measured: dict[str, object]
) -> None:
    family.speak(until=f"{family.folder}/never")
    parent = submit(family, budget=Budget(max_seconds=8.0))
    runs = wait_for_children(family, parent)
    settled = family.settle([parent, *runs], 60.0)
    family.wait_for(lambda: not family.calls_in_flight(), "calls of ended runs end")
    measured["settle s"] = round(settled, 1)
    assert set(family.statuses([parent, *runs]).values()) == {RunStatus.COMPLETED}
    assert summary(family, parent) == "completed, completed"
    rows = family.ask(
        "SELECT DISTINCT failure_kind AS kind FROM steps WHERE run_id = ANY(%s) AND key LIKE 'critique/1%%'",
        runs,
    )
    assert {row.kind for row in rows} == {"deadline"}


def test_row_49_children_share_the_last_calls_of_a_budget(
    family: Cluster, measured: dict[str, object]
) -> None:
    parent = submit(family, budget=Budget(max_calls=5))
    runs = wait_for_children(family, parent)
    settled = family.settle([parent, *runs], SETTLE_S)
    (row,) = family.ask("SELECT count(*) AS calls FROM usage WHERE run_id = ANY(%s)", runs)
    measured.update({"calls": row.calls, "settle s": round(settled, 1)})
    assert row.calls == 5, "all of the budget, and no call more"
    assert summary(family, parent) == "completed, completed"
