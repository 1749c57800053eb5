"""Who is measured side by side: Quorate with two workflows, and the peers, in an environment of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.cluster import Cluster, Servers, review_spec
from benchmarks.measuring import Spent, processor_time
from benchmarks.peers.load import TURNS_A_RUN, Load, Played, overheads
from benchmarks.trivial import trivial_spec
from shared.models.run import RunSpec

ROOT = Path(__file__).resolve().parent.parent
OURS = ("workers", "orchestrator")
REVIEW_TURNS = 9  # three critiques, a rebuttal, three critiques, a synthesis, a fix


@dataclass(frozen=True)
class Peer:
    """A module of `benchmarks.peers`, and what has to be installed for it."""

    module: str
    requirements: tuple[str, ...] = ()


PEERS = {
    "floor (psycopg, a Redis list)": Peer("floor"),
    "LangGraph, Postgres checkpointer": Peer(
        "langgraph_rounds",
        (
            "langgraph>=1.2,<2",
            "langgraph-checkpoint-postgres>=3,<4",
            "psycopg[binary,pool]>=3.3,<4",
        ),
    ),
    "Celery chords": Peer("celery_chords", ("celery[redis]>=5.7,<6", "psycopg[binary]>=3.3,<4")),
}


class NotInstalled(Exception):
    """A peer cannot be had here, and why."""


class GaveUp(Exception):
    """A peer did not come to the end of a load, and why."""


@dataclass(frozen=True)
class Contestant:
    """Plays loads; `workers` are the processes that do the work, without servers and without who offers it."""

    turns_a_run: int
    workers: dict[str, int]
    servers: dict[str, int]
    play: Callable[[Load], Played]

    def measured(self, load: Load) -> tuple[Played, Spent]:
        """What came of a load, and the processor time of everybody in it."""
        roots = {**self.workers, **self.servers}
        before = processor_time(roots)
        played = self.play(load)
        return played, processor_time(roots).since(before)


@contextmanager
def contestants(bench: Cluster, *, offline: bool = False) -> Iterator[dict[str, Contestant | str]]:
    """All of them by name; instead of one that cannot be had here, the reason. `offline`: nothing is installed."""
    everybody: dict[str, Contestant | str] = {
        "Quorate, trivial workflow": quorate(bench, trivial_spec, TURNS_A_RUN),
        "Quorate, review": quorate(bench, _review, REVIEW_TURNS),
    }
    with ExitStack() as stack:
        for name, peer in PEERS.items():
            try:
                everybody[name] = stack.enter_context(playing(peer, bench, offline=offline))
            except (NotInstalled, GaveUp) as reason:
                everybody[name] = str(reason)
        yield everybody


def quorate(
    bench: Cluster,
    make: Callable[[float], tuple[RunSpec, dict[str, bytes]]],
    turns_a_run: int,
) -> Contestant:
    """Runs of one workflow in a cluster."""

    def play(load: Load) -> Played:
        spec, documents = make(load.latency_s)
        started = time.monotonic()
        runs = [bench.submit(spec, documents) for _ in load.offered()]
        bench.wait(runs)
        elapsed = time.monotonic() - started
        with bench.database.connection() as connection:
            rows = connection.execute(_ENDS, (runs,)).fetchall()
        assert all(row.turns == turns_a_run for row in rows)
        return Played(elapsed, [t for row in rows for t in overheads(row.ends, load.latency_s)])

    ours = {name: bench.roots[name] for name in OURS}
    return Contestant(turns_a_run, ours, _servers(bench), play)


def _review(latency_s: float) -> tuple[RunSpec, dict[str, bytes]]:
    return review_spec(critics=3, rounds=3, latency_s=latency_s)


_ENDS = """
SELECT array_agg(ended) AS ends, sum(turns) AS turns
  FROM (SELECT run_id, extract(epoch FROM max(finished_at))::float8 AS ended, count(*) AS turns
          FROM steps WHERE run_id = ANY(%s) GROUP BY run_id, round, role) stages GROUP BY run_id
"""


@contextmanager
def playing(peer: Peer, own: Servers, *, offline: bool = False) -> Iterator[Contestant]:
    """A peer's process on the same servers. Raises NotInstalled."""
    python = (
        environment(peer.requirements, offline=offline)
        if peer.requirements
        else Path(sys.executable)
    )
    addresses = {
        "BENCH_REDIS": own.endpoints.redis_url,
        "BENCH_BROKER": own.endpoints.broker_url,
        "BENCH_DATABASE": own.endpoints.database_url.replace("+psycopg", ""),
    }
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [python, "-m", f"benchmarks.peers.{peer.module}"],
            env={**os.environ, **addresses},
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        lines, answers = process.stdin, process.stdout

        def answer() -> dict[str, Any]:
            if line := answers.readline():
                answered: dict[str, Any] = json.loads(line)
                return answered
            log.seek(0)
            raise GaveUp((log.read().strip().splitlines() or ["it ended without a word"])[-1])

        def play(load: Load) -> Played:
            lines.write(f"{json.dumps(asdict(load))}\n")
            lines.flush()
            return Played(**answer())

        try:
            workers = {"workers": int(answer()["pid"])}
            yield Contestant(TURNS_A_RUN, workers, _servers(own), play)
        finally:
            process.communicate(timeout=60)


def _servers(own: Servers) -> dict[str, int]:
    return {name: own.roots[name] for name in ("redis", "postgres")}


def environment(requirements: tuple[str, ...], *, offline: bool) -> Path:
    """The Python of the peers' environment, with these installed; made where there is none. Raises NotInstalled."""
    folder = _folder()
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True, symlinks=True)
    pip = (python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-input")
    where = ("--no-index",) if offline else ()
    done = subprocess.run(
        [*pip, *where, *requirements], capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["pip failed"])[-1]
        raise NotInstalled(f"not installed here: {last}")
    return python


def versions() -> dict[str, str]:
    """What is installed of the peers, by package."""
    found = _folder().glob("lib/*/site-packages/*.dist-info")
    installed = dict(folder.stem.rsplit("-", 1) for folder in found)
    wanted = ("celery", "langgraph", "langgraph_checkpoint_postgres", "psycopg")
    return {name: installed[name] for name in wanted if name in installed}


def _folder() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "quorate-bench" / "venv"
