"""The floor: a lease, a result and an assessment in Postgres, a Redis list, threads. No framework, no further promise.

As in Quorate the run's row counts the open turns of a round, and whoever ends the last one assesses and goes on.
A turn that dies with its process stays leased: nothing here looks for it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from typing import Any

import psycopg
import redis

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
QUEUE = "floor"
SCHEMA = (
    STAGES
    + """;
CREATE TABLE IF NOT EXISTS floor_runs (id text PRIMARY KEY, latency_s float8, stage int, open int);
CREATE TABLE IF NOT EXISTS floor_turns (
    run text, key text, status text DEFAULT 'pending', token int DEFAULT 0, lease_until timestamptz, result jsonb,
    PRIMARY KEY (run, key))
"""
)
BEGIN = """
WITH run AS (INSERT INTO floor_runs VALUES (%(run)s, %(latency_s)s, %(stage)s, %(open)s)
             ON CONFLICT (id) DO UPDATE SET stage = %(stage)s, open = %(open)s)
INSERT INTO floor_turns (run, key) SELECT %(run)s, unnest(%(keys)s::text[])
"""
CLAIM = """
UPDATE floor_turns SET status = 'leased', token = token + 1, lease_until = now() + interval '60 s'
 WHERE run = %s AND key = %s AND status = 'pending' RETURNING token
"""
FINISH = """
WITH run AS (SELECT id FROM floor_runs WHERE id = %(run)s FOR UPDATE),
finished AS (
    UPDATE floor_turns t SET status = 'done', result = %(result)s FROM run
     WHERE t.run = run.id AND t.key = %(key)s AND t.token = %(token)s AND t.status = 'leased' RETURNING t.run)
UPDATE floor_runs r SET open = r.open - 1 FROM finished WHERE r.id = finished.run RETURNING r.open
"""
ASSESS = """
INSERT INTO bench_stages (run, stage, assessment)
SELECT %(run)s, %(stage)s, jsonb_build_object('answered', count(*)) FROM floor_turns
 WHERE run = %(run)s AND status = 'done'
"""


def begin(
    connection: psycopg.Connection[Any],
    queue: redis.Redis,
    run: str,
    stage: int,
    latency_s: float,
) -> None:
    """The rows of a stage, then its messages."""
    keys = [f"{stage}/{place}" for place in range(SIZES[stage])]
    values = {"run": run, "stage": stage, "latency_s": latency_s, "open": len(keys), "keys": keys}
    connection.execute(BEGIN, values)
    queue.lpush(QUEUE, *(json.dumps([run, stage, key, latency_s]) for key in keys))


def take_turns() -> None:
    """A thread of the worker: claim, speak, finish; after the last turn of a stage, assess and begin the next."""
    connection = connect()
    queue = redis.Redis.from_url(os.environ["BENCH_REDIS"], socket_timeout=None)
    while True:
        popped: Any = queue.brpop([QUEUE])
        run, stage, key, latency_s = json.loads(popped[1])
        leased = connection.execute(CLAIM, (run, key)).fetchone()
        if leased is None:
            continue
        time.sleep(latency_s)
        values = {"run": run, "key": key, "stage": stage, "token": leased[0]}
        finished = connection.execute(FINISH, {**values, "result": json.dumps(REPLY)}).fetchone()
        if finished != (0,):
            continue
        connection.execute(ASSESS, values)
        if stage + 1 < len(SIZES):
            begin(connection, queue, run, stage + 1, latency_s)


def connect() -> psycopg.Connection[Any]:
    """Every statement commits itself."""
    return psycopg.connect(os.environ["BENCH_DATABASE"], autocommit=True)


def main() -> None:
    """The parent offers runs, its child works."""
    if sys.argv[1:] == ["worker"]:
        for _ in range(THREADS):
            threading.Thread(target=take_turns).start()
        return
    queue = redis.Redis.from_url(os.environ["BENCH_REDIS"])
    with connect() as connection, child("benchmarks.peers.floor", "worker") as worker:
        connection.execute(SCHEMA)

        def play(load: Load) -> Played:
            started = time.monotonic()
            runs = [next(NAMES) for _ in range(load.runs)]
            for number in load.offered():
                begin(connection, queue, runs[number], 0, load.latency_s)
            taken = await_stages(connection, runs, load.latency_s)
            return Played(time.monotonic() - started, taken)

        serve(worker.pid, play)


if __name__ == "__main__":
    main()
