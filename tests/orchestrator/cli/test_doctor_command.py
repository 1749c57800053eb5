"""What `doctor` and `status` say of servers that are there and do not answer, and of external ones that are not."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.commands.doctor import examine
from orchestrator.cli.commands.status import show_status
from orchestrator.embedded.servers import ensure, status, stop
from shared.settings import ServiceSettings

pytestmark = pytest.mark.component


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    folders = {"XDG_DATA_HOME": str(tmp_path / "d"), "XDG_STATE_HOME": str(tmp_path / "s")}
    found = {**os.environ, **folders, "HOME": str(tmp_path)}
    instance = ServiceSettings.from_environment(found).instance
    ensure(instance, durable=False)
    yield found
    stop(instance, immediate=True)


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def servers(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    check = next(check for check in said(capsys)["checks"] if check["name"] == "servers")
    return check["state"], check["message"]


def test_a_server_that_was_stopped_is_not_said_to_start_by_itself(
    environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    pid = {one.name: one.pid for one in status(ServiceSettings.from_environment(environ).instance)}[
        "redis"
    ]
    assert pid is not None
    assert examine(environ, as_json=True) in (0, 5)
    assert servers(capsys)[0] == "ok"

    os.kill(pid, signal.SIGSTOP)
    try:
        assert examine(environ, as_json=True) == 5
        state, message = servers(capsys)
        show_status(environ, as_json=True)
    finally:
        os.kill(pid, signal.SIGCONT)

    assert state == "fail"
    assert f"redis (pid {pid}) is running but does not answer" in message
    redis = next(one for one in said(capsys)["servers"] if one["name"] == "redis")
    assert (redis["running"], redis["silent"], redis["pid"]) == (False, True, pid)


def test_external_servers_are_asked_and_not_believed(
    database_url: str, environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = {"QUORATE_REDIS_URL": "redis://127.0.0.1:1/0", "QUORATE_DATABASE_URL": database_url}

    assert examine({**environ, **nowhere}, as_json=True) == 5
    state, message = servers(capsys)
    assert show_status({**environ, **nowhere}, as_json=False) == 0

    assert (state, message.partition(":")[0]) == (
        "fail",
        "the broker does not answer and Redis does not answer",
    )
    out = capsys.readouterr().out
    assert "the broker does not answer\nRedis does not answer\n" in out


@pytest.mark.parametrize("locale", ["C.UTF-8", "de_DE.UTF-8"])
def test_a_terminal_that_speaks_none_of_our_languages_is_no_fault(
    locale: str, environ: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    speaking = {name: text for name, text in environ.items() if name != "QUORATE_LANG"}
    assert examine({**speaking, "LC_ALL": locale}, as_json=False) in (0, 5)
    told = capsys.readouterr().out
    assert "is not known here" not in told
    assert "servers: " in told
