"""The independent mock of model services, `@copilotkit/aimock` from npm, as a process of a test.

It is not ours, it is installed outside the repository (.ci/run), and its journal is the witness of every call:
`QUORATE_TEST_AIMOCK` names the folder that holds its `node_modules`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROGRAM = "node_modules/@copilotkit/aimock/dist/cli.js"
_STARTED = re.compile(r"listening on (http://127\.0\.0\.1:\d+)")
_START_S = 20.0


def missing() -> str | None:
    """Why it cannot be used here; None when it can."""
    if shutil.which("node") is None:
        return "node is not on PATH"
    folder = os.environ.get("QUORATE_TEST_AIMOCK")
    if not folder:
        return "QUORATE_TEST_AIMOCK is not set (.ci/run installs @copilotkit/aimock and sets it)"
    if not (Path(folder) / PROGRAM).is_file():
        return f"@copilotkit/aimock is not installed in {folder}"
    return None


@dataclass(frozen=True)
class Call:
    """A journal entry: `status` 0 when the connection was destroyed, `fault` what aimock did to it."""

    path: str
    model: str
    status: int
    fault: str | None
    streamed: bool


class Aimock(AbstractContextManager["Aimock"]):
    """A running aimock with these fixtures. Nothing of it is random: rates are 0 or 1."""

    def __init__(self, folder: Path, fixtures: Sequence[Mapping[str, Any]]) -> None:
        file = folder / "fixtures.json"
        file.write_text(json.dumps({"fixtures": list(fixtures)}), encoding="utf-8")
        program = Path(os.environ["QUORATE_TEST_AIMOCK"]) / PROGRAM
        self._log = folder / "aimock.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [
                    *("node", str(program), "--port", "0", "--fixtures", str(file)),
                    *("--journal-max", "0", "--strict", "--log-level", "info"),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.url = self._wait_for_address()

    def calls(self, model: str | None = None) -> list[Call]:
        """The calls that reached it, oldest first."""
        with urllib.request.urlopen(f"{self.url}/__aimock/journal", timeout=10) as answer:
            entries = json.load(answer)
        calls = [_call(entry) for entry in entries]
        return [call for call in calls if model in (None, call.model)]

    def _wait_for_address(self) -> str:
        ends_at = time.monotonic() + _START_S
        while time.monotonic() < ends_at and self._process.poll() is None:
            found = _STARTED.search(self._log.read_text(encoding="utf-8", errors="replace"))
            if found:
                return found[1]
            time.sleep(0.05)
        raise AssertionError(f"aimock did not start: {self._log.read_text(errors='replace')}")

    def close(self) -> None:
        """End the process and wait for it."""
        self._process.terminate()
        self._process.wait(10)

    def __exit__(self, *_why: object) -> None:
        self.close()


def _call(entry: Mapping[str, Any]) -> Call:
    body, response = entry.get("body") or {}, entry["response"]
    streamed = bool(body.get("stream")) or "stream" in str(entry["path"]).lower()
    return Call(
        path=str(entry["path"]),
        model=str(body.get("model")),
        status=int(response["status"]),
        fault=response.get("chaosAction"),
        streamed=streamed,
    )
