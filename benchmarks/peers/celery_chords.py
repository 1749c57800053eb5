"""Celery as its manual shows it: a chord a round, its counter in Redis; results and assessments stored in Postgres."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import Any

import psycopg
from celery import Celery, chord

from benchmarks.peers.load import (
    NAMES,
    REPLY,
    SIZES,
    STAGES,
    Load,
    Played,
    await_stages,
    child,
    serve,
)

THREADS = 32
SCHEMA = (
    STAGES
    + "; CREATE TABLE IF NOT EXISTS chord_turns (run text, key text, result jsonb, PRIMARY KEY (run, key))"
)

app = Celery("chords", broker=os.environ["BENCH_BROKER"], backend=os.environ["BENCH_BROKER"])
app.conf.update(task_default_queue="chords", worker_prefetch_multiplier=1, result_expires=600)
local = threading.local()


def connection() -> psycopg.Connection[Any]:
    """One a thread; every statement commits itself."""
    if not hasattr(local, "connection"):
        local.connection = psycopg.connect(os.environ["BENCH_DATABASE"], autocommit=True)
    opened: psycopg.Connection[Any] = local.connection
    return opened


@app.task(name="chords.turn")  # type: ignore[untyped-decorator]
def turn(run: str, key: str, latency_s: float) -> dict[str, str]:
    """Speak; the result is durable when this returns."""
    time.sleep(latency_s)
    connection().execute(
        "INSERT INTO chord_turns VALUES (%s, %s, %s)", (run, key, json.dumps(REPLY))
    )
    return REPLY


@app.task(name="chords.assess", ignore_result=True)  # type: ignore[untyped-decorator]
def assess(replies: list[dict[str, str]], run: str, stage: int, latency_s: float) -> None:
    """A stage has ended: store what it came to, begin the next one."""
    connection().execute(
        "INSERT INTO bench_stages (run, stage, assessment) VALUES (%s, %s, %s)",
        (run, stage, json.dumps({"answered": len(replies)})),
    )
    if stage + 1 < len(SIZES):
        begin(run, stage + 1, latency_s)


def begin(run: str, stage: int, latency_s: float) -> None:
    """The turns of a stage side by side, and what follows them."""
    turns = [turn.s(run, f"{stage}/{place}", latency_s) for place in range(SIZES[stage])]
    chord(turns)(assess.s(run, stage, latency_s))


def play(load: Load) -> Played:
    """Offer the runs and wait for them."""
    started = time.monotonic()
    runs = [next(NAMES) for _ in range(load.runs)]
    for number in load.offered():
        begin(runs[number], 0, load.latency_s)
    taken = await_stages(connection(), runs, load.latency_s)
    return Played(time.monotonic() - started, taken)


def main() -> None:
    """The parent offers runs, its child works."""
    connection().execute(SCHEMA)
    quiet = ("--without-gossip", "--without-mingle", "--without-heartbeat", "-l", "error")
    pool = ("-P", "threads", "-c", str(THREADS))
    with child("celery", "-A", "benchmarks.peers.celery_chords", "worker", *pool, *quiet) as worker:
        serve(worker.pid, play)


if __name__ == "__main__":
    main()
