"""Flower: who may reach it, and its settings, which are shipped inside the package."""

import http.client
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cli.commands.flower import CONFIGURATION, run_flower
from shared.errors import UserError
from shared.instance import Endpoints
from tests.fixtures.instance import CommandLine, make_command_line

ROOT = Path(__file__).resolve().parents[3]


def test_the_shipped_settings_are_those_of_the_deployment():
    assert CONFIGURATION.read_text() == (ROOT / "deploy" / "flowerconfig.py").read_text()


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--basic-auth=x",),
        ("--basic-auth=",),
        ("--basic-auth=me:",),
        ("--basic_auth=:secret",),
        ("--basic-auth",),
        ("--basic-auth=me:secret,x",),
        ("--auth_provider=flower.views.auth.GoogleAuth2LoginHandler",),
        ("--auth=",),
        ("--authentic=me:secret",),
        ("--basic-authentication=me:secret",),
    ],
)
def test_flower_is_not_opened_to_the_network_without_a_login(options: tuple[str, ...]):
    with pytest.raises(UserError, match="basic-auth"):
        run_flower({}, address="0.0.0.0", port=0, conf=None, more=options)


@pytest.mark.parametrize(
    "options",
    [
        ("basic-auth=me:secret",),
        ("x", "--basic-auth=me:secret"),
        ("--", "--basic-auth=me:secret"),
        ("", "--basic-auth=me:secret"),
    ],
)
def test_a_login_that_flower_would_not_read_is_none(options: tuple[str, ...]):
    with pytest.raises(UserError, match="is not an option"):
        run_flower({}, address="0.0.0.0", port=0, conf=None, more=options)


@pytest.mark.parametrize("dashes", ["-", "--", "---"])
@pytest.mark.parametrize("option", ["address=0.0.0.0", "port=1", "conf=/tmp/x"])
def test_what_is_passed_on_cannot_move_flower_elsewhere(dashes: str, option: str):
    with pytest.raises(UserError, match=r"give --\w+ once"):
        run_flower({}, address="127.0.0.1", port=0, conf=None, more=[dashes + option])


@pytest.fixture
def flower(servers: Endpoints, database_url: str, tmp_path: Path) -> Iterator[CommandLine]:
    command_line = make_command_line(tmp_path)
    external = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    yield replace(command_line, environ={**command_line.environ, **external})
    command_line.stop()


@pytest.mark.component
def test_a_port_in_use_is_the_environments_fault(flower: CommandLine):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = flower("flower", "--port", port)
    assert done.returncode == 5
    assert f"port {port} cannot be used" in done.stderr


@pytest.mark.component
def test_a_page_of_another_name_does_not_see_flower(flower: CommandLine):
    process = flower.start("flower", "--port", "0")
    try:
        assert process.stderr is not None
        port = int(process.stderr.readline().rsplit(":", 1)[1])
        seen = {
            host: ask(port, host)
            for host in ("127.0.0.1", f"127.0.0.1:{port}", f"localhost:{port}", "evil.example",
                         f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example")
        }  # fmt: skip
    finally:
        process.terminate()
        process.communicate(timeout=60)
    assert [host for host, status in seen.items() if status == 200] == list(seen)[:3]
    assert set(list(seen.values())[3:]) == {421}
    assert process.returncode == 0


@pytest.mark.component
def test_a_second_signal_ends_it_at_once_and_without_a_traceback(flower: CommandLine):
    process = flower.start("flower", "--port", "0")
    assert process.stderr is not None
    process.stderr.readline()
    process.terminate()
    time.sleep(0.2)
    process.terminate()
    _, told = process.communicate(timeout=60)
    assert process.returncode in (0, -signal.SIGTERM)
    assert "Traceback" not in told


def ask(port: int, host: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", "/tasks", headers={"Host": host})
    status = connection.getresponse().status
    connection.close()
    return status
