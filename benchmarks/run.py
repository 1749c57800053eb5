"""`make bench`: what a turn costs, what a round adds, what waiting holds. Figures, no assertions.

python -m benchmarks.run [--runs N] [--waiting N] [--json]
"""

from __future__ import annotations

import argparse
import json
import statistics
import threading
import time
from itertools import pairwise

from benchmarks.cluster import Cluster, cluster, review_spec
from benchmarks.floor import run_floor
from benchmarks.measuring import resident_mb, threads

COMPONENTS = ("workers", "orchestrator", "redis", "postgres")
TURNS_A_RUN = 8  # 3 critiques, a rebuttal, 3 critiques, a synthesis


def cost_of_a_turn(bench: Cluster, runs: int) -> dict[str, float]:
    """Many runs without model latency: processor microseconds a turn by component, turns a second."""
    spec, documents = review_spec(critics=3, rounds=3)
    bench.wait([bench.submit(spec, documents) for _ in range(20)])
    before = bench.spent()
    started = time.monotonic()
    names = [bench.submit(spec, documents) for _ in range(runs)]
    bench.wait(names)
    elapsed = time.monotonic() - started
    spent = bench.spent().since(before)
    turns = _finished_turns(bench, names)
    per_turn = {name: spent.seconds[name] / turns * 1e6 for name in COMPONENTS}
    return {
        **per_turn,
        "total": spent.total / turns * 1e6,
        "turns_per_s": turns / elapsed,
        "turns": turns,
    }


def overhead_of_a_round(bench: Cluster, rounds: int, latency_s: float) -> dict[str, float]:
    """One run after the other on idle workers: milliseconds that a round takes beyond its slowest turn."""
    spec, documents = review_spec(critics=3, rounds=3, latency_s=latency_s)
    overheads: list[float] = []
    for _ in range(rounds):
        run = bench.submit(spec, documents)
        bench.wait([run])
        overheads.extend(_gaps(bench, run, latency_s))
    overheads.sort()
    return {
        "median_ms": statistics.median(overheads) * 1e3,
        "p99_ms": overheads[int(len(overheads) * 0.99)] * 1e3,
        "rounds": len(overheads),
    }


def waiting_turns(bench: Cluster, waiting: int, latency_s: float) -> dict[str, float]:
    """Many turns at once in one worker process: its memory, and how many were really in flight at once."""
    spec, documents = review_spec(critics=10, rounds=1, latency_s=latency_s)
    worker = bench.roots["workers"]
    idle = resident_mb(worker)
    before = bench.spent()
    peak = {"rss": idle, "leased": 0.0, "threads": 0.0}
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            peak["rss"] = max(peak["rss"], resident_mb(worker))
            peak["threads"] = max(peak["threads"], threads(worker))
            with bench.database.connection() as connection:
                row = connection.execute(
                    "SELECT count(*) AS held FROM steps WHERE status = 'leased'"
                ).fetchone()
            peak["leased"] = max(peak["leased"], row.held if row else 0)

    watcher = threading.Thread(target=watch)
    watcher.start()
    started = time.monotonic()
    bench.wait([bench.submit(spec, documents) for _ in range(waiting // 10)])
    elapsed = time.monotonic() - started
    over.set()
    watcher.join()
    spent = bench.spent().since(before)
    return {
        "turns": waiting,
        "seconds": elapsed,
        "idle_mb": idle,
        "peak_mb": peak["rss"],
        "kb_per_waiting_turn": (peak["rss"] - idle) * 1e3 / max(peak["leased"], 1),
        "in_flight_at_once": peak["leased"],
        "threads": peak["threads"],
        "processor_s": spent.total,
    }


def _finished_turns(bench: Cluster, runs: list[str]) -> int:
    with bench.database.connection() as connection:
        row = connection.execute(
            "SELECT count(*) AS done FROM steps WHERE run_id = ANY(%s) AND status = 'done'", (runs,)
        ).fetchone()
    return int(row.done) if row else 0


def _gaps(bench: Cluster, run: str, latency_s: float) -> list[float]:
    """From the end of one stage to the end of the next one, less the latency of its turns."""
    with bench.database.connection() as connection:
        rows = connection.execute(
            "SELECT extract(epoch FROM max(finished_at))::float AS ended FROM steps WHERE run_id = %s "
            "GROUP BY round, role ORDER BY ended",
            (run,),
        ).fetchall()
    ends = [row.ended for row in rows]
    return [later - earlier - latency_s for earlier, later in pairwise(ends)]


def main() -> None:
    """Run everything and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--waiting", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with cluster(slots=max(1000, options.waiting)) as bench:
        idle = overhead_of_a_round(bench, rounds=12, latency_s=0.2)
        drained = waiting_turns(bench, options.waiting, latency_s=1.0)
        waiting = waiting_turns(bench, options.waiting, latency_s=15.0)
        turn = cost_of_a_turn(bench, options.runs)
        floor = run_floor(bench, turns=4000)
    with cluster(slots=1000, QUORATE_ACKS="late") as bench:
        late = cost_of_a_turn(bench, options.runs)
    figures = {
        "late_acks": late,
        "turn": turn,
        "floor": floor,
        "round": idle,
        "drained": drained,
        "waiting": waiting,
    }
    figures["times_the_floor"] = {"total": turn["total"] / floor["total"]}
    if options.json:
        print(json.dumps(figures, indent=1))
        return
    print("processor time a turn, microseconds (no model latency)")
    for name in COMPONENTS:
        print(f"  {name:<13}{turn[name]:>8.0f}")
    print(
        f"  {'all':<13}{turn['total']:>8.0f}   {turn['turns_per_s']:.0f} turns/s over {turn['turns']:.0f} turns"
    )
    print(
        f"the plain floor  {floor['total']:>5.0f}   {floor['turns_per_s']:.0f} turns/s "
        f"(worker {floor['worker']:.0f}, redis {floor['redis']:.0f}, postgres {floor['postgres']:.0f})"
    )
    print(
        f"the same with late acknowledgements: {late['total']:.0f} a turn "
        f"({late['total'] / turn['total']:.2f} times), {late['turns_per_s']:.0f} turns/s"
    )
    print(f"times the floor  {turn['total'] / floor['total']:>5.2f}")
    print(
        f"a round beyond its slowest turn, idle: median {idle['median_ms']:.1f} ms, "
        f"99th percentile {idle['p99_ms']:.1f} ms ({idle['rounds']:.0f} rounds)"
    )
    print(
        f"{drained['turns']:.0f} turns of 1 s in one worker process: all done after {drained['seconds']:.1f} s "
        f"({drained['in_flight_at_once']:.0f} in flight at most: they end as fast as they are taken)"
    )
    print(
        f"{waiting['turns']:.0f} turns of 15 s in one worker process: "
        f"{waiting['in_flight_at_once']:.0f} in flight at once, "
        f"{waiting['threads']:.0f} threads,"
    )
    print(
        f"  memory {waiting['idle_mb']:.0f} -> {waiting['peak_mb']:.0f} MB "
        f"({waiting['kb_per_waiting_turn']:.0f} kB a waiting turn)"
    )


if __name__ == "__main__":
    main()
