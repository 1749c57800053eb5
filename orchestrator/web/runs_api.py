"""What `quorate serve` offers: runs to read and decisions to answer, as JSON. HTTP itself is in `http_service.py`."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated

from pydantic import Field, StringConstraints, ValidationError

from orchestrator.application.backend import Backend
from orchestrator.application.decide import DecisionRequest, decide
from orchestrator.application.listings import runs
from orchestrator.application.report import report_of
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.json_rows import SCHEMA_VERSION, decision_json, run_tree
from orchestrator.web.http_service import READING, Path, Reply, Request, error
from shared.models.wire import Wire
from shared.store.processes import SILENCE_S, list_processes
from shared.store.views import schema_revision

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

    def __init__(self, backend: Backend, actor: str) -> None:
        """Reads and answers through `backend`; answers are those of `actor`."""
        self._backend = backend
        self._actor = actor

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
                return _ok({"runs": run_tree(runs(self._backend, limit=LISTED_RUNS))})
            case ("api", "runs", run):
                return _ok(as_json(report_of(self._backend, run)))
            case _:
                return error(HTTPStatus.NOT_FOUND, f"there is nothing at /{'/'.join(path)}")

    def _decide(self, name: str, key: str, body: bytes) -> Reply:
        try:
            given = AnswerBody.model_validate_json(body)
        except ValidationError as invalid:
            first = invalid.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            return error(HTTPStatus.BAD_REQUEST, f"{where or 'body'}: {first['msg']}")
        row = decide(
            self._backend,
            DecisionRequest(
                run=name,
                key=key,
                choice=given.choice,
                actor=self._actor,
                channel="api",
                message=given.message,
                only=given.only,
                shown_sha256=given.shown_sha256,
            ),
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
