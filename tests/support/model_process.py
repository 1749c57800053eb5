"""The stand-in model server as a process of a test."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).with_name("model_server.py")


class ModelServer(AbstractContextManager["ModelServer"]):
    """A running stand-in. `url` is its address without a path, `base_url` the one for OpenAI's."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "calls.jsonl"
        self.control = folder / "control.json"
        self._process = subprocess.Popen(
            [
                sys.executable,
                str(PROGRAM),
                "--log",
                str(self.log),
                "--control",
                str(self.control),
                "--with-parent",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.url: str = json.loads(self._process.stdout.readline())["url"]
        self.base_url = f"{self.url}/v1"

    def calls(self, model: str | None = None) -> list[dict[str, Any]]:
        """The calls that reached the server, oldest first."""
        calls = [event for event in self.events() if event["event"] == "call"]
        return [call for call in calls if model in (None, call["model"])]

    def events(self) -> list[dict[str, Any]]:
        """Every line of the log that is whole by now."""
        written = self.log.read_bytes()
        return [json.loads(line) for line in written[: written.rfind(b"\n") + 1].splitlines()]

    def tell(self, wishes: dict[str, dict[str, Any]]) -> None:
        """What to do from now on, by model name."""
        self.control.write_text(json.dumps(wishes))

    def close(self) -> None:
        """End the process and wait for it."""
        self._process.terminate()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        self._process.wait(10)

    def __exit__(self, *_why: object) -> None:
        self.close()
