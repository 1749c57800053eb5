"""Where a turn's processor time goes, without a broker: whole runs in one process, and SQL is counted apart.

    python -m benchmarks.logic [--runs 40] [--together 1 16] [--profile 40]

Microseconds of this process's processor time a turn, medians over runs of the review and of the trivial workflow, of
which so many are worked on together: advanced in one transaction, claimed with one statement.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeVar, cast

import psycopg

from benchmarks.cluster import review_spec, servers
from benchmarks.trivial import WITH_TRIVIAL, trivial_spec
from orchestrator.engine.advance import Engine
from orchestrator.engine.staging import Scheduled
from shared.collector import COLLECTED_EVERY
from shared.delivery.contracts import StepPayload
from shared.delivery.presence import Presence
from shared.models.run import RunSpec
from shared.store.database import Connection, Database
from workers.turns.spool import Spool
from workers.turns.steps import HeldStep, StepWorker
from workers.turns.turn import TurnWorker

T = TypeVar("T")
PARTS = ("worker", "advance")
WARM_UP = 5


class MeteredDatabase(Database):
    """A database that knows how long threads were in the pool and the driver: `spent_s`."""

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
        return self._timed(attribute) if callable(attribute) else attribute

    def __iter__(self) -> Iterator[Any]:
        return iter(self._timed(self._wrapped.fetchall)())

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            began = time.thread_time()
            try:
                result = call(*arguments, **options)
            finally:
                self._parent.spent_s += time.thread_time() - began
            return _Metered(result, self._parent) if isinstance(result, psycopg.Cursor) else result

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

    def play(self, spec: RunSpec, documents: dict[str, bytes], together: int = 1) -> Spent:
        """So many runs, from their first advance to their end."""
        spent = Spent()
        runs = [self.engine.submit(spec, "benchmark", documents) for _ in range(together)]
        while runs:
            scheduled = self._timed(spent, "advance", partial(self._advance, runs))
            payloads = [step.payload for stage in scheduled for step in stage.steps]
            self._timed(spent, "worker", partial(self._work, payloads))
            spent.turns += len(payloads)
            runs = [stage.run for stage in scheduled if stage.steps]
        return spent

    def _advance(self, runs: Sequence[str]) -> list[Scheduled]:
        return [stage for portion in self.engine.advance_all(runs) for stage in portion]

    def _work(self, payloads: Sequence[StepPayload]) -> None:
        taken = self.worker.take(payloads) if payloads else ()
        ended = [self.worker.perform(step) for step in taken if isinstance(step, HeldStep)]
        assert len(ended) == len(payloads)
        for receipt in ended:
            receipt.result()

    def _timed(self, spent: Spent, part: str, work: Callable[[], T]) -> T:
        with self.profilers.get(part) or nullcontext():
            sql_s, began = self.database.spent_s, time.process_time()
            result = work()
            whole_s, sql_s = time.process_time() - began, self.database.spent_s - sql_s
        spent.add(part, "sql", sql_s)
        spent.add(part, "logic", whole_s - sql_s)
        return result


def report(name: str, played: list[Spent]) -> None:
    """Medians, a turn."""
    print(name)
    for part in PARTS:
        figures = [
            (kind, statistics.median(spent.a_turn(part, kind) for spent in played))
            for kind in ("logic", "sql")
        ]
        print(f"  {part:<10}" + "".join(f"{kind:>8}{value:>8.0f}" for kind, value in figures))


def measure(bench: Bench, options: argparse.Namespace) -> None:
    """Print the figures."""
    loads = {"review": review_spec(critics=3, rounds=3), "trivial": trivial_spec()}
    for (name, load), together in product(loads.items(), options.together):
        bench.profilers = {}
        for _ in range(WARM_UP):
            bench.play(*load, together)
        gc.freeze()
        gc.set_threshold(COLLECTED_EVERY, 20, 20)
        if options.profile:
            bench.profilers = {part: cProfile.Profile(time.thread_time) for part in PARTS}
        rounds = max(1, options.runs // together)
        played = [bench.play(*load, together) for _ in range(rounds)]
        report(f"{name}, {together} together, {rounds} times", played)
        for part, profiler in bench.profilers.items():
            print(f"{name}, {part}")
            pstats.Stats(profiler).sort_stats("tottime").print_stats(options.profile)


def main() -> None:
    """Measure on servers of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--together", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--profile", type=int, default=0)
    with servers() as own, tempfile.TemporaryDirectory() as folder:
        database = MeteredDatabase(own.endpoints.database_url, patience_s=10)
        presence = Presence(own.database, "turns")
        presence.start()
        worker = StepWorker(TurnWorker(database), presence, Spool(Path(folder)))
        try:
            measure(Bench(database, Engine(database, WITH_TRIVIAL), worker), parser.parse_args())
        finally:
            worker.close()
            presence.stop()
            database.close()


if __name__ == "__main__":
    main()
