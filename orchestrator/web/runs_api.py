"""What `quorate serve` offers: runs to read and decisions to answer, as JSON. HTTP itself is in `http_service.py`."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from orchestrator.application.backend import Backend, connected
from orchestrator.application.decide import answer
from orchestrator.application.report import load_report
from orchestrator.presentation.formats.json import (
    SCHEMA_VERSION,
    as_json,
    decision_json,
    run_summary,
)
from orchestrator.web.http_service import LOOPBACK, READING, Path, Reply, Request, Server, error
from shared.delivery.presence import SILENCE_S
from shared.errors import UnknownRun
from shared.models.wire import Wire
from shared.store.database import SERVICE_ANSWER_S
from shared.store.processes import list_processes
from shared.store.views import find_run, list_runs, schema_revision

LISTED_RUNS = 200
METHODS = "GET, HEAD, POST"

# Postgres stores no NUL, neither in text nor in jsonb.
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", strip_whitespace=False)]


class AnswerBody(Wire):
    """The body of an answer, bound to what was shown."""

    choice: Text
    shown_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    message: Text = Field(default="", max_length=10_000)
    only: tuple[Text, ...] | None = None


class Api:
    """What the service can do, without HTTP around it."""

    def __init__(self, backend: Backend) -> None:
        """Reads and answers through `backend`."""
        self._backend = backend

    def answer(self, request: Request) -> Reply:
        """Answer an authorised request. Raises QuorateError."""
        if request.method in READING:
            return self._read(request.path)
        if request.method != "POST":
            return error(HTTPStatus.METHOD_NOT_ALLOWED, f"use {METHODS}", METHODS)
        match request.path:
            case ("api", "runs", run, "decisions", *key) if key:
                return self._decide(run, "/".join(key), request.body)
            case path:
                return error(HTTPStatus.NOT_FOUND, f"nothing can be sent to /{'/'.join(path)}")

    def _read(self, path: Path) -> Reply:
        match path:
            case ("healthz",):
                return _ok({"ok": True})
            case ("readyz",):
                return self._ready()
            case ("api", "runs"):
                rows = self._backend.read(lambda c: list_runs(c, limit=LISTED_RUNS))
                return _ok({"runs": [run_summary(row) for row in rows]})
            case ("api", "runs", run):
                return _ok(as_json(self._backend.read(lambda c: load_report(c, run))))
            case _:
                return error(HTTPStatus.NOT_FOUND, f"there is nothing at /{'/'.join(path)}")

    def _decide(self, name: str, key: str, body: bytes) -> Reply:
        try:
            wanted = AnswerBody.model_validate_json(body)
        except ValidationError as invalid:
            first = invalid.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            return error(HTTPStatus.BAD_REQUEST, f"{where or 'body'}: {first['msg']}")
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


def run_server(environ: Mapping[str, str], port: int) -> int:
    """Serve until interrupted; the exit code."""
    token = environ.get("QUORATE_SERVE_TOKEN", "").strip() or secrets.token_urlsafe(24)
    with connected(environ, answer_s=SERVICE_ANSWER_S) as backend:
        server = Server(port, Api(backend), token)
        address = {"url": f"http://{LOOPBACK}:{server.server_address[1]}", "token": token}
        sys.stdout.write(json.dumps(address) + "\n")
        sys.stdout.flush()
        try:
            server.serve_forever()
        finally:
            server.server_close()
    return 0
