"""What an advance costs as a run grows, those of a review, and many at once: one thread, no broker, no other process.

    python -m benchmarks.advances [--steps 6 51 501] [--reviews 40] [--batches 1 4 16] [--runs 96]

Microseconds of this thread's processor time, medians: with kept replays, and with the whole journal replayed each time;
then those of many runs of the trivial workflow that are advanced together, also the server's, with its commits.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.trivial import WITH_TRIVIAL, trivial_spec
from orchestrator.core.replay.commands import Outcome, Workflow, single
from orchestrator.core.replay.materials import Materials
from orchestrator.embedded.servers import ensure, stop
from orchestrator.engine.advance import Engine
from orchestrator.engine.kept import MOST_BYTES
from orchestrator.engine.staging import Scheduled
from orchestrator.workflows.descriptor import SubjectKind, WorkflowLogic, WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.instance import Instance
from shared.models.outcomes import Verdict
from shared.models.run import RunSpec
from shared.models.wire import ForeignWire
from shared.store.database import Connection, Database
from shared.store.migrate import upgrade
from tests.support.driving import approving, do, keys
from tests.support.programs import turn
from tests.support.review_panel import Submission, submission

LATEST = 20
T = TypeVar("T")


class _NoOptions(ForeignWire):
    """Nothing can be chosen."""


def line(spec: RunSpec, _materials: Materials) -> Workflow:
    """As many turns as `labels["steps"]` says, one after the other."""
    for number in range(int(str(spec.labels["steps"]))):
        yield from single(turn(f"turn/{number}"))
    return Outcome(Verdict.DONE, None, "done")


LINE = WorkflowType(
    name="line",
    version=1,
    options=_NoOptions,
    logic=WorkflowLogic(line),
    subject=SubjectKind.CHANGE,
    parts=(),
    record_types=(),
)


def advances(engine: Engine, submitted: Submission) -> list[float]:
    """Microseconds of each advance of a run."""
    run = engine.submit(submitted.spec, "benchmark", submitted.documents)
    spent = []
    while True:
        began = time.thread_time()
        scheduled = engine.advance(run)
        spent.append((time.thread_time() - began) * 1e6)
        if not keys(scheduled):
            return spent
        for step in keys(scheduled):
            do(engine.database, run, step, approving)


def measure(database: Database, steps: list[int], reviews: int) -> None:
    """Print the figures; both ways take turns."""
    workflows = {**WORKFLOWS, LINE.name: LINE}
    engines = {
        "kept": Engine(database, workflows, kept_bytes=MOST_BYTES),
        "whole journal": Engine(database, workflows, kept_bytes=0),
    }
    wanted = submission()
    for count in steps:
        changes = {"workflow": LINE.name, "workflow_version": 1, "labels": {"steps": count}}
        long = Submission(wanted.spec.model_copy(update=changes), wanted.documents)
        for name, engine in engines.items():
            latest = statistics.median(advances(engine, long)[-LATEST - 1 : -1])
            print(f"a run of {count:>5} steps, {name:<14}{latest:>8.0f} an advance")
    spent: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(reviews):
        for name, engine in engines.items():
            spent[name].append(sum(advances(engine, wanted)))
    for name, figures in spent.items():
        print(f"all advances of a review, {name:<14}{statistics.median(figures):>8.0f}")


class Counting(Database):
    """Counts the transactions of advances."""

    commits = 0

    def run(self, work: Callable[[Connection], T], **how: Any) -> T:
        """As usual."""
        self.commits += bool(how.get("pipelined"))
        return super().run(work, **how)


@dataclass
class Batches:
    """Many runs of the trivial workflow, advanced `size` at a time; the rest of their work is not counted."""

    database: Counting
    working: Database
    size: int
    advances: int = 0
    here_us: list[float] = field(default_factory=list)
    server_s: float = 0.0

    def run(self, count: int) -> None:
        """From their submission to their ends."""
        engine = Engine(self.database, WITH_TRIVIAL)
        server = self.database.run(lambda connection: connection.info.backend_pid)
        spec, documents = trivial_spec()
        begun = spec.model_copy(update={"watched": True})  # they wait for no place
        runs = [engine.submit(begun, "benchmark", documents) for _ in range(count)]
        while runs:
            following = []
            for first in range(0, len(runs), self.size):
                for one in self.advanced(engine, server, runs[first : first + self.size]):
                    following += [one.run] if one.steps else []
                    for step in keys(one):
                        do(self.working, one.run, step, approving)
            runs = following

    def advanced(self, engine: Engine, server: int, runs: list[str]) -> list[Scheduled]:
        """Advance these together."""
        began_there, began = _running_s(server), time.thread_time()
        found = [one for portion in engine.advance_all(runs) for one in portion]
        self.here_us.append((time.thread_time() - began) / len(runs) * 1e6)
        self.server_s += _running_s(server) - began_there
        self.advances += len(runs)
        return found


def _running_s(process: int) -> float:
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


def measure_batches(url: str, sizes: list[int], count: int) -> None:
    """Print what an advance costs when so many are made in one transaction."""
    for size in sizes:
        batches = Batches(Counting(url, pool_size=2), Database(url, pool_size=1), size)
        batches.run(count)
        here, server = statistics.median(batches.here_us), batches.server_s / batches.advances * 1e6
        commits = batches.database.commits / batches.advances
        print(
            f"{size:>3} at once: {here:>6.0f} here, {server:>6.0f} on the server, {commits:.2f} commits an advance"
        )
        batches.database.close()
        batches.working.close()


def main() -> None:
    """Measure on servers of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=[6, 51, 501])
    parser.add_argument("--reviews", type=int, default=40)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--runs", type=int, default=96)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="qb") as folder:
        environ = {f"XDG_{name}_HOME": str(Path(folder) / name) for name in ("DATA", "STATE")}
        instance = Instance.from_environment(environ)
        url = ensure(instance).database_url
        database = Database(url, patience_s=10)
        upgrade(database)
        try:
            measure(database, options.steps, options.reviews)
            measure_batches(url, options.batches, options.runs)
        finally:
            database.close()
            stop(instance)


if __name__ == "__main__":
    main()
