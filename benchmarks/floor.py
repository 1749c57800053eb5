"""The plain floor: a Redis list, threads, and one Postgres write a turn. Nothing else survives a crash there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time

import redis

from benchmarks.cluster import Cluster
from benchmarks.measuring import processor_time

WORKERS = 16
QUEUE = "floor"


def run_floor(cluster: Cluster, turns: int) -> dict[str, float]:
    """Processor microseconds a turn, by component, and turns a second."""
    with cluster.database.connection() as connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS floor (id bigserial PRIMARY KEY, result jsonb NOT NULL)"
        )
    client = redis.Redis.from_url(cluster.endpoints.redis_url)
    environ = {
        **os.environ,
        "FLOOR_REDIS": cluster.endpoints.redis_url,
        "FLOOR_DATABASE": cluster.endpoints.database_url,
    }
    consumer = subprocess.Popen([sys.executable, __file__, str(turns)], env=environ)
    while not client.exists("floor:ready"):
        time.sleep(0.02)
    roots = {"worker": consumer.pid} | {
        name: pid for name, pid in cluster.roots.items() if name in ("redis", "postgres")
    }
    before = processor_time(roots)
    started = time.monotonic()
    for number in range(turns):
        client.lpush(QUEUE, json.dumps({"id": number, "participant": "critic", "round": 1}))
    while int(client.get("floor:done") or 0) < turns:
        time.sleep(0.01)
    elapsed = time.monotonic() - started
    spent = processor_time(roots).since(before)
    client.set("floor:stop", 1)
    consumer.wait(timeout=30)
    per_turn = {name: seconds / turns * 1e6 for name, seconds in spent.seconds.items()}
    return {**per_turn, "total": spent.total / turns * 1e6, "turns_per_s": turns / elapsed}


def consume(turns: int) -> None:
    """The consumer process: BRPOP, one INSERT, next."""
    import psycopg

    redis_url = os.environ["FLOOR_REDIS"]
    database_url = os.environ["FLOOR_DATABASE"].replace("+psycopg", "")
    done = 0
    lock = threading.Lock()
    control = redis.Redis.from_url(redis_url)

    def work() -> None:
        nonlocal done
        client = redis.Redis.from_url(redis_url, decode_responses=True)
        with psycopg.connect(database_url, autocommit=True) as connection:
            while done < turns:
                popped = client.brpop([QUEUE], timeout=1)
                if popped is None:
                    continue
                connection.execute("INSERT INTO floor (result) VALUES (%s)", (popped[1],))
                with lock:
                    done += 1
                    if done % 50 == 0 or done == turns:
                        control.set("floor:done", done)

    crew = [threading.Thread(target=work) for _ in range(WORKERS)]
    for member in crew:
        member.start()
    control.set("floor:ready", 1)
    for member in crew:
        member.join()
    while not control.exists("floor:stop"):
        time.sleep(0.05)


if __name__ == "__main__":
    consume(int(sys.argv[1]))
