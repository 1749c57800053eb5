"""A command's way to embedded servers that die, or are stopped, under it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.application import backend as backend_module
from orchestrator.application.backend import Backend, connected
from orchestrator.embedded import supervisor
from orchestrator.embedded.servers import ensure, is_up, stop
from shared.delivery.signals import Signals
from shared.errors import EnvironmentFault
from shared.settings import ServiceSettings
from shared.store.database import Connection, Database
from shared.store.migrate import HEAD, current, upgrade

pytestmark = pytest.mark.component


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    """On servers of its own, as a command has it that began while they ran under a supervisor."""
    environ = {"XDG_DATA_HOME": str(tmp_path / "d"), "XDG_STATE_HOME": str(tmp_path / "s")}
    settings = ServiceSettings.from_environment(environ)
    urls = ensure(settings.instance, durable=False)
    (settings.instance.state_dir / "supervisor.wanted").touch()
    opened = Backend(settings, Database(urls.database_url), Signals(urls.redis_url), environ)
    yield opened
    opened.close()
    stop(settings.instance, immediate=True)


def answer(connection: Connection) -> object:
    row = connection.execute("SELECT 42").fetchone()
    return row and row[0]


def test_killed_servers_are_started_again_by_who_reads(backend: Backend) -> None:
    assert supervisor.is_wanted(backend.settings.instance)
    assert backend.read(answer) == 42
    stop(backend.settings.instance, immediate=True)

    assert backend.read(answer) == 42
    assert backend.write(answer) == 42


def test_what_was_stopped_on_purpose_stays_down_and_how_to_go_on_is_told(backend: Backend) -> None:
    instance = backend.settings.instance
    assert not supervisor.stop_supervisor(instance)  # it was killed; from now on none is wanted
    stop(instance, immediate=True)

    with pytest.raises(EnvironmentFault, match=r"was stopped \(`quorate down`\).*`quorate up`"):
        backend.read(answer)
    assert not backend.revive()
    assert not is_up(instance)


@pytest.mark.parametrize("wanted", [True, False])
def test_processes_of_an_earlier_version_end_before_its_tables_change(
    backend: Backend, monkeypatch: pytest.MonkeyPatch, wanted: bool
) -> None:
    """They could do nothing with the new ones, and every run would stand still while `status` shows them alive."""
    happened: list[tuple[str, str | None]] = []
    monkeypatch.setattr(
        backend_module,
        "stop_supervisor",
        lambda instance: happened.append(("stop", current(backend.database))),
    )
    monkeypatch.setattr(
        backend_module,
        "start_supervisor",
        lambda settings, environ: happened.append(("start", current(backend.database))),
    )
    upgrade(backend.database, "0004")
    if not wanted:
        supervisor.stop_supervisor(backend.settings.instance)

    for _ in range(2):  # the second command finds everything as it has to be
        with connected(backend.environ, workers=False) as opened:
            assert opened.read(answer) == 42

    assert happened == [("stop", "0004"), ("start", HEAD)][: 1 + wanted]
