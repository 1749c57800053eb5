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
from typing import Any

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
from shared.models.run import NEWEST_RULES, Budget, DecisionPolicy, RunSpec
from shared.models.subject import FileChange, LineRange, Subject
from shared.store.database import Database
from shared.store.documents import address
from shared.store.migrate import upgrade
from shared.store.views import count_live_runs

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
class Servers:
    """A Redis and a Postgres of a benchmark's own, with the processes whose time is counted."""

    environ: dict[str, str]
    endpoints: Endpoints
    database: Database
    roots: dict[str, int]

    def spent(self) -> Spent:
        """Processor seconds so far, by component."""
        return processor_time(self.roots)

    def number(self, sql: str, *values: Any) -> float:
        """The only value of a query."""
        with self.database.connection() as connection:
            row = connection.execute(sql, values).fetchone()
        return float(row[0] or 0) if row else 0.0


@dataclass
class Cluster(Servers):
    """Servers with Quorate's processes."""

    engine: Engine
    signals: Signals

    def submit(self, spec: RunSpec, documents: dict[str, bytes]) -> str:
        """Start a run as the command line does: the row, then the signal."""
        run = self.engine.submit(spec, "benchmark", documents)
        self.signals.send(run)
        return run

    def wait(self, runs: Sequence[str], timeout_s: float = 300.0) -> float:
        """Seconds until all runs are completed."""
        started = time.monotonic()
        while time.monotonic() - started < timeout_s:
            with self.database.connection() as connection:
                live = count_live_runs(connection)
            if not live:
                break
            time.sleep(0.02)
        elapsed = time.monotonic() - started
        done = self.number(
            "SELECT count(*) FROM runs WHERE id = ANY(%s) AND status = 'completed'", list(runs)
        )
        if done < len(runs):
            raise TimeoutError(f"{len(runs) - done:.0f} runs did not end in {elapsed:.0f} s")
        return elapsed


@contextmanager
def servers(**variables: str) -> Iterator[Servers]:
    """Durable servers in a new folder. `variables` go into the environment of what is started beside them."""
    with tempfile.TemporaryDirectory(prefix="qb") as folder:
        environ = {
            **os.environ,
            "QUORATE_ALLOWED": "anything",
            "QUORATE_LOG": "warning",
            "XDG_DATA_HOME": f"{folder}/data",
            "XDG_STATE_HOME": f"{folder}/state",
            **variables,
        }
        instance = Instance.from_environment(environ)
        endpoints = ensure(instance)
        database = Database(endpoints.database_url, patience_s=10)
        try:
            upgrade(database)
            roots = {server.name: server.pid for server in status(instance) if server.pid}
            yield Servers(environ, endpoints, database, roots)
        finally:
            database.close()
            stop(instance, immediate=True)


@contextmanager
def cluster(slots: int, **variables: str) -> Iterator[Cluster]:
    """Servers with one turn worker, one tool worker and one orchestrator, which knows the trivial workflow too."""
    with servers(QUORATE_TURN_SLOTS=str(slots), **variables) as own:
        folder = Path(own.environ["XDG_DATA_HOME"]).parent
        worker = str(Path(sys.executable).parent / "quorate-worker")
        with (folder / "log").open("wb") as log:
            started = {
                name: subprocess.Popen(words, env=own.environ, cwd=folder, stdout=log, stderr=log)
                for name, words in {
                    "workers": (worker, "turns"),
                    "tools": (worker, "tools"),
                    "orchestrator": (sys.executable, "-m", "benchmarks.trivial"),
                }.items()
            }
        try:
            own.roots |= {name: process.pid for name, process in started.items()}
            _await_presence(own, len(started))
            engine, signals = Engine(own.database), Signals(own.endpoints.redis_url)
            yield Cluster(own.environ, own.endpoints, own.database, own.roots, engine, signals)
        finally:
            for process in started.values():
                process.terminate()
            for process in started.values():
                _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """What it has in flight may take longer than anybody needs it."""
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _await_presence(own: Servers, wanted: int) -> None:
    for _ in range(600):
        if own.number("SELECT count(*) FROM processes") >= wanted:
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
        rules_version=NEWEST_RULES,
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
