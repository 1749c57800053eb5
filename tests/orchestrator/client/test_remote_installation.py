"""Behind a service runs are what they are in the store, and refusals are the same errors."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from orchestrator.application.decide import DecisionRequest
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.listings import WaitingFilter
from orchestrator.client.client import Client
from orchestrator.client.remote_installation import RemoteInstallation, client_of
from shared.errors import (
    CredentialsRejected,
    DecisionConflict,
    EnvironmentFault,
    NotAllowed,
    UnknownRun,
    UserError,
)
from shared.models.decision import DecisionQuestion
from shared.models.roles import Role
from shared.store.run_filter import ALL_RUNS
from tests.fixtures.web import OWN_TOKEN, PORT, WebService
from tests.support.runs import new_run

pytestmark = pytest.mark.component

REVIEW = {"files": {"a.py": "x = 1\n"}, "after": {"a.py": "x = eval('1')\n"}}


class InProcess(httpx.BaseTransport):
    """Hands requests to the application without a socket; `down` answers so many times that it is away."""

    def __init__(self, service: WebService, down: int = 0) -> None:
        self._client = service.client(None)
        self._down = down

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._down:
            self._down -= 1
            raise httpx.ConnectError("nobody listens")
        kept = dict(request.headers.items())
        answer = self._client.request(
            request.method, str(request.url), headers=kept, content=request.read()
        )
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)


def client(service: WebService, token: str = OWN_TOKEN, down: int = 0) -> Client:
    transport = InProcess(service, down)
    return Client(f"http://127.0.0.1:{PORT}", token, transport=transport)


@pytest.fixture
def remote(web: WebService) -> Iterator[RemoteInstallation]:
    with client(web) as opened:
        yield RemoteInstallation(opened)


def open_decision(web: WebService) -> str:
    question = DecisionQuestion(kind="review", prompt="?", options=("apply_fix", "skip"), shown={})
    run = new_run(web.backend.database, "critique/1/ada")
    web.backend.write(
        lambda connection: connection.execute(
            "INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state) "
            "VALUES (%s, 'decision', 'review', %s::jsonb, %s, 'open')",
            (run, question.model_dump_json(), "a" * 64),
        )
    )
    return run


def test_reports_lists_logs_and_the_inbox_are_those_of_the_store(
    web: WebService, remote: RemoteInstallation
):
    run = open_decision(web)
    stored = StoredInstallation(web.backend)
    here, there = stored.report(run), remote.report(run[:4])
    assert there.run.spec == here.run.spec
    assert (there.steps, there.decisions, there.usage) == (here.steps, here.decisions, here.usage)
    assert there.workflow is here.workflow
    assert [row.id for row in remote.listed(5, ALL_RUNS).rows] == [run]
    assert remote.inbox(WaitingFilter()) == stored.inbox(WaitingFilter())
    assert remote.events(run) == stored.events(run)
    heartbeat = remote.heartbeat(run)
    assert heartbeat.open_decision == "decision"
    assert remote.snapshot(run, heartbeat).steps == here.steps


def test_an_answer_is_bound_to_what_was_shown_from_afar_too(
    web: WebService, remote: RemoteInstallation
):
    run = open_decision(web)
    answer = DecisionRequest(run, "skip", "me", "cli", message="no")
    with pytest.raises(DecisionConflict):
        remote.decide(DecisionRequest(run, "skip", "me", "cli", shown_sha256="b" * 64))
    with pytest.raises(UserError, match="--only"):
        remote.decide(DecisionRequest(run, "skip", "me", "cli", only=("F1",)))
    row = remote.decide(answer)
    assert row.answer is not None
    assert (row.answer["choice"], row.answer["channel"], row.answer["message"]) == (
        "skip",
        "api",
        "no",
    )
    with pytest.raises(DecisionConflict):
        remote.decide(DecisionRequest(run, "apply_fix", "me", "cli"))


def test_a_run_is_submitted_waited_for_and_cancelled(web: WebService):
    with client(web) as opened:
        run = opened.submit("review", REVIEW, participants=["ruff"], key="a")
        assert opened.submit("review", REVIEW, participants=["ruff"], key="a") == run
        assert [each["id"] for each in opened.runs(workflow="review")] == [run]
        with pytest.raises(TimeoutError):
            opened.wait(str(run), 0)
        assert opened.cancel(str(run)) == run
        assert opened.wait(str(run), 60)["run"]["status"] == "cancelled"
        assert "eval" in opened.report(str(run), "json") or opened.report(str(run))


def test_what_is_refused_is_the_error_that_it_is_here(web: WebService):
    with client(web) as opened:
        with pytest.raises(UnknownRun):
            opened.run("nothing")
        with pytest.raises(UserError):
            opened.submit("aks", {})
        with pytest.raises(NotAllowed):
            opened.submit("ask", {"file": "/etc/passwd"})
    with client(web, "wrong") as stranger, pytest.raises(CredentialsRejected):
        stranger.inbox()
    token = web.client_as(Role.VIEWER).headers["authorization"].removeprefix("Bearer ")
    with client(web, token) as viewer, pytest.raises(NotAllowed, match="role submitter"):
        viewer.submit("review", REVIEW)


def test_a_service_that_is_away_for_a_moment_is_asked_again_and_one_that_stays_away_is_told(
    web: WebService,
):
    with client(web, down=1) as opened:
        assert opened.inbox()["decisions"] == []
    with client(web, down=99) as opened, pytest.raises(EnvironmentFault, match="does not answer"):
        opened.inbox()


def test_what_is_no_service_of_ours_is_told():
    other = httpx.MockTransport(lambda _: httpx.Response(404, text="<h1>Not Found</h1>"))
    with (
        Client("http://127.0.0.1:1", "t", transport=other) as opened,
        pytest.raises(EnvironmentFault, match="is it the service's address"),
    ):
        opened.inbox()
    newer = httpx.MockTransport(lambda _: httpx.Response(200, json={"rows": "of another kind"}))
    with (
        Client("http://127.0.0.1:1", "t", transport=newer) as opened,
        pytest.raises(EnvironmentFault, match="another version"),
    ):
        RemoteInstallation(opened).report("last")


@pytest.mark.parametrize(
    ("environ", "error"),
    [
        ({"QUORATE_SERVER": "quorate.example.com", "QUORATE_TOKEN": "t"}, UserError),
        ({"QUORATE_SERVER": "ftp://quorate.example.com", "QUORATE_TOKEN": "t"}, UserError),
        ({"QUORATE_SERVER": "https://quorate.example.com"}, CredentialsRejected),
    ],
)
def test_a_service_has_an_address_and_a_token(environ: dict[str, str], error: type[Exception]):
    with pytest.raises(error):
        client_of(environ)
