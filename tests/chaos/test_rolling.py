"""Workers that stop and workers that replace them, on servers of their own: calls are finished, paid once, and nobody
waits for a person."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Condition
from typing import Any

import pytest

from orchestrator.embedded.processes import wait_until
from shared.instance import Endpoints
from shared.store.database import Database
from tests.extension.installation import copy_packages, make_environment
from tests.fixtures.instance import CommandLine, make_command_line
from tests.support.bad_servers import read_request, reply, server

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

SAID = {"role": "assistant", "content": '{"answer": "Four."}'}
ANSWER = {
    "id": "x",
    "model": "m",
    "choices": [{"index": 0, "message": SAID, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
PERSONS_CAST = """
participants: [ann, bob]
providers: {{ann: {{type: openai, model: m, base_url: '{url}'}}, bob: {{type: person}}}}
"""
MODELS_CAST = (
    "participants: [ann]\nproviders: {{ann: {{type: openai, model: m, base_url: '{url}'}}}}\n"
)
STARTED = 60.0


@dataclass
class HeldModel:
    """A model that answers one call for each that it is allowed to, and counts what it is asked."""

    url: str = ""
    calls: int = 0
    allowed: int = 0
    changed: Condition = field(default_factory=Condition)

    def allow(self, calls: int) -> None:
        with self.changed:
            self.allowed += calls
            self.changed.notify_all()

    def speak(self, connection: socket.socket) -> None:
        read_request(connection)
        with self.changed:
            self.calls += 1
            number = self.calls
            self.changed.wait_for(lambda: self.allowed >= number, 180)
        connection.sendall(reply(json.dumps(ANSWER).encode()))


@dataclass
class Stand:
    """Servers, a command line, a model, and the services that were started."""

    command: CommandLine
    database: Database
    model: HeldModel
    services: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, *words: str, program: str, command: CommandLine | None = None) -> Any:
        service = (command or self.command).start(*words, program=program)
        self.services.append(service)
        return service

    def value(self, sql: str) -> Any:
        row = self.database.run(lambda connection: connection.execute(sql).fetchone())
        assert row is not None
        return row[0]

    def until(self, condition: Callable[[], bool]) -> None:
        assert wait_until(condition, STARTED, poll_s=0.05), self.told()

    def told(self) -> str:
        """What services said that have ended."""
        ended = [service for service in self.services if service.poll() is not None]
        return "\n".join(str(service.stderr and service.stderr.read()) for service in ended)

    def alive(self, kind: str, number: int = 1) -> None:
        count = f"SELECT count(*) FROM processes WHERE kind = '{kind}' AND seen_at > now() - interval '5 s'"
        self.until(lambda: self.value(count) == number)

    def ask(self, cast: str, runs: int = 1) -> None:
        (self.command.home / "cast.yaml").write_text(cast.format(url=self.model.url))
        for _ in range(runs):
            words = ("ask", "How many?", "--config", "cast.yaml", "--no-stdin", "--no-wait")
            asked = self.command(*words)
            assert asked.returncode == 0, asked.stderr


@pytest.fixture
def stand(
    servers: Endpoints, database_url: str, broker_url: str, tmp_path: Path
) -> Iterator[Stand]:
    assert broker_url
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    command = make_command_line(tmp_path, **urls, QUORATE_ALLOWED="anything")
    model = HeldModel()
    database = Database(database_url, pool_size=1, patience_s=10)
    with server(model.speak) as model.url:
        made = Stand(command, database, model)
        yield made
        model.allow(1000)
        for service in made.services:
            service.kill()
            service.communicate(timeout=60)
    database.close()


def test_a_stop_waits_for_calls_under_way_and_for_no_person(stand: Stand) -> None:
    stand.start("orchestrator", program="quorate")
    worker = stand.start("turns", program="quorate-worker")
    stand.alive("turns")
    stand.ask(PERSONS_CAST)
    put_off = "SELECT count(*) FROM steps WHERE participant = 'bob' AND held_back_at IS NOT NULL"
    stand.until(lambda: stand.model.calls == 1 and stand.value(put_off) == 1)

    worker.terminate()
    with pytest.raises(subprocess.TimeoutExpired):
        worker.wait(2)  # the call is paid: it is not cut off
    stand.model.allow(1)

    assert worker.wait(STARTED) == 0, "it did not wait for the person"
    done = "SELECT count(*) FROM steps WHERE participant = 'ann' AND status = 'done'"
    assert (stand.value(done), stand.model.calls) == (1, 1)
    assert stand.value("SELECT status FROM runs") == "running", "the person's turn is still open"


@pytest.mark.slow
@pytest.mark.chaos
def test_old_workers_are_replaced_by_new_ones_in_the_middle_of_their_calls(
    stand: Stand, tmp_path: Path
) -> None:
    home = copy_packages(tmp_path)
    with (home / "shared/faults.py").open("a") as file:
        file.write("# another version\n")
    newer = replace(stand.command, cold=True, scripts=make_environment(tmp_path / "env", home))
    old = [
        stand.start("orchestrator", program="quorate"),
        stand.start("turns", program="quorate-worker"),
    ]
    stand.alive("turns")
    stand.ask(MODELS_CAST, runs=4)
    stand.until(lambda: stand.model.calls == 4)

    stand.start("turns", program="quorate-worker", command=newer)
    stand.start("orchestrator", program="quorate", command=newer)
    stand.alive("turns", 2)
    stand.alive("orchestrator", 2)
    versions = "SELECT count(DISTINCT version) FROM processes"
    assert stand.value(versions) == 2
    assert "both work side by side" in stand.command("status").stdout
    for service in old:
        service.terminate()
    stand.ask(MODELS_CAST, runs=4)
    stand.until(lambda: stand.model.calls == 8)
    stand.model.allow(8)

    assert [service.wait(STARTED) for service in old] == [0, 0]
    stand.until(lambda: stand.value("SELECT count(*) FROM runs WHERE status = 'completed'") == 8)
    assert stand.model.calls == 8, "each call was paid once"
    assert stand.value("SELECT max(attempts) FROM steps") == 1
