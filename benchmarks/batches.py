"""How long a batch takes beside the ideal, and what somebody at a terminal notices of it.

    python -m benchmarks.batches --items 1000 --slots 64            two turn workers with that many slots together
    python -m benchmarks.batches --items 300 --storm 30             with processes and servers killed on the way

Reviews of one round by participants whose stand-in takes a second for each answer. The ideal is all turns' seconds over
the slots. The stand-in and the audit of the fault tests run on the same machine and take their share of it.
"""

from __future__ import annotations

import argparse
import json
import threading
import time

from shared.models.batches import ItemState
from tests.chaos.cluster import Cluster
from tests.chaos.invariants import examine
from tests.chaos.nemesis import Nemesis
from tests.chaos.stored_batch import StoredBatch

LATENCY_S = 1.0
WITHIN_S = 3_600.0
EVERY_S = 10.0


class Person:
    """Submits a watched review now and then; how long its first turn waited for a slot."""

    def __init__(self, cluster: Cluster) -> None:
        """Begins when it is started."""
        self._cluster = cluster
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.runs: list[str] = []
        self._thread.start()

    def _work(self) -> None:
        while not self._stop.wait(EVERY_S):
            self.runs += self._cluster.submit(1, rounds=1, watched=True)

    def stop(self) -> list[float]:
        """Seconds until the first turn of each run began."""
        self._stop.set()
        self._thread.join()
        rows = self._cluster.ask(
            "SELECT extract(epoch FROM min(s.leased_at) - r.created_at)::float AS s FROM runs r "
            "JOIN steps s ON s.run_id = r.id WHERE r.id = ANY(%s) AND s.attempts = 1 GROUP BY r.id",
            self.runs,
        )
        return sorted(row.s for row in rows if row.s is not None)


def measure(items: int, slots: int, storm_s: float) -> dict[str, object]:
    """Drain one batch; the figures."""
    cluster = Cluster()
    try:
        cluster.restore()
        cluster.keeper.drop("turns")
        names = ("turns-1", "turns-2")
        for name in names:
            cluster.keep(name, slots=slots // 2, env={"QUORATE_TURN_SLOTS": str(slots // 2)})
        cluster.wait_ready(names)
        cluster.speak(latency=f"{LATENCY_S}..{LATENCY_S}")
        began = time.monotonic()
        batch = StoredBatch(cluster, items, rounds=1)
        stored_s = time.monotonic() - began
        batch.watch()
        person, nemesis = Person(cluster), Nemesis(cluster, seed=1)
        began = time.monotonic()
        if storm_s:
            nemesis.rage(storm_s)
        batch.drain(WITHIN_S)
        drained_s = time.monotonic() - began
        waits_s = person.stop()
        batch.stop()
        return _figures(cluster, batch, slots, drained_s) | {
            "stored_s": round(stored_s, 1),
            "first_turns_of_watched_runs_s": [round(s, 2) for s in waits_s],
            "faults": dict(nemesis.done),
        }
    finally:
        cluster.close()


def _figures(
    cluster: Cluster, batch: StoredBatch, slots: int, drained_s: float
) -> dict[str, object]:
    runs = batch.runs
    [(turns,)] = cluster.ask(
        "SELECT count(*) FROM steps WHERE run_id = ANY(%s) AND kind = 'turn'", runs
    )
    figures = examine(cluster, runs)
    ideal_s = turns * LATENCY_S / slots
    return {
        "items": batch.total,
        "turns": turns,
        "slots": slots,
        "drained_s": round(drained_s, 1),
        "ideal_s": round(ideal_s, 1),
        "ratio": round(drained_s / ideal_s, 2),
        "succeeded": batch.counts()[ItemState.SUCCEEDED],
        "looks": len(batch.seen),
        "wrong_looks": len(batch.wrong),
        "calls": figures.calls,
        "extra_calls": figures.extra_calls,
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000)
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--storm", type=float, default=0.0, metavar="S")
    given = parser.parse_args()
    print(json.dumps(measure(given.items, given.slots, given.storm), indent=2))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
