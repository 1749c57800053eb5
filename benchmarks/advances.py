"""What an advance costs as a run grows, and those of a review: one thread, no broker, no other process.

    python -m benchmarks.advances [--steps 6 51 501] [--reviews 40]

Microseconds of this thread's processor time, medians: with kept replays, and with the whole journal replayed each time.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from orchestrator.core.replay.commands import Outcome, Workflow, single
from orchestrator.core.replay.materials import Materials
from orchestrator.embedded.servers import ensure, stop
from orchestrator.engine.advance import Engine
from orchestrator.engine.kept import MOST_BYTES
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.instance import Instance
from shared.models.outcomes import Verdict
from shared.models.run import RunSpec
from shared.models.wire import ForeignWire
from shared.store.database import Database
from shared.store.migrate import upgrade
from tests.support.driving import approving, do, keys
from tests.support.programs import turn
from tests.support.review_panel import Submission, submission

LATEST = 20


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
    start=line,
    subject=SubjectKind.CHANGE,
    parts=(),
    records=(),
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


def main() -> None:
    """Measure on servers of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, nargs="+", default=[6, 51, 501])
    parser.add_argument("--reviews", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="qb") as folder:
        environ = {f"XDG_{name}_HOME": str(Path(folder) / name) for name in ("DATA", "STATE")}
        instance = Instance.from_environment(environ)
        database = Database(ensure(instance).database_url, patience_s=10)
        upgrade(database)
        try:
            measure(database, options.steps, options.reviews)
        finally:
            database.close()
            stop(instance)


if __name__ == "__main__":
    main()
