"""What a soak looks at: processes, connections, tables, Redis and files of one installation, as numbers by name."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import redis

from benchmarks.measuring import resident_mb
from orchestrator.embedded import redis_server
from orchestrator.embedded.processes import leaders, working_in
from tests.chaos.cluster import Cluster

Sample = dict[str, float]
WITNESS = "witness"
"""Processes of this kind of name are never killed, so that what they leak adds up."""


def sample(cluster: Cluster, runs: int) -> Sample:
    """One look. Names are `kind/what`; `age/…` is how long a process has lived."""
    found: Sample = {"at": time.time(), "runs/submitted": runs}
    for name in cluster.keeper.names():
        with suppress(psutil.Error, OSError, AssertionError):
            found |= _process(name, cluster.keeper[name].pid)
    found |= _database(cluster)
    with suppress(redis.RedisError, OSError):
        found |= _redis(cluster)
    found |= dict(_files(cluster))
    return found


def _process(name: str, pid: int) -> Sample:
    tree = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    # A tool that runs for a moment is work, not a part of the process.
    lasting = [one for one in tree if one.cmdline() == tree[0].cmdline()]
    return {
        f"age/{name}": time.time() - tree[0].create_time(),
        f"pid/{name}": pid,
        f"memory MB/{name}": round(sum(resident_mb(one.pid) for one in lasting), 2),
        f"files open/{name}": sum(one.num_fds() for one in lasting),
        f"threads/{name}": sum(one.num_threads() for one in lasting),
    }


def _database(cluster: Cluster) -> Sample:
    [told] = cluster.ask(
        "SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,"
        " (SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%%'"
        "  AND state_change < now() - interval '20 seconds') AS forgotten,"
        " (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory') AS locks,"
        " (SELECT count(*) FROM runs WHERE finished_at IS NOT NULL) AS ended,"
        " pg_database_size(current_database()) AS size"
    )
    found: Sample = {
        "postgres/connections": told.connections,
        "postgres/transactions left open": told.forgotten,
        "postgres/advisory locks": told.locks,
        "postgres/database MB": told.size / 1e6,
        "runs/ended": told.ended,
    }
    tables = cluster.ask(
        "SELECT relname AS name, pg_total_relation_size(relid) AS size FROM pg_stat_user_tables"
    )
    for table in tables:
        [(rows,)] = cluster.ask(f'SELECT count(*) FROM "{table.name}"')
        found[f"rows/{table.name}"] = rows
        found[f"table kB/{table.name}"] = table.size / 1e3
    return found


def _redis(cluster: Cluster) -> Sample:
    told = cluster.redis.info()
    kinds = Counter(_kind(str(key)) for key in cluster.redis.scan_iter("*", count=1000))
    found: Sample = {
        "redis/memory MB": told["used_memory"] / 1e6,
        "redis/clients": told["connected_clients"],
        **{f"redis/keys in {name}": told[name]["keys"] for name in told if name.startswith("db")},
        **{f"redis/{kind}": count for kind, count in kinds.items()},
    }
    for server in leaders(working_in(cluster.instance.redis_dir, redis_server.PROGRAMS)):
        found["memory MB/redis"] = resident_mb(server.pid)
    return found


def _kind(key: str) -> str:
    return "broker keys " + ":".join("*" if _varies(word) else word for word in key.split(":"))


def _varies(word: str) -> bool:
    return len(word) > 20 or any(letter.isdigit() for letter in word)


def _files(cluster: Cluster) -> Iterator[tuple[str, float]]:
    """Of the state folder, of the sockets' and of the temporary one; Postgres' own journal."""
    instance = cluster.instance
    folders = {
        "state": instance.state_dir,
        "sockets": instance.run_dir,
        "temporary": Path(cluster.environ["TMPDIR"]),
        "postgres journal": instance.postgres_dir / "pg_wal",
        "redis data": instance.redis_dir,
    }
    for name, folder in folders.items():
        sizes = list(_sizes(folder))
        yield f"files/{name}", len(sizes)
        yield f"files kB/{name}", sum(sizes) / 1e3


def _sizes(folder: Path) -> Iterator[int]:
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                yield (Path(place) / name).lstat().st_size
