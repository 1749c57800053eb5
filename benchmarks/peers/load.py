"""What the peers share: loads arrive as lines of JSON, what came of them leaves as lines of JSON."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

SIZES = (3, 3, 1)
"""Turns of a run by stage: two rounds of three, a synthesis."""
TURNS_A_RUN = sum(SIZES)
REPLY = {"verdict": "APPROVED", "summary": "Fine as it is."}
PATIENCE_S = 120.0
NAMES = (f"{os.getpid()}-{number}" for number in itertools.count())


@dataclass(frozen=True)
class Load:
    """So many runs, all at once or so many a second; a turn waits `latency_s` for its model."""

    runs: int
    runs_per_s: float = 0.0
    latency_s: float = 0.0

    def offered(self) -> Iterator[int]:
        """Each run's number when it is due."""
        started = time.monotonic()
        for number in range(self.runs):
            if self.runs_per_s:
                time.sleep(max(0.0, started + number / self.runs_per_s - time.monotonic()))
            yield number


@dataclass(frozen=True)
class Played:
    """What came of a load: how long it took, and what each stage took beyond its slowest turn."""

    seconds: float
    overheads_s: list[float]


def overheads(ends: Sequence[float], latency_s: float) -> list[float]:
    """From the end of a run's stage to the end of the next one, less the latency of its turns."""
    return [later - earlier - latency_s for earlier, later in pairwise(sorted(ends))]


def serve(worker_pid: int, play: Callable[[Load], Played]) -> None:
    """Say who works, then play one load a line until there are no more."""
    sys.stdout.write(f"{json.dumps({'pid': worker_pid})}\n")
    sys.stdout.flush()
    for line in sys.stdin:
        played = play(Load(**json.loads(line)))
        sys.stdout.write(f"{json.dumps(asdict(played))}\n")
        sys.stdout.flush()


@contextmanager
def child(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker process with this Python, ended with its parent."""
    process = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


STAGES = """
CREATE TABLE IF NOT EXISTS bench_stages (
    run text, stage int, assessment jsonb, at timestamptz DEFAULT clock_timestamp(), PRIMARY KEY (run, stage))
"""


def await_stages(connection: Any, runs: Sequence[str], latency_s: float) -> list[float]:
    """Wait until every run has its last stage; what each stage took beyond its turns."""
    last = len(SIZES) - 1
    started, ended = time.monotonic(), 0
    while time.monotonic() - started < PATIENCE_S:
        (ended,) = connection.execute(
            "SELECT count(*) FROM bench_stages WHERE run = ANY(%s) AND stage = %s", (runs, last)
        ).fetchone()
        if ended == len(runs):
            break
        time.sleep(0.02)
    else:
        raise TimeoutError(f"{len(runs) - ended} of {len(runs)} runs did not end")
    rows = connection.execute(
        "SELECT array_agg(extract(epoch FROM at)::float8) FROM bench_stages WHERE run = ANY(%s) GROUP BY run",
        (runs,),
    ).fetchall()
    return [overhead for (ends,) in rows for overhead in overheads(ends, latency_s)]
