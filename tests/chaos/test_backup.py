"""A backup that is taken under load, everything killed, and the backup restored where there is nothing.

What was paid at the moment of the backup is never paid again, and every run ends once. Redis is not backed up: the new
one is empty, and the sweeper publishes what the database knows.
"""

from __future__ import annotations

import shutil
import signal
from collections import Counter

import pytest

from orchestrator.application.backup import back_up, restore
from orchestrator.embedded.servers import ensure, stop
from tests.chaos.cluster import Cluster
from tests.chaos.witness import calls_of
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(240)]


def test_runs_under_way_go_on_from_a_backup_and_nothing_that_it_holds_is_paid_again(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.1..0.6")
    runs = cluster.submit(6)
    cluster.wait_for_steps(runs, "critique/1", "done", 3)
    target = cluster.folder / "backup"
    size = back_up(cluster.environ, target)
    assert target.stat().st_mode & 0o077 == 0

    cluster.reviving = False
    for name in cluster.keeper.names():
        cluster.keeper.drop(name, signal.SIGKILL)
    cluster.kill_postgres()
    cluster.kill_redis()
    stop(cluster.instance, immediate=True)
    for folder in (cluster.instance.postgres_dir, cluster.instance.redis_dir):
        shutil.rmtree(folder)
    cluster.database.close()

    ensure(cluster.instance)
    restore(cluster.environ, target)
    assert cluster.queues() == {}
    paid = {(row.run_id, row.step) for row in cluster.ask("SELECT run_id, step FROM usage")}
    open_runs = [run for run, status in cluster.statuses(runs).items() if not status.final]
    assert open_runs, "all runs had ended before the backup"
    before = Counter((call.run, call.key) for call in calls_of(cluster, runs))

    cluster.restore()
    settled = cluster.settle(runs, 150)

    after = Counter((call.run, call.key) for call in calls_of(cluster, runs))
    again = {step for step in paid if after[step] != before[step]}
    assert again == set()
    assert max(after.values()) <= 2
    for run in runs:
        done = {
            row.key
            for row in cluster.ask(
                "SELECT key FROM steps WHERE run_id = %s AND status = 'done'", run
            )
        }
        assert done == REVIEW_STEPS
        completed = cluster.ask("SELECT status FROM runs WHERE id = %s", run)
        assert [row.status for row in completed] == ["completed"]
    measured.update(
        bytes=size,
        runs=len(runs),
        steps_paid=len(paid),
        extra_calls=sum(after.values()) - len(after),
        settle_s=round(settled, 1),
    )
