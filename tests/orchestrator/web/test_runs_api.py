"""The HTTP service on a real socket and a real database."""

import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.application.backend import Backend
from orchestrator.application.notice_listener import NoticeList
from orchestrator.application.prepare import SubmissionRequest, prepare_run
from orchestrator.application.report import report_of
from orchestrator.application.submit import submit_run
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.json_rows import dumps
from orchestrator.web.http_service import Server
from orchestrator.web.runs_api import Api
from shared.instance import Endpoints
from shared.models.decision import DecisionQuestion
from shared.settings import ServiceSettings
from shared.store.database import Database

pytestmark = pytest.mark.component

TOKEN = "a-token-of-the-test"


@dataclass(frozen=True)
class Service:
    """A running service; `ask` sends one request as a well-behaved client, unless told otherwise."""

    port: int
    backend: Backend

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        token: str | None = TOKEN,
    ) -> tuple[int, dict]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        if body is not None:
            sent["Content-Type"] = "application/json"
        text = None if body is None else json.dumps(body)
        connection.request(method, path, body=text, headers={**sent, **(headers or {})})
        reply = connection.getresponse()
        content = json.loads(reply.read())
        connection.close()
        return reply.status, content


@pytest.fixture
def service(database: Database, servers: Endpoints) -> Iterator[Service]:
    urls = {"QUORATE_DATABASE_URL": database.url, "QUORATE_REDIS_URL": servers.redis_url}
    settings = ServiceSettings.from_environment({"HOME": "/nonexistent", **urls})
    backend = Backend(settings, database)
    server = Server(0, Api(backend, "somebody"), TOKEN, lambda bug: pytest.fail(str(bug)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield Service(server.server_address[1], backend)
    server.shutdown()
    server.server_close()
    thread.join()
    backend.close()


@pytest.fixture
def run(service: Service, changed_repository: Path) -> str:
    prepared = prepare_run(SubmissionRequest(directory=changed_repository), {"HOME": "/none"})
    return submit_run(service.backend, prepared, NoticeList())


def open_decision(backend: Backend, run: str) -> None:
    """Ask what a review asks, without the workers that lead to it."""
    question = DecisionQuestion(kind="review", prompt="?", options=("apply_fix", "skip"), shown={})
    backend.write(
        lambda connection: connection.execute(
            "INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state) "
            "VALUES (%s, 'decision', 'review', %s::jsonb, %s, 'open')",
            (run, question.model_dump_json(), "a" * 64),
        )
    )


def test_health_wants_no_token_and_says_what_is_missing(service: Service):
    assert service.ask("GET", "/healthz", token=None)[0] == 200
    status, content = service.ask("GET", "/readyz", token=None)
    assert status == 503
    assert content["processes"] == []
    assert content["schema"] is not None


def test_a_run_is_the_same_json_as_on_the_command_line(service: Service, run: str):
    status, content = service.ask("GET", f"/api/runs/{run}")
    shown = json.loads(dumps(as_json(report_of(service.backend, run))))
    content["run"]["elapsed_s"] = shown["run"]["elapsed_s"] = 0
    assert status == 200
    assert content == shown
    listed = service.ask("GET", "/api/runs")[1]["runs"]
    assert [one["id"] for one in listed] == [run]


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1]])
def test_without_the_token_nothing_is_told(service: Service, token: str | None):
    assert service.ask("GET", "/api/runs", token=token)[0] == 401


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_a_foreign_host_or_origin_is_refused(
    service: Service, headers: Mapping[str, str], status: int
):
    assert service.ask("GET", "/api/runs", headers=headers)[0] == status


def test_what_is_not_there_is_not_found(service: Service):
    assert service.ask("GET", "/api/runs/rnothing")[0] == 404
    assert service.ask("GET", "/etc/passwd")[0] == 404
    assert service.ask("POST", "/api/runs", {})[0] == 404


def test_an_answer_must_be_json_of_the_right_form(service: Service, run: str):
    path = f"/api/runs/{run}/decisions/decision"
    good = {"choice": "skip", "shown_sha256": "0" * 64}
    assert service.ask("POST", path, good)[0] == 404  # nothing is asked yet
    for shown in ("", "0" * 63, "0" * 65, "F" * 64, None, 0):
        assert service.ask("POST", path, {**good, "shown_sha256": shown})[0] == 400
    for text in ("\x00", "a\x00b"):
        assert service.ask("POST", path, {**good, "message": text})[0] == 400
        assert service.ask("POST", path, {**good, "choice": text})[0] == 400
        assert service.ask("POST", path, {**good, "only": [text]})[0] == 400
    assert service.ask("POST", path, {"choice": "skip"})[0] == 400
    assert service.ask("POST", path, {**good, "more": 1})[0] == 400
    plain = {"Content-Type": "text/plain"}
    assert service.ask("POST", path, good, plain)[0] == 415
    assert service.ask("POST", path, {"choice": "x" * 70_000})[0] == 413


@pytest.mark.parametrize("path", ["/%61pi/runs", "/a%70i/runs", "//api/runs", "/api%2fruns"])
def test_a_disguised_path_needs_the_token_too(service: Service, run: str, path: str):
    assert service.ask("GET", path, token=None)[0] in (400, 401)
    answer = {"choice": "apply_fix", "shown_sha256": "0" * 64}
    decision = f"{path}/{run}/decisions/decision"
    assert service.ask("POST", decision, answer, token=None)[0] in (400, 401)


@pytest.mark.parametrize("name", ["%00", "r%00", "%ff", "%f0%9f%a6%86", "%27%22%3b--", "a" * 3000])
def test_no_name_of_a_run_is_a_bug(service: Service, name: str):
    assert service.ask("GET", f"/api/runs/{name}")[0] in (400, 404)
    body = {"choice": "skip", "shown_sha256": "0" * 64}
    assert service.ask("POST", f"/api/runs/{name}/decisions/{name}", body)[0] in (400, 404)


def test_an_answer_is_bound_to_what_was_shown(service: Service, run: str):
    open_decision(service.backend, run)
    path = f"/api/runs/{run}/decisions/decision"
    shown = "a" * 64
    for wrong in ("", "0" * 64):
        body = {"choice": "skip", "shown_sha256": wrong}
        assert service.ask("POST", path, body)[0] in (400, 409)
    body = {"choice": "nothing of the kind", "shown_sha256": shown}
    assert service.ask("POST", path, body)[0] == 400
    assert service.ask("POST", path, {"choice": "skip", "shown_sha256": shown})[0] == 200
    assert service.ask("POST", path, {"choice": "skip", "shown_sha256": shown})[0] == 200
    assert service.ask("POST", path, {"choice": "apply_fix", "shown_sha256": shown})[0] == 409


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_methods_are_not_allowed(service: Service, method: str):
    assert service.ask(method, "/api/runs")[0] == 405
