"""A run that somebody waits for does not wait for a batch, runs that began end first, and nobody starves."""

from __future__ import annotations

import pytest

from tests.chaos.cluster import Cluster
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]
BATCH = 40
SETTLE_S = 200.0


def test_a_watched_run_goes_before_a_batch_whose_runs_end_one_after_another(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.02")
    batch = cluster.submit(BATCH)
    cluster.wait_for_steps(batch, "critique/1", "done", 3)
    (watched,) = cluster.submit(1, watched=True)

    cluster.settle([*batch, watched], SETTLE_S)

    rows = cluster.ask(
        "SELECT r.id, (SELECT min(s.leased_at) FROM steps s WHERE s.run_id = r.id) AS began "
        "FROM runs r WHERE r.id = ANY(%s) ORDER BY r.finished_at",
        [*batch, watched],
    )
    ended = [row.id for row in rows]
    late = sorted(row.began for row in rows)[-BATCH // 4 :]
    before = cluster.ask(
        "SELECT count(*) AS n FROM runs WHERE id = ANY(%s) AND finished_at < %s", batch, late[0]
    )
    measured.update(place=ended.index(watched) + 1, ended_before_the_last_began=before[0].n)
    assert ended.index(watched) < BATCH // 2, "it waited for the batch"
    assert before[0].n > 0, "all runs advance side by side, and none ends before nearly all do"
    assert cluster.ask(
        "SELECT count(*) AS n FROM steps WHERE run_id = ANY(%s) AND status = 'done'", batch
    )[0].n == BATCH * len(REVIEW_STEPS)
