"""The trip-wires trip."""

import os
import socket
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from tests.conftest import NETWORK
from tests.tripwires import NetworkRefused, clean_environment, is_local

# TEST-NET-1 (RFC 5737): never routed, so even without the guard nobody would be disturbed.
ELSEWHERE = ("192.0.2.1", 9)
SWALLOWS = Path(__file__).parent / "data" / "tripwires" / "swallows_the_refusal.py"


def test_a_connection_to_another_machine_is_refused_and_remembered():
    with socket.socket() as sock, pytest.raises(NetworkRefused, match=r"192\.0\.2\.1"):
        sock.connect(ELSEWHERE)
    assert NETWORK.forget() == ["socket.connect '192.0.2.1'"]


def test_looking_up_a_foreign_name_is_refused():
    with pytest.raises(NetworkRefused):
        socket.getaddrinfo("example.invalid", 443)
    assert len(NETWORK.forget()) == 1


def test_a_refusal_that_the_code_swallowed_still_fails_the_test():
    outcome = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(SWALLOWS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert outcome.returncode == pytest.ExitCode.TESTS_FAILED
    assert "reached for the network: socket.connect '192.0.2.1'" in outcome.stdout


def test_unix_sockets_and_loopback_pass(tmp_path: Path):
    path = str(tmp_path / "s")
    for family, address in ((socket.AF_UNIX, path), (socket.AF_INET, ("127.0.0.1", 0))):
        with socket.socket(family) as server, socket.socket(family) as client:
            server.bind(address)
            server.listen()
            client.connect(server.getsockname())
    assert NETWORK.forget() == []


@pytest.mark.parametrize("host", [None, "", "localhost", "127.0.0.5", b"127.0.0.1", "::1"])
def test_loopback_is_local(host: object):
    assert is_local(host)


@pytest.mark.parametrize("host", ["10.0.0.1", "example.invalid", "2001:db8::1", "localhost.evil"])
def test_everything_else_is_not(host: object):
    assert not is_local(host)


def test_the_home_of_the_session_is_a_throw_away_directory():
    home = Path(os.environ["HOME"])
    assert home.name.startswith("qt-")
    assert Path.home() == home
    assert Path(os.environ["XDG_DATA_HOME"]).is_relative_to(home)


def test_credentials_proxies_and_servers_are_dropped_and_test_settings_kept(tmp_path: Path):
    environ = {
        "OPENAI_API_KEY": "k",
        "GITHUB_TOKEN": "k",
        "https_proxy": "p",
        "QUORATE_REDIS_URL": "u",
        "PGHOST": "h",
        "QUORATE_TEST_AMQP_URL": "kept",
        "PATH": "/bin",
    }
    clean_environment(environ, tmp_path)
    assert {"QUORATE_TEST_AMQP_URL", "PATH", "HOME"} <= set(environ)
    assert not {"OPENAI_API_KEY", "GITHUB_TOKEN", "https_proxy", "PGHOST"} & set(environ)
    assert "QUORATE_REDIS_URL" not in environ


def test_a_warning_is_an_error():
    with pytest.raises(DeprecationWarning):
        warnings.warn("old", DeprecationWarning, stacklevel=1)
