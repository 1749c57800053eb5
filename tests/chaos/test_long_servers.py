"""Rows 14 to 16, 18 to 20 and 30: servers that freeze, fill up, stay away, lie about commits and refuse to write."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from orchestrator.embedded.throwaway import drop_database
from orchestrator.embedded.wire import PostgresWire
from shared.instance import DATABASE, socket_database_url
from tests.chaos.cluster import Cluster, Repeated
from tests.chaos.invariants import examine
from tests.chaos.proxy import FailingProxy
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.timeout(240)]
SETTLE_S = 60.0
FROZEN_S = 30.0
LONGEST_IDLE_S = 5.0


def test_row_14_a_frozen_redis_holds_no_lock_in_postgres(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.5..1")
    runs = cluster.submit(4)
    cluster.wait_for_steps(runs, "critique/1", "leased", 4)
    longest = 0.0

    def look() -> None:
        nonlocal longest
        rows = cluster.ask(
            "SELECT coalesce(max(extract(epoch FROM now() - xact_start)), 0)::float AS s FROM pg_stat_activity "
            "WHERE application_name = 'quorate' AND state LIKE 'idle in transaction%%' AND pid <> pg_backend_pid()"
        )
        longest = max(longest, rows[0].s)

    with cluster.redis_stopped(), Repeated(look, 0.1):
        late = cluster.submit(2, signal_it=False)
        time.sleep(FROZEN_S)
    settled = cluster.settle(runs + late, SETTLE_S)
    figures = examine(cluster, runs + late, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), idle_in_tx=round(longest, 2))
    assert longest < LONGEST_IDLE_S, "a transaction waited for the broker"


def test_row_15_a_redis_without_memory_delays_and_loses_nothing(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    before = cluster.submit(1)
    cluster.wait_for_steps(before, "critique/1", "leased")
    cluster.redis.config_set("maxmemory", "1")
    runs = before + cluster.submit(3)
    time.sleep(6)
    held_up = sum(status == "running" for status in cluster.statuses(runs).values())
    cluster.redis.config_set("maxmemory", "0")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), held_up=held_up)
    assert held_up >= 3, "the broker took messages all the time"
    assert figures.extra_calls == 0


def test_row_16_a_redis_that_is_away_for_twenty_seconds_doubles_no_call(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="3")
    runs = cluster.submit(4)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == 8, "all slots call")
    with cluster.servers_left_alone():
        cluster.kill_redis()
        time.sleep(20)
    cluster.speak(latency="0.1..0.3")
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.extra_calls == 0


def test_row_18_a_database_that_executes_and_then_fails_doubles_nothing(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    password = cluster.instance.password
    proxy = FailingProxy(cluster.folder / "x", cluster.instance.postgres_socket, 7, 0.1)
    through_it = {
        "QUORATE_DATABASE_URL": socket_database_url(proxy.folder, DATABASE, password),
        "QUORATE_REDIS_URL": cluster.endpoints.redis_url,
        "QUORATE_BROKER_URL": cluster.endpoints.broker_url,
    }
    for name in ("orchestrator", "turns"):
        cluster.replace(name, env=through_it)
    cluster.speak(latency="0.1..0.4")
    runs = cluster.submit(8)
    settled = cluster.settle(runs, SETTLE_S * 2)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), dropped=proxy.dropped)
    crashes = cluster.keeper.trouble
    for name in ("orchestrator", "turns"):
        cluster.keeper.drop(name, signal.SIGKILL)
    proxy.close()
    assert proxy.dropped > 20, "the proxy dropped next to nothing"
    assert figures.extra_calls == 0
    assert not crashes


def test_row_19_locks_and_ended_sessions_only_cost_time(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.2..0.5")
    runs = cluster.submit(4)
    cluster.wait_for_steps(runs, "critique/1", "leased", 4)
    ended = 0

    def end_sessions() -> None:
        nonlocal ended
        ended += len(
            cluster.ask(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'quorate' "
                "AND pid <> pg_backend_pid() AND random() < 0.3"
            )
        )

    with cluster.database.transaction() as connection:  # a forgotten session holds every run
        connection.execute("SELECT id FROM runs WHERE id = ANY(%s) FOR UPDATE", (runs,))
        time.sleep(4)
    with Repeated(end_sessions, 0.3):
        settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told(), ended=ended)
    assert ended > 3
    assert figures.extra_calls == 0
    assert not cluster.keeper.trouble


@contextmanager
def _read_only(cluster: Cluster) -> Iterator[None]:
    with PostgresWire.to(cluster.instance, "postgres") as postgres:
        postgres.query("ALTER SYSTEM SET default_transaction_read_only = on")
        postgres.query("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            postgres.query("SET default_transaction_read_only = off")
            postgres.query("ALTER SYSTEM RESET default_transaction_read_only")
            postgres.query("SELECT pg_reload_conf()")


def test_row_20_a_database_that_refuses_writes_for_a_while_is_waited_for(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    """What a full disk with a read-only remount, or a connection to a standby, looks like."""
    cluster.speak(latency="1")
    runs = cluster.submit(2)
    cluster.wait_for(lambda: len(cluster.calls_in_flight()) == 6, "six calls are in flight")
    with _read_only(cluster):
        time.sleep(6)
    settled = cluster.settle(runs, SETTLE_S)
    figures = examine(cluster, runs, settle_s=settled, steps=REVIEW_STEPS)
    measured.update(figures.told())
    assert figures.extra_calls == 0, "what was paid while nothing could be written is paid again"


_UPGRADE = """
import sys
from shared.store.database import Database
from shared.store.migrate import upgrade
print(upgrade(Database(sys.argv[1], patience_s=30)))
"""


def test_row_30_ten_migrators_at_once_migrate_once_and_down_and_up_again_works(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    name = "migrated"
    drop_database(cluster.endpoints, name)
    with PostgresWire.to(cluster.instance, "postgres") as postgres:
        postgres.query(f"CREATE DATABASE {name}")
    url = socket_database_url(cluster.instance.run_dir, name, cluster.instance.password)
    command = (sys.executable, "-P", "-c", _UPGRADE, url)
    started = time.monotonic()
    migrators = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(10)]
    said = [migrator.communicate(timeout=60)[0].strip() for migrator in migrators]
    assert sorted(said) == ["False"] * 9 + ["True"]
    assert _revise(url, "base") == 0
    assert _revise(url, "head") == 0
    last = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert last.stdout.strip() == "False", "the schema is not at its head after down and up"
    measured.update({"settle s": round(time.monotonic() - started, 1), "migrators": 10})
    drop_database(cluster.endpoints, name)


_REVISE = """
import sys
from pathlib import Path
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
import shared.store.migrate as migrate
config = Config()
config.set_main_option("script_location", str(Path(migrate.__file__).with_name("migrations")))
engine = sa.create_engine(sys.argv[1])
with engine.connect() as connection:
    config.attributes["connection"] = connection
    (command.downgrade if sys.argv[2] == "base" else command.upgrade)(config, sys.argv[2])
    connection.commit()
"""


def _revise(url: str, revision: str) -> int:
    command = (sys.executable, "-P", "-c", _REVISE, url, revision)
    return subprocess.run(command, check=False, timeout=60).returncode
