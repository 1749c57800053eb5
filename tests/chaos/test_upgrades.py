"""An installation that changes while its processes work: what a `git pull` or a `pip install -U` comes to."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from orchestrator.embedded.processes import is_alive, wait_until
from orchestrator.embedded.supervisor import leaving_supervisors, supervisor_status
from shared.instance import Endpoints, Instance
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.migrate import HEAD
from tests.extension.installation import copy_packages, make_environment
from tests.fixtures.instance import CommandLine, make_command_line, make_repository
from tests.support.bad_servers import read_request, reply, server

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

ANSWER = {
    "id": "x",
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": '{"answer": "Four."}'},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
MIGRATION = '''"""For a test."""

from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade() -> None:
    op.execute("CREATE TABLE added (id integer)")


def downgrade() -> None:
    op.execute("DROP TABLE added")
'''


@dataclass
class Model:
    """A model that answers when it is let to, and counts what it is asked: each call would be paid."""

    url: str = ""
    calls: int = 0
    answers: Event = field(default_factory=Event)

    def speak(self, connection: socket.socket) -> None:
        read_request(connection)
        self.calls += 1
        self.answers.wait(120)
        connection.sendall(reply(json.dumps(ANSWER).encode()))


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    with server(model.speak) as model.url:
        yield model
        model.answers.set()


@dataclass(frozen=True)
class QuorateInstallation:
    """A copy of the product with an instance of its own."""

    home: Path
    command: CommandLine

    @property
    def instance(self) -> Instance:
        return ServiceSettings.from_environment(self.command.environ).instance

    def change(self) -> None:
        """What a `git pull` does: a file of the sources is another one."""
        with (self.home / "shared/faults.py").open("a") as file:
            file.write("# changed\n")

    def add_migration(self) -> Path:
        file = self.home / "shared/store/migrations/versions/9999_added.py"
        file.write_text(MIGRATION.format(head=HEAD))
        return file

    def submit(self, model: Model) -> str:
        """A question to the model, whose call is under way when this returns."""
        cast = f"participants: [ann]\nproviders: {{ann: {{type: openai, model: m, base_url: '{model.url}'}}}}\n"
        (self.command.home / "cast.yaml").write_text(cast)
        asked = self.command("ask", "How many?", "--config", "cast.yaml", "--no-stdin", "--no-wait")
        assert asked.returncode == 0, asked.stderr
        assert wait_until(lambda: model.calls == 1, 60, poll_s=0.05)
        return asked.stdout.strip()

    def completes(self, run: str) -> bool:
        sql = "SELECT status = 'completed' FROM runs WHERE id = %s"
        return wait_until(lambda: bool(self.value(sql, run)), 90, poll_s=0.2)

    def value(self, sql: str, *words: object) -> Any:
        database = Database(self.instance.endpoints.database_url, pool_size=1)
        try:
            return database.run(lambda connection: connection.execute(sql, words).fetchone())[0]
        finally:
            database.close()

    def supervisor(self) -> int:
        """The supervisor's pid, once it has told of its processes."""
        assert wait_until(lambda: bool(supervisor_status(self.instance).children), 60, poll_s=0.05)
        pid = supervisor_status(self.instance).pid
        assert pid is not None
        return pid


@pytest.fixture(scope="module")
def installed() -> Iterator[QuorateInstallation]:
    root = Path(tempfile.mkdtemp(prefix="qu-", dir="/tmp"))
    home = copy_packages(root)
    scripts = make_environment(root / "env", home)
    (root / "home").mkdir()
    command = replace(make_command_line(root / "home"), cold=True, scripts=scripts)
    yield QuorateInstallation(home, command)
    command.stop()
    shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def installation(installed: QuorateInstallation) -> QuorateInstallation:
    """The installation with its processes up."""
    started = installed.command("up")
    assert started.returncode == 0, started.stderr
    installed.supervisor()
    return installed


def test_the_next_command_replaces_the_processes_and_calls_under_way_are_finished(
    installation: QuorateInstallation, model: Model
) -> None:
    run = installation.submit(model)
    earlier = installation.supervisor()
    installation.change()
    assert "the next command that needs them" in installation.command("status").stdout

    listed = installation.command("list")

    assert "the background processes ran another version" in listed.stderr
    assert leaving_supervisors(installation.instance) == (earlier,)
    assert installation.supervisor() != earlier
    assert installation.command("list").stderr == "", "it is told once"
    assert "they finish the calls under way" in installation.command("status").stdout
    model.answers.set()
    watched = installation.command("watch", run)
    assert (watched.returncode, model.calls) == (0, 1)
    assert wait_until(lambda: not is_alive(earlier), 60)
    versions = "SELECT count(DISTINCT version) FROM processes"
    assert wait_until(lambda: installation.value(versions) == 1, 10), "who ended is listed no more"


