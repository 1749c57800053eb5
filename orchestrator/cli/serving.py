"""The HTTP side of `quorate serve`: loopback only, JSON only, a token for everything but health.

A page in a browser on this machine must not reach it: the Host header must be ours (DNS rebinding), an Origin header
too (cross-site requests), and the token is not a cookie.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

from pydantic import Field, ValidationError

from orchestrator.cli.answering import answer
from orchestrator.cli.backend import Backend, connected
from orchestrator.cli.reports import load_report
from orchestrator.views.json_report import (
    SCHEMA_VERSION,
    as_json,
    decision_json,
    dumps,
    run_summary,
)
from shared.errors import (
    DecisionConflict,
    EnvironmentFault,
    QuorateError,
    UnknownRun,
    UserError,
)
from shared.models.wire import Wire
from shared.presence import SILENCE_S
from shared.store.processes import list_processes
from shared.store.views import find_run, list_runs, schema_revision

LOOPBACK = "127.0.0.1"
MAX_BODY = 64 * 1024
LISTED_RUNS = 200
STATUS_OF: tuple[tuple[type[QuorateError], HTTPStatus], ...] = (
    (UnknownRun, HTTPStatus.NOT_FOUND),
    (DecisionConflict, HTTPStatus.CONFLICT),
    (UserError, HTTPStatus.BAD_REQUEST),
    (EnvironmentFault, HTTPStatus.SERVICE_UNAVAILABLE),
)


class AnswerBody(Wire):
    """The body of an answer, bound to what was shown."""

    choice: str
    shown_sha256: str
    message: str = Field(default="", max_length=10_000)
    only: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Reply:
    """A status and its JSON."""

    status: HTTPStatus
    content: Mapping[str, object]


class Api:
    """What the service can do, without HTTP around it."""

    def __init__(self, backend: Backend) -> None:
        """Reads and answers through `backend`."""
        self._backend = backend

    def get(self, path: str) -> Reply:
        """Answer a GET. Raises QuorateError."""
        match [unquote(part) for part in path.strip("/").split("/")]:
            case ["healthz"]:
                return _ok({"ok": True})
            case ["readyz"]:
                return self._ready()
            case ["api", "runs"]:
                rows = self._backend.read(lambda c: list_runs(c, limit=LISTED_RUNS))
                return _ok({"runs": [run_summary(row) for row in rows]})
            case ["api", "runs", run]:
                return _ok(as_json(self._backend.read(lambda c: load_report(c, run))))
            case _:
                return _error(HTTPStatus.NOT_FOUND, f"there is nothing at {path}")

    def post(self, path: str, body: bytes) -> Reply:
        """Answer a POST. Raises QuorateError."""
        match [unquote(part) for part in path.strip("/").split("/")]:
            case ["api", "runs", run, "decisions", *key] if key:
                return self._decide(run, "/".join(key), body)
            case _:
                return _error(HTTPStatus.NOT_FOUND, f"nothing can be sent to {path}")

    def _decide(self, name: str, key: str, body: bytes) -> Reply:
        try:
            wanted = AnswerBody.model_validate_json(body)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            return _error(HTTPStatus.BAD_REQUEST, f"{where or 'body'}: {first['msg']}")
        run = self._backend.read(lambda c: find_run(c, name))
        report = self._backend.read(lambda c: load_report(c, run.id))
        decision = next((one for one in report.decisions if one.key == key), None)
        if decision is None:
            raise UnknownRun(f"run {run.id} has no decision {key!r}")
        row = answer(
            self._backend,
            decision,
            wanted.choice,
            only=wanted.only,
            message=wanted.message,
            channel="api",
            shown_sha256=wanted.shown_sha256,
        )
        return _ok({"run": row.run_id, "decision": decision_json(row)})

    def _ready(self) -> Reply:
        schema = self._backend.read(schema_revision)
        alive = sorted(
            {p.kind for p in self._backend.read(list_processes) if p.silent_s < SILENCE_S}
        )
        ready = {"orchestrator", "tools", "turns"} <= set(alive)
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return Reply(status, {"ok": ready, "schema": schema, "processes": alive})


def _ok(content: Mapping[str, object]) -> Reply:
    return Reply(HTTPStatus.OK, {"schema_version": SCHEMA_VERSION, **content})


def _error(status: HTTPStatus, message: str) -> Reply:
    return Reply(status, {"error": message})


class Server(ThreadingHTTPServer):
    """One request a thread; knows the API and the token."""

    daemon_threads = True

    def __init__(self, port: int, api: Api, token: str) -> None:
        """Binds at once. Raises EnvironmentFault when the port is taken."""
        try:
            super().__init__((LOOPBACK, port), Handler)
        except OSError as error:
            raise EnvironmentFault(
                f"port {port} cannot be used ({error.strerror}): give another one with --port"
            ) from error
        self.api = api
        self.token = token

    @property
    def hosts(self) -> frozenset[str]:
        """The Host headers that mean us."""
        port = self.server_address[1]
        return frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})


class Handler(BaseHTTPRequestHandler):
    """HTTP around the API."""

    server: Server
    server_version = "quorate"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Health and reading."""
        path = urlsplit(self.path).path
        self._answer(path, lambda: self.server.api.get(path))

    def do_POST(self) -> None:
        """Decisions."""
        path = urlsplit(self.path).path
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > MAX_BODY:
            self._send(_error(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "a body of at most 64 KiB"))
            return
        if self.headers.get_content_type() != "application/json":
            self._send(_error(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json"))
            return
        body = self.rfile.read(int(length))
        self._answer(path, lambda: self.server.api.post(path, body))

    def log_message(self, format: str, *args: object) -> None:
        """Requests are not logged: paths hold run ids only, but nobody asked for them."""

    def _answer(self, path: str, work: Callable[[], Reply]) -> None:
        refused = self._refusal(path)
        if refused is not None:
            self._send(refused)
            return
        try:
            self._send(work())
        except QuorateError as error:
            status = next(
                (status for kind, status in STATUS_OF if isinstance(error, kind)),
                HTTPStatus.INTERNAL_SERVER_ERROR,
            )
            self._send(_error(status, str(error)))

    def _refusal(self, path: str) -> Reply | None:
        hosts = self.server.hosts
        if self.headers.get("Host", "") not in hosts:
            return _error(HTTPStatus.MISDIRECTED_REQUEST, "this is not the host that was asked for")
        origin = self.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc not in hosts:
            return _error(HTTPStatus.FORBIDDEN, "another site may not ask")
        if not path.startswith("/api"):
            return None
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not secrets.compare_digest(given.encode(), self.server.token.encode()):
            return _error(HTTPStatus.UNAUTHORIZED, "send the token as `Authorization: Bearer ...`")
        return None

    def _send(self, reply: Reply) -> None:
        content = dumps(reply.content).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(content)


def run_server(environ: Mapping[str, str], port: int) -> int:
    """Serve until interrupted; the exit code."""
    token = environ.get("QUORATE_SERVE_TOKEN") or secrets.token_urlsafe(24)
    with connected(environ) as backend:
        server = Server(port, Api(backend), token)
        address = {"url": f"http://{LOOPBACK}:{server.server_address[1]}", "token": token}
        sys.stdout.write(json.dumps(address) + "\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        finally:
            server.server_close()
    return 0
