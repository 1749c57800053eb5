"""Row 32, the random nemesis, and the negative control that shows that this suite can see a loss."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from orchestrator.embedded.processes import wait_until
from tests.chaos import naive
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.nemesis import Nemesis
from tests.chaos.processes import Kept
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(400)]
RUNS = 24
RAGE_S = 60.0
SHORT_RAGE_S = 25.0
SETTLE_S = 150.0
SEEDS = range(1, 11)
# Nothing of Quorate's works in the negative control.
LEAN = pytest.mark.parametrize("shared_cluster", ["lean"], indirect=True)


def _storm(cluster: Cluster, pool: str, seed: int, rage_s: float = RAGE_S) -> dict[str, object]:
    """24 reviews, submitted one after another under the storm; what came of them."""
    cluster.keeper.drop("turns")
    slots = 8 if pool == "threads" else 4
    for name in ("turns-1", "turns-2"):
        cluster.keep(name, pool=pool, slots=slots)
    cluster.wait_ready(["turns-1", "turns-2"])
    cluster.speak(latency="0.4..2")
    runs: list[str] = []

    def submit() -> None:
        for _ in range(RUNS):
            runs.extend(cluster.submit(1))
            time.sleep(rage_s / RUNS)

    submitter = threading.Thread(target=submit)
    submitter.start()
    nemesis = Nemesis(cluster, seed)
    nemesis.rage(rage_s)
    submitter.join()
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    assert figures.runs == RUNS
    cluster.require_everybody_works()
    told = ", ".join(f"{kind} {count}" for kind, count in sorted(nemesis.done.items()))
    return {**figures.told(), "crashes": _crashes(cluster), "faults": told}


def _crashes(cluster: Cluster) -> int:
    """Processes that ended by themselves, not by SIGKILL."""
    return sum(not line.endswith("-9") for line in cluster.keeper.trouble)


def test_row_32_a_random_nemesis_loses_nothing(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    measured.update(_storm(cluster, "threads", 4, SHORT_RAGE_S))


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("shared_cluster", "pool"),
    [("lean", "threads"), ("celery", "threads"), ("lean", "prefork")],
    indirect=["shared_cluster"],
    ids=["lean-threads", "celery-threads", "prefork"],
)
def test_row_32_seed(cluster: Cluster, measured: dict[str, object], pool: str, seed: int) -> None:
    measured.update(_storm(cluster, pool, seed))


# ---- negative control ----------------------------------------------------------------------------------------------


class Naive:
    """Plain Celery chords on the cluster's Redis and the cluster's models."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        """Databases of their own, so nothing of Quorate is in the way."""
        socket = f":{cluster.instance.password}@{cluster.instance.redis_socket}"
        self.cluster = cluster
        self.broker = redis.Redis.from_url(f"unix://{socket}?db=4", decode_responses=True)
        self.results = redis.Redis.from_url(f"unix://{socket}?db=5", decode_responses=True)
        self.folder = folder
        self._urls = (
            f"redis+socket://{socket}?virtual_host=4",
            f"socket://{socket}?virtual_host=5",
            cluster.models.base_url,
        )

    def command(self, what: str, *words: str) -> tuple[str, ...]:
        """The command line of the naive program."""
        return (sys.executable, "-P", str(Path(naive.__file__)), what, *self._urls, *words)

    def work(self, workflows: int, kill_at: str | None) -> int:
        """Submit workflows, let them run with one fault, wait until nothing moves; how many ended."""
        armed = {}
        if kill_at is not None:
            armed = {"QUORATE_KILL_AT": kill_at, "QUORATE_KILL_ONCE": str(self.folder / "killed")}
        self.cluster.keeper.keep(
            Kept(
                name="naive",
                argv=self.command("worker"),
                env=self.cluster.environ,
                log=self.cluster.folder / "naive.log",
                armed=armed,
            )
        )
        submitting = self.command("submit", str(workflows))
        subprocess.run(submitting, check=True, env=self.cluster.environ, timeout=120)
        # Of all but one it may take long until they have ended; the last one is lost when everything is at rest.
        all_but_one = workflows - 1
        wait_until(lambda: self.ended() > all_but_one or self._is_at_rest(all_but_one), 120, 0.1)
        return self.ended()

    def ended(self) -> int:
        """How many workflows came to their end."""
        return int(self.results.llen(naive.ENDED))

    def left_in_broker(self) -> int:
        """Messages that wait or that somebody has not acknowledged: what could still move a workflow."""
        waiting = int(self.broker.llen("celery"))
        return waiting + int(self.broker.hlen("unacked"))

    def _is_at_rest(self, ended: int) -> bool:
        """So many have ended; nothing waits, nothing is acknowledged late, and nothing ends, for three seconds."""
        before = self.ended()
        return before >= ended and not wait_until(
            lambda: self.left_in_broker() > 0 or self.ended() > before, 3, 0.05
        )


@pytest.fixture
def plain_chords(shared_cluster: Cluster, tmp_path: Path) -> Iterator[Naive]:
    """The negative control; its worker ends with the test."""
    shared_cluster.reviving = True
    made = Naive(shared_cluster, tmp_path)
    made.broker.flushdb()
    made.results.flushdb()
    shared_cluster.speak(latency="0.1..0.2")
    yield made
    if "naive" in shared_cluster.keeper.names():
        shared_cluster.keeper.drop("naive", grace_s=3)
    made.broker.close()
    made.results.close()


@LEAN
def test_the_negative_control_works_without_faults(plain_chords: Naive) -> None:
    assert plain_chords.work(3, None) == 3


@LEAN
@pytest.mark.parametrize("point", ["finished", "barrier-passed"])
def test_the_negative_control_loses_work_where_quorate_does_not(
    plain_chords: Naive, measured: dict[str, object], point: str
) -> None:
    """Rows 6 and 7 on plain chords: one child dies, its worker lives, and a workflow never ends."""
    ended = plain_chords.work(3, point)
    measured.update(runs=3, kills=1, lost=3 - ended)
    assert (plain_chords.folder / "killed").exists(), "the kill point was not reached"
    assert ended == 2, "plain chords lost nothing: this suite cannot see a loss"
    assert plain_chords.left_in_broker() == 0, "what is missing could still come"
    assert plain_chords.cluster.keeper["naive"].starts == 1