def test_a_process_that_was_killed_is_listed_no_more(installation: QuorateInstallation) -> None:
    worker = {child.name: child.pid for child in supervisor_status(installation.instance).children}[
        "turns"
    ]
    assert worker is not None
    listed = f"turns on {socket.gethostname()}, pid {worker},"
    assert wait_until(lambda: listed in installation.command("status").stdout, 60)

    os.kill(worker, signal.SIGKILL)

    assert listed not in installation.command("status").stdout


def kill_the_command(installation: QuorateInstallation) -> None:
    """It asked the supervisor to make room, and started none."""
    os.kill(installation.supervisor(), signal.SIGUSR2)


def kill_the_new_supervisor(installation: QuorateInstallation) -> None:
    installation.command("list")
    os.kill(installation.supervisor(), signal.SIGKILL)


def kill_the_earlier_supervisor(installation: QuorateInstallation) -> None:
    kill_the_command(installation)
    assert wait_until(lambda: bool(leaving_supervisors(installation.instance)), 10)
    (earlier,) = leaving_supervisors(installation.instance)
    os.kill(earlier, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.chaos
@pytest.mark.parametrize(
    ("kill", "calls"),
    [(kill_the_command, 1), (kill_the_new_supervisor, 1), (kill_the_earlier_supervisor, 2)],
)
def test_who_is_killed_in_the_middle_of_an_upgrade_stops_no_run(
    installation: QuorateInstallation,
    model: Model,
    kill: Callable[[QuorateInstallation], None],
    calls: int,
) -> None:
    run = installation.submit(model)
    earlier = installation.supervisor()
    installation.change()

    kill(installation)

    assert wait_until(lambda: model.calls == calls, 60)
    model.answers.set()
    assert installation.completes(run)
    assert model.calls == calls
    assert wait_until(lambda: not is_alive(earlier), 60)
    assert installation.supervisor() != earlier
    assert installation.command("list").returncode == 0


@pytest.mark.slow
@pytest.mark.chaos
def test_a_migration_waits_for_the_calls_of_the_earlier_version(
    installation: QuorateInstallation, model: Model
) -> None:
    run = installation.submit(model)
    migration = installation.add_migration()
    revision = "SELECT version_num FROM alembic_version"

    listing = installation.command.start("list")
    assert listing.stderr is not None
    told = [listing.stderr.readline(), listing.stderr.readline()]

    assert "the background processes ran another version" in told[0]
    assert "upgraded as soon as the earlier version has finished" in told[1]
    assert installation.value(revision) == HEAD
    model.answers.set()
    listing.communicate(timeout=110)
    assert (listing.returncode, installation.value(revision)) == (0, "9999")
    assert installation.completes(run)
    assert model.calls == 1

    migration.unlink()
    refused = installation.command("list")
    assert refused.returncode == 5
    assert "which a newer version of Quorate made" in refused.stderr


@pytest.fixture
def external(servers: Endpoints, database_url: str, tmp_path: Path) -> CommandLine:
    """This version's command line on servers that are not its own."""
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    return replace(make_command_line(tmp_path, **urls), cold=True)


@pytest.mark.slow
@pytest.mark.chaos
def test_of_two_contracts_the_older_takes_no_work_and_says_why(
    external: CommandLine, tmp_path: Path
) -> None:
    home = copy_packages(tmp_path)
    build = home / "shared/build.py"
    build.write_text(build.read_text().replace("CONTRACT = 1\n", "CONTRACT = 2\n"))
    newer = replace(external, scripts=make_environment(tmp_path / "env", home))

    worker = external.start("turns", program="quorate-worker")
    assert wait_until(lambda: "turns on" in external("status").stdout, 60)
    orchestrator = newer.start("orchestrator")
    try:
        _, told = worker.communicate(timeout=60)
        assert "does not understand: install that version here too" in told
        status = external("status")
        assert "a version with other messages than this command's" in status.stdout
        refused = external("review", "--no-wait", cwd=make_repository(tmp_path / "repository"))
        assert refused.returncode == 5
        assert "whose messages are not those of this version" in refused.stderr
        assert external("list").returncode == 5
    finally:
        worker.kill()
        orchestrator.terminate()
        orchestrator.communicate(timeout=60)
