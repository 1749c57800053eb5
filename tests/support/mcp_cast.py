"""Scripted participants for tests of `quorate mcp`, and a client that writes what it likes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.fixtures.instance import SCRIPTS, CommandLine

QUICK = """
- when: {role: answer, contains: "hostile_marker"}
  reply: {answer: "I was given material.", confidence: 0.9}
- when: {role: answer}
  reply: {answer: "A monolith, for now.", confidence: 0.8}
- when: {role: ranking}
  reply: {ranking: [A, B], reason: "A says why"}
- when: {role: synthesis}
  reply: {summary: "Everybody would begin with a monolith."}
"""
SLOW = """
- when: {role: answer}
  latency_s: 90
  reply: {answer: "Too late."}
"""
CONFIG = """
providers:
  ada: {type: scripted, script: quick.yaml}
  bob: {type: scripted, script: quick.yaml}
  snail: {type: scripted, script: slow.yaml}
participants: [ada, bob]
"""


def write_cast(folder: Path) -> Path:
    """A configuration with two quick participants and one that answers long after the test."""
    folder.mkdir()
    (folder / "quick.yaml").write_text(QUICK)
    (folder / "slow.yaml").write_text(SLOW)
    (folder / "config.yaml").write_text(CONFIG)
    return folder / "config.yaml"


class Raw:
    """A client that writes what it likes and keeps every byte that comes."""

    def __init__(self, live: CommandLine, *arguments: str, cwd: Path) -> None:
        self._process = subprocess.Popen(
            [str(SCRIPTS / "quorate"), "mcp", *arguments],
            cwd=cwd,
            env=dict(live.environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def send(self, method: str, params: Any = None, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "id": number, "params": params}
        self.line(json.dumps({key: value for key, value in message.items() if value is not None}))

    def read(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def initialize(self) -> Any:
        client = {"name": "raw", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.send("initialize", params, number=1)
        answer = self.read()
        self.send("notifications/initialized")
        return answer

    def end(self) -> tuple[str, str]:
        rest = self._process.communicate(timeout=30)
        assert self._process.returncode == 0
        return rest
