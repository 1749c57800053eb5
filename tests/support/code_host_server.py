"""Stand-ins for GitHub and GitLab that speak the documented part of their APIs over a real socket."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import urlsplit

TOKEN = "a-token"


@dataclass
class HostState:
    """What the host has, and what it answers next instead: (method, part of the path, status, headers, handled)."""

    whole: list[dict[str, Any]] = field(default_factory=list)
    inline: list[dict[str, Any]] = field(default_factory=list)
    faults: list[tuple[str, str, int, dict[str, str], bool]] = field(default_factory=list)
    shown_lines: range = range(1, 100)
    app_token: bool = False
    requests: list[str] = field(default_factory=list)
    address: str = ""

    def fail(
        self, method: str, path: str, status: int, *, handled: bool = False, **headers: str
    ) -> None:
        """Answer the next such request so; `handled`: it has had its effect, and only its answer is lost."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.faults.append((method, path, status, named, handled))


class _Handler(BaseHTTPRequestHandler):
    state: ClassVar[HostState]

    def log_message(self, *_args: object) -> None:
        """Nothing."""

    def _handle(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        content = json.loads(self.rfile.read(size) or b"{}")
        path, query = urlsplit(self.path).path, urlsplit(self.path).query
        self.state.requests.append(f"{self.command} {path}")
        if TOKEN not in (
            self.headers.get("private-token"),
            (self.headers.get("authorization") or "")[7:],
        ):
            self._answer(401, {})
            return
        fault = next((f for f in self.state.faults if f[0] == self.command and f[1] in path), None)
        if fault is None:
            self._answer(*self._respond(path, query, content))
            return
        self.state.faults.remove(fault)
        if fault[4]:
            self._respond(path, query, content)
        self._answer(fault[2], {}, fault[3])

    do_GET = do_POST = do_PATCH = do_PUT = _handle  # noqa: N815 - names of http.server

    def _answer(self, status: int, content: Any, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _respond(self, path: str, query: str, content: dict[str, Any]) -> tuple[int, Any]:
        if path.endswith("/user"):
            return (403, {}) if self.state.app_token else (200, {"login": "quorate", "id": 5})
        if self.command == "GET":
            return self._listed(path, query)
        if self.command in ("PATCH", "PUT"):
            return self._edited(path, content)
        return self._posted(path, content)

    def _listed(self, path: str, query: str) -> tuple[int, Any]:
        if path.endswith("/merge_requests/7"):
            shas = {"base_sha": "b" * 40, "start_sha": "b" * 40, "head_sha": "a" * 40}
            return 200, {"iid": 7, "diff_refs": shas}
        both = path.endswith("/notes")
        entries = self.state.inline if "/pulls/" in path else self.state.whole
        entries = self.state.whole + self.state.inline if both else entries
        page = int(dict(pair.split("=") for pair in query.split("&"))["page"])
        return 200, entries[100 * (page - 1) : 100 * page]

    def _edited(self, path: str, content: dict[str, Any]) -> tuple[int, Any]:
        entry = next(e for e in self.state.whole if str(e["id"]) == path.rpartition("/")[2])
        entry["body"] = content["body"]
        return 200, entry

    def _posted(self, path: str, content: dict[str, Any]) -> tuple[int, Any]:
        position = content.get("position") or content
        line = position.get("new_line") or position.get("line")
        if line is not None and line not in self.state.shown_lines:
            return 422 if "/pulls/" in path else 400, {"message": "line must be part of the diff"}
        entries = self.state.whole if line is None else self.state.inline
        number = len(self.state.whole) + len(self.state.inline) + 1
        kind = "Bot" if self.state.app_token else "User"
        entry = {
            "id": number,
            "body": content["body"],
            "user": {"login": "quorate", "type": kind},
            "author": {"id": 5},
            "type": None if line is None else "DiffNote",
            "line": line,
        }
        entries.append(entry)
        return 201, entry


@contextmanager
def code_host() -> Iterator[HostState]:
    """A host on loopback."""
    state = HostState()
    handler = type("Handler", (_Handler,), {"state": state})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    state.address = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
