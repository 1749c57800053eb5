"""Servers that exist already: their URLs in the environment, services started by hand, the same review."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu import Connection

from shared.delivery.contracts import QUEUES
from shared.instance import Endpoints
from tests.fixtures.instance import CommandLine, make_command_line, make_repository
from tests.fixtures.pgbouncer import Pooled

pytestmark = pytest.mark.acceptance

SERVICES = (
    ("quorate", "orchestrator"),
    ("quorate-worker", "turns"),
    ("quorate-worker", "tools"),
)


@pytest.fixture
def rabbitmq() -> Iterator[str]:
    """A RabbitMQ that nobody else uses for Quorate; its queues are deleted afterwards."""
    url = os.environ["QUORATE_TEST_AMQP_URL"]
    with Connection(url, connect_timeout=5) as connection:
        if taken := [name for name in QUEUES if _exists(connection, name)]:
            pytest.skip(f"this RabbitMQ serves a Quorate already: it has {', '.join(taken)}")
        yield url
        for name in QUEUES:
            connection.channel().queue_delete(name)


def _exists(connection: Connection, queue: str) -> bool:
    channel = connection.channel()
    try:
        channel.queue_declare(queue, passive=True)
    except connection.channel_errors:
        return False
    channel.close()
    return True


@pytest.fixture
def command_line(servers: Endpoints, database_url: str, tmp_path: Path) -> CommandLine:
    """The commands of a machine that was told about its servers."""
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    return make_command_line(tmp_path, **urls)


def reviewed(command_line: CommandLine, tmp_path: Path) -> dict[str, object]:
    """What a review ends with; the services run only as long as it does."""
    repository = make_repository(tmp_path / "repository")
    services: list[subprocess.Popen[str]] = []
    try:
        services += [command_line.start(*words, program=name) for name, *words in SERVICES]
        done = command_line("review", "--decide", "skip", "--json", cwd=repository, timeout_s=120.0)
    finally:
        for service in services:
            service.terminate()
        talk = [service.communicate(timeout=60)[1] for service in services]
    assert done.returncode == 0, done.stderr + "\n".join(talk)
    result: dict[str, object] = json.loads(done.stdout)
    return result


def test_a_review_runs_on_redis_and_postgres_that_exist(
    command_line: CommandLine, tmp_path: Path
) -> None:
    result = reviewed(command_line, tmp_path)

    assert (result["verdict"], result["findings"] != []) == ("NEEDS_FIX", True)


@pytest.mark.needs_pgbouncer
def test_a_review_runs_behind_a_pgbouncer_that_pools_transactions(
    command_line: CommandLine, pooled: Pooled, tmp_path: Path
) -> None:
    url = f"{pooled('transaction')}?prepared=off"
    through = CommandLine(command_line.home, {**command_line.environ, "QUORATE_DATABASE_URL": url})

    result = reviewed(through, tmp_path)

    assert (result["verdict"], result["findings"] != []) == ("NEEDS_FIX", True)


@pytest.mark.needs_rabbitmq
def test_a_review_runs_on_rabbitmq_as_the_broker(
    command_line: CommandLine, rabbitmq: str, tmp_path: Path
) -> None:
    through = CommandLine(
        command_line.home, {**command_line.environ, "QUORATE_BROKER_URL": rabbitmq}
    )

    result = reviewed(through, tmp_path)

    assert (result["verdict"], result["findings"] != []) == ("NEEDS_FIX", True)


def test_an_empty_database_is_refused_with_the_command_that_fills_it(
    servers: Endpoints, empty_url: str, tmp_path: Path
) -> None:
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": empty_url}
    command_line = make_command_line(tmp_path, **urls)

    refused = command_line("list")
    upgraded = command_line("db", "upgrade")
    listed = command_line("list")

    assert (refused.returncode, upgraded.returncode, listed.returncode) == (5, 0, 0)
    assert "quorate db upgrade" in refused.stderr
