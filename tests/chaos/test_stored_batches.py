"""A batch under a storm: no item is lost or doubled, and its counts are right at every moment."""

from __future__ import annotations

import pytest

from shared.models.batches import ItemState
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.nemesis import Nemesis
from tests.chaos.stored_batch import StoredBatch
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]
LEAN = pytest.mark.parametrize("shared_cluster", ["lean"], indirect=True)
ITEMS = 20
AT_ONCE = 10
RAGE_S = 12.0
SETTLE_S = 200.0


@LEAN
def test_a_batch_under_a_storm_loses_nothing_and_is_counted_right(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.keeper.drop("turns")
    for name in ("turns-1", "turns-2"):
        cluster.keep(name)
    cluster.wait_ready(["turns-1", "turns-2"])
    cluster.speak(latency="0.4..1")
    batch = StoredBatch(cluster, ITEMS, rounds=3, at_once=AT_ONCE)
    batch.watch()

    nemesis = Nemesis(cluster, seed=7)
    nemesis.rage(RAGE_S)
    settled_s = batch.drain(SETTLE_S)
    batch.stop()

    assert not batch.wrong
    assert batch.counts()[ItemState.SUCCEEDED] == ITEMS
    assert max(counts[ItemState.RUNNING] for counts in batch.seen) <= AT_ONCE
    figures = examine(cluster, batch.runs, settle_s=settled_s, steps=REVIEW_STEPS)
    measured.update(figures.__dict__, faults=dict(nemesis.done), looks=len(batch.seen))
