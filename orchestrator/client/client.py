"""A typed client of the HTTP API: synchronous, on httpx, its errors those of the application.

    with Client("https://quorate.example.com", token) as client:
        run = client.submit("ask", {"text": "Is a monolith right for three people?"})
        print(client.wait(run, 600)["verdict"])

What is read is sent again when the connection breaks; what is submitted is sent with a key, so it is done once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote
from uuid import uuid4

import httpx

from orchestrator.client.refusals import ServiceAway
from orchestrator.client.requesting import PAUSE_S, TRIES, ServiceRequests
from orchestrator.client.server_sent import server_sent

JSON_LINES = "application/x-ndjson"
SETTLED = frozenset({"completed", "cancelled", "expired", "blocked"})


@dataclass(frozen=True)
class RunEvent:
    """Something that happened in a run, with its number."""

    seq: int
    type: str
    body: Mapping[str, Any]


class Client:
    """A service and a token."""

    def __init__(self, url: str, token: str, *, transport: httpx.BaseTransport | None = None):
        """`url` is the service's address, without a path."""
        self.requests = ServiceRequests(url, token, transport=transport)

    def __enter__(self) -> Self:
        """The client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Drop the connections."""
        self.close()

    def close(self) -> None:
        """Drop the connections."""
        self.requests.close()

    # ---- runs -----------------------------------------------------------------------------------

    def submit(
        self,
        workflow: str,
        input: Mapping[str, Any],
        *,
        options: Mapping[str, Any] | None = None,
        participants: Sequence[str] = (),
        models: Sequence[str] = (),
        parts: Mapping[str, str] | None = None,
        key: str | None = None,
    ) -> str | dict[str, Any]:
        """Start a run: its id; its result where nobody has to be asked. The same `key` starts one run."""
        body = {
            "workflow": workflow,
            "input": dict(input),
            "options": dict(options or {}),
            "participants": list(participants),
            "models": list(models),
            "parts": dict(parts or {}),
        }
        answer: dict[str, Any] = self.post("/runs", body, key=key).json()
        run = answer["run"]["id"]
        return answer if run is None else str(run)

    def run(self, run: str) -> dict[str, Any]:
        """A run as `quorate show --json` prints it."""
        content: dict[str, Any] = self.get(f"/runs/{_part(run)}").json()
        return content

    def runs(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """The runs that are wanted, newest first, read page after page."""
        cursor: str | None = None
        while True:
            page = self.get("/runs", {**filters, "cursor": cursor}).json()
            yield from page["runs"]
            if (cursor := page["next_cursor"]) is None:
                return

    def report(self, run: str, form: str = "markdown") -> str:
        """A run's result in a format."""
        return self.get(f"/runs/{_part(run)}/report", {"format": form}).text

    def wait(self, run: str, timeout_s: float = 3600.0) -> dict[str, Any]:
        """The run once it has ended or asks a person. Raises TimeoutError."""
        end = time.monotonic() + timeout_s
        pause_s = PAUSE_S
        while True:
            found = self.run(run)
            asks = (found["decision"] or {}).get("state") == "open"
            if asks or found["run"]["status"] in SETTLED:
                return found
            if time.monotonic() >= end:
                raise TimeoutError(f"run {run} goes on after {timeout_s:g} s")
            time.sleep(min(pause_s, max(0.0, end - time.monotonic())))
            pause_s = min(pause_s * 1.5, 5.0)

    def events(self, run: str, after: int = 0) -> Iterator[RunEvent]:
        """What happens in a run until it has ended; goes on where it was when the connection breaks."""
        while True:
            try:
                for kind, seq, content in self.stream(run, after):
                    if kind == "end":
                        return
                    if seq is not None:
                        after = seq
                        yield RunEvent(seq, kind, content["body"])
            except ServiceAway as away:
                if away.for_good:
                    raise
            time.sleep(PAUSE_S)

    def cancel(self, run: str) -> str:
        """End a run; its id."""
        return str(self.post(f"/runs/{_part(run)}/cancel").json()["run"]["id"])

    def resume(self, run: str) -> str:
        """Try a blocked run again; its id."""
        return str(self.post(f"/runs/{_part(run)}/resume").json()["run"]["id"])

    # ---- decisions ------------------------------------------------------------------------------

    def inbox(self) -> dict[str, Any]:
        """What waits for a person."""
        content: dict[str, Any] = self.get("/inbox").json()
        return content

    def decide(
        self,
        run: str,
        key: str,
        choice: str,
        shown_sha256: str,
        *,
        message: str = "",
        only: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """Answer a decision, bound to what was shown."""
        body = {
            "choice": choice,
            "shown_sha256": shown_sha256,
            "message": message,
            "only": None if only is None else list(only),
        }
        path = f"/runs/{_part(run)}/decisions/{quote(key, safe='/')}"
        content: dict[str, Any] = self.post(path, body).json()
        return content

    def take_turn(self, run: str, step: str, text: str) -> dict[str, Any]:
        """Take a person's turn; the names of run and step."""
        path = f"/runs/{_part(run)}/turns/{quote(step, safe='/')}"
        taken: dict[str, Any] = self.post(path, {"text": text}).json()
        return taken

    # ---- batches --------------------------------------------------------------------------------

    def submit_batch(
        self,
        lines: bytes,
        *,
        name: str | None = None,
        max_usd: float | None = None,
        max_running: int | None = None,
    ) -> dict[str, Any]:
        """Submit a file of JSON lines. The same file again is the same batch."""
        query = {"name": name, "max_usd": max_usd, "max_running": max_running}
        headers = {"Content-Type": JSON_LINES}
        answer = self.requests.send("POST", "/batches", query=query, content=lines, headers=headers)
        batch: dict[str, Any] = answer.json()["batch"]
        return batch

    def batch(self, name: str) -> dict[str, Any]:
        """How a batch stands."""
        batch: dict[str, Any] = self.get(f"/batches/{_part(name)}").json()["batch"]
        return batch

    def batch_results(self, name: str, *, errors: bool = False) -> Iterator[str]:
        """A line of JSON for each item that has ended."""
        query = {"errors": str(errors).lower()}
        with self.requests.lines(f"/batches/{_part(name)}/results", query=query) as lines:
            yield from lines

    # ---- the installation -----------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """Processes, runs by status, what waits its turn and what is paused."""
        content: dict[str, Any] = self.get("/status").json()
        return content

    # ---- requests -------------------------------------------------------------------------------

    def get(
        self, path: str, query: Mapping[str, Any] | None = None, *, tries: int = TRIES
    ) -> httpx.Response:
        """Read something. Raises QuorateError."""
        return self.requests.send("GET", path, query=query, tries=tries)

    def post(
        self, path: str, body: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> httpx.Response:
        """Do something, once. Raises QuorateError."""
        headers = {"Idempotency-Key": key or uuid4().hex, "Content-Type": "application/json"}
        content = b"" if body is None else json.dumps(body).encode()
        return self.requests.send("POST", path, content=content, headers=headers)

    def delete(self, path: str) -> None:
        """Remove something; what is gone already, since the connection broke, is removed. Raises QuorateError."""
        self.requests.send("DELETE", path)

    def stream(
        self, run: str, after: int, *, written: bool = False
    ) -> Iterator[tuple[str, int | None, Any]]:
        """(type, number, content) of each server-sent event of a run after a number, until the service stops.

        With `written` also what turns are writing, which has no numbers. Raises QuorateError.
        """
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
        query = {"written": "true"} if written else None
        path = f"/runs/{_part(run)}/events"
        with self.requests.lines(path, query=query, headers=headers) as lines:
            yield from server_sent(lines)


def _part(name: str) -> str:
    return quote(name, safe="")
