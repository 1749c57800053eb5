"""Servers that exist, services started by hand, and a model that answers when it is let to."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition
from typing import Any

from orchestrator.embedded.processes import wait_until
from shared.store.database import Database
from tests.fixtures.instance import CommandLine
from tests.support.bad_servers import read_request, reply

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
class OutsideStand:
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

    def close(self) -> None:
        """End the services, whatever they are at."""
        self.model.allow(1000)
        for service in self.services:
            service.kill()
            service.communicate(timeout=60)
