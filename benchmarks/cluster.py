"""Real servers and real worker processes for a benchmark, ended with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from benchmarks.measuring import Spent, processor_time
from orchestrator.embedded.servers import ensure, status, stop
from orchestrator.engine.advance import Engine
from orchestrator.settings.builtin_prompts import load
from orchestrator.workflows.registry import WORKFLOWS
from orchestrator.workflows.review.options import ReviewOptions
from shared.delivery.signals import Signals
from shared.instance import Endpoints, Instance
from shared.models.panel import Panel, Participant
from shared.models.run import Budget, DecisionPolicy, RunSpec
from shared.models.subject import FileChange, LineRange, Subject
from shared.store.database import Database
from shared.store.documents import address
from shared.store.migrate import upgrade

DIFF = """diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -1,2 +1,4 @@
 def total(values):
-    return sum(values)
+    result = 0
+    for value in values:
+        result += value
+    return result
"""
FINDING: dict[str, JsonValue] = {
    "title": "The loop repeats what sum() does",
    "detail": "sum() is shorter and faster",
    "severity": "MINOR",
    "place": {"path": "app.py", "line": 2},
    "quote": "for value in values:",
}


@dataclass
class Cluster:
    """The processes of one benchmark."""

    endpoints: Endpoints
    database: Database
    engine: Engine
    signals: Signals
    roots: dict[str, int]

    def spent(self) -> Spent:
        """Processor seconds so far, by component."""
        return processor_time(self.roots)

    def submit(self, spec: RunSpec, documents: dict[str, bytes]) -> str:
        """Start a run as the command line does: the row, then the signal."""
        run = self.engine.submit(spec, "benchmark", documents)
        self.signals.send(run)
        return run

    def wait(self, runs: Sequence[str], timeout_s: float = 300.0) -> float:
        """Seconds until all runs are final."""
        started = time.monotonic()
        while time.monotonic() - started < timeout_s:
            with self.database.connection() as connection:
                row = connection.execute(
                    "SELECT count(*) AS open FROM runs WHERE id = ANY(%s) AND status NOT IN ('completed', 'blocked')",
                    (list(runs),),
                ).fetchone()
            if row is not None and row.open == 0:
                return time.monotonic() - started
            time.sleep(0.02)
        raise TimeoutError(f"{len(runs)} runs did not end within {timeout_s} s")


@contextmanager
def cluster(slots: int, **variables: str) -> Iterator[Cluster]:
    """Durable servers in a new folder, one turn worker, one tool worker, one orchestrator.

    `variables` go into the processes' environment.
    """
    with tempfile.TemporaryDirectory(prefix="qb") as folder:
        environ = {
            **os.environ,
            "QUORATE_ALLOWED": "anything",
            "QUORATE_TURN_SLOTS": str(slots),
            "QUORATE_LOG": "warning",
            **variables,
        }
        for name in ("DATA", "STATE"):
            environ[f"XDG_{name}_HOME"] = str(Path(folder) / name.lower())
        instance = Instance.from_environment(environ)
        endpoints = ensure(instance)
        database = Database(endpoints.database_url, patience_s=10)
        upgrade(database)
        scripts = Path(sys.executable).parent
        log = (Path(folder) / "log").open("wb")
        started = {
            name: subprocess.Popen(
                [scripts / words[0], *words[1:]], env=environ, cwd=folder, stderr=log
            )
            for name, words in {
                "workers": ("quorate-worker", "turns"),
                "tools": ("quorate-worker", "tools"),
                "orchestrator": ("quorate", "orchestrator"),
            }.items()
        }
        try:
            roots = {name: process.pid for name, process in started.items()}
            roots |= {server.name: server.pid for server in status(instance) if server.pid}
            _await_presence(database, 3)
            yield Cluster(
                endpoints, database, Engine(database), Signals(endpoints.redis_url), roots
            )
        finally:
            for process in started.values():
                process.terminate()
            for process in started.values():
                process.wait(timeout=60)
            database.close()
            stop(instance)


def _await_presence(database: Database, wanted: int) -> None:
    for _ in range(600):
        with database.connection() as connection:
            row = connection.execute("SELECT count(*) AS alive FROM processes").fetchone()
        if row is not None and row.alive >= wanted:
            return
        time.sleep(0.1)
    raise TimeoutError("the worker processes did not come up")


def review_spec(
    *, critics: int, rounds: int, latency_s: float = 0.0
) -> tuple[RunSpec, dict[str, bytes]]:
    """A review by scripted participants: they agree, so it converges in three rounds."""
    documents: dict[str, bytes] = {}

    def put(content: bytes) -> str:
        documents[address(content)] = content
        return address(content)

    replies: list[JsonValue] = [
        {"when": {"role": "critique", "round": 1}, "latency_s": latency_s,
         "reply": {"verdict": "NEEDS_FIX", "summary": "One thing.", "findings": [FINDING]}},
        {"when": {"role": "critique"}, "latency_s": latency_s,
         "reply": {"verdict": "NEEDS_FIX", "stances": [{"finding": "F1", "position": "agree", "reason": "Stands."}]}},
        {"when": {"role": "rebuttal"}, "latency_s": latency_s,
         "reply": {"conceded_points": ["F1"], "stances": [{"finding": "F1", "position": "agree", "reason": "True."}]}},
        {"when": {"role": "synthesis"}, "latency_s": latency_s,
         "reply": {"summary": "sum() should be used.", "consensus": ["F1"]}},
        {"when": {"role": "fix"}, "latency_s": latency_s, "reply": {"fixes": []}},
    ]  # fmt: skip

    def member(name: str) -> Participant:
        return Participant(name=name, provider="scripted", options={"replies": replies})

    subject = Subject(
        title="benchmark",
        diff=put(DIFF.encode()),
        files=(
            FileChange(
                path="app.py",
                status="modified",
                changed=(LineRange(first=2, last=5),),
                after=put(b"def total(values):\n    result = 0\n"),
            ),
        ),
    )
    spec = RunSpec(
        workflow="review",
        workflow_version=WORKFLOWS["review"].version,
        subject=put(subject.model_dump_json().encode()),
        prompts=put(json.dumps(load("review", "en")).encode()),
        panel=Panel(
            critics=tuple(member(f"critic-{n}") for n in range(critics)),
            author=member("author"),
            chair=member("chair"),
        ),
        options=ReviewOptions(rounds=rounds, max_reviews=1).model_dump(mode="json"),
        budget=Budget(max_seconds=3600),
        decision=DecisionPolicy(mode="skip"),
        seed="benchmark",
    )
    return spec, documents
