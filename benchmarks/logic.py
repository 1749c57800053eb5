"""Where a turn's processor time goes, without a broker: one thread works on whole runs, and SQL is counted apart.

    python -m benchmarks.logic [--runs 40] [--profile 40]

Microseconds of this thread's processor time a turn, medians over runs of the review and of the trivial workflow.
`sql`: everything within the pool and the driver; `logic`: the rest of an advance, and of a step from its claim to its
end. `--profile N` prints the N functions that take the most (Python's profiler, which makes small calls dearer).
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import pstats
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from benchmarks.cluster import review_spec, servers
from benchmarks.trivial import WITH_TRIVIAL, trivial_spec
from orchestrator.engine.advance import Engine
from shared.delivery.presence import Presence
from shared.delivery.serving import COLLECTED_EVERY
from shared.models.run import RunSpec
from shared.store.database import Connection, Database
from workers.turns.spool import Spool
from workers.turns.steps import StepWorker

T = TypeVar("T")
Profiler = cProfile.Profile | nullcontext[None]
PARTS = ("worker", "advance")
WARM_UP = 5


class MeteredDatabase(Database):
    """A database that knows how long this thread was in the pool and the driver: `spent_s`."""

    spent_s = 0.0

    def run(self, work: Callable[[Connection], T], **options: Any) -> T:
        """As `Database.run`; of `work` only its statements count."""
        began, logic_s = time.thread_time(), 0.0

        def counted(connection: Connection) -> T:
            nonlocal logic_s
            metered = _Metered(connection)
            started = time.thread_time()
            try:
                return work(cast(Connection, metered))
            finally:
                logic_s += time.thread_time() - started - metered.spent_s

        try:
            return super().run(counted, **options)
        finally:
            self.spent_s += time.thread_time() - began - logic_s


class _Metered:
    """A connection, or a cursor of it, whose calls are timed."""

    def __init__(self, wrapped: Any, parent: _Metered | None = None) -> None:
        self._wrapped = wrapped
        self._parent = parent or self
        self.spent_s = 0.0

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._wrapped, name)
        if not callable(attribute):
            return attribute

        def timed(*arguments: Any, **options: Any) -> Any:
            began = time.thread_time()
            try:
                result = attribute(*arguments, **options)
            finally:
                self._parent.spent_s += time.thread_time() - began
            return _Metered(result, self._parent) if name == "execute" else result

        return timed


@dataclass
class Spent:
    """Microseconds of a run by (part, kind), and its turns."""

    microseconds: dict[tuple[str, str], float] = field(default_factory=dict)
    turns: int = 0

    def add(self, part: str, kind: str, seconds: float) -> None:
        """Count more of a part."""
        at = (part, kind)
        self.microseconds[at] = self.microseconds.get(at, 0.0) + seconds * 1e6

    def a_turn(self, part: str, kind: str) -> float:
        """Microseconds for each turn of the run."""
        return self.microseconds[part, kind] / self.turns


@dataclass
class Bench:
    """An engine and a worker in this thread; with a profiler for each part that is to be looked at."""

    database: MeteredDatabase
    engine: Engine
    worker: StepWorker
    profilers: dict[str, cProfile.Profile] = field(default_factory=dict)

    def play(self, spec: RunSpec, documents: dict[str, bytes]) -> Spent:
        """A run from its first advance to its end."""
        spent, run = Spent(), self.engine.submit(spec, "benchmark", documents)
        while True:
            scheduled = self._timed(spent, "advance", lambda: self.engine.advance(run))
            if scheduled is None or not scheduled.steps:
                return spent
            for step in scheduled.steps:
                self._timed(spent, "worker", lambda step=step: self.worker.work(step.payload))  # type: ignore[misc]
                spent.turns += 1

    def _timed(self, spent: Spent, part: str, work: Callable[[], T]) -> T:
        with self.profilers.get(part) or nullcontext():
            sql_s, began = self.database.spent_s, time.thread_time()
            result = work()
            whole_s, sql_s = time.thread_time() - began, self.database.spent_s - sql_s
        spent.add(part, "sql", sql_s)
        spent.add(part, "logic", whole_s - sql_s)
        return result


def report(name: str, played: list[Spent]) -> None:
    """Medians, a turn."""
    print(f"{name}, {played[0].turns} turns, {len(played)} runs")
    for part in PARTS:
        figures = [
            (kind, statistics.median(spent.a_turn(part, kind) for spent in played))
            for kind in ("logic", "sql")
        ]
        print(f"  {part:<10}" + "".join(f"{kind:>8}{value:>8.0f}" for kind, value in figures))


def main() -> None:
    """Measure on servers of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--profile", type=int, default=0)
    options = parser.parse_args()
    loads = {"review": review_spec(critics=3, rounds=3), "trivial": trivial_spec()}
    with servers() as own, tempfile.TemporaryDirectory() as folder:
        database = MeteredDatabase(own.endpoints.database_url, patience_s=10)
        presence = Presence(own.database, "turns")
        presence.start()
        bench = Bench(
            database,
            Engine(database, WITH_TRIVIAL),
            StepWorker(database, presence, Spool(Path(folder))),
        )
        try:
            for name, load in loads.items():
                bench.profilers = {}
                for _ in range(WARM_UP):
                    bench.play(*load)
                gc.freeze()
                gc.set_threshold(COLLECTED_EVERY, 20, 20)
                if options.profile:
                    bench.profilers = {part: cProfile.Profile(time.thread_time) for part in PARTS}
                report(name, [bench.play(*load) for _ in range(options.runs)])
                for part, profiler in bench.profilers.items():
                    print(f"{name}, {part}")
                    pstats.Stats(profiler).sort_stats("tottime").print_stats(options.profile)
        finally:
            presence.stop()
            database.close()


if __name__ == "__main__":
    main()
