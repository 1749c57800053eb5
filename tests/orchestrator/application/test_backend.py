"""A command's way to embedded servers that die, or are stopped, under it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.application.backend import Backend, connected
from orchestrator.embedded import supervisor
from orchestrator.embedded.servers import ensure, is_up, stop
from orchestrator.embedded.starting import start_supervisor
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
    opened = Backend(settings, Database(urls.database_url), environ)
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


@pytest.mark.parametrize("runs", [True, False])
def test_a_command_brings_the_schema_and_processes_of_its_own_build_wait_for_it(
    backend: Backend, runs: bool
) -> None:
    """Those of another build are replaced: tests/chaos/test_upgrades.py."""
    instance = backend.settings.instance
    supervisor.stop_supervisor(instance)
    upgrade(backend.database, "0004")
    if runs:
        start_supervisor(backend.settings, backend.environ)
    earlier = supervisor.supervisor_status(instance)
    assert earlier.running == runs

    try:
        with connected(backend.environ, workers=False) as opened:
            assert current(opened.database) == HEAD
            now = supervisor.supervisor_status(instance)
    finally:
        supervisor.stop_supervisor(instance)

    assert (now.running, now.pid) == (runs, earlier.pid)
