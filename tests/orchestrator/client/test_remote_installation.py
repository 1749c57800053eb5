"""Behind a service runs are what they are in the store, and refusals are the same errors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from orchestrator.application.decide import DecisionRequest
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.listings import WaitingFilter
from orchestrator.application.outgoing import OutgoingRequest, outgoing
from orchestrator.application.prepare import NO_INPUT, SubmissionRequest
from orchestrator.application.since import since_last_run
from orchestrator.application.subject_input import ChangeInput
from orchestrator.client.client import Client
from orchestrator.client.remote_installation import RemoteInstallation, client_of
from orchestrator.presentation.sent import prompt
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
from shared.store.run_filter import ALL_RUNS, RunFilter
from shared.store.spending import Grouping
from tests.fixtures.instance import git, make_repository
from tests.fixtures.web import OWN_TOKEN, PORT, WebService
from tests.support.runs import new_run

pytestmark = pytest.mark.component

REVIEW = {"files": {"a.py": "x = 1\n"}, "after": {"a.py": "x = eval('1')\n"}}


class InProcess(httpx.BaseTransport):
    """Hands requests to the application without a socket; `down` answers so many times that it is away."""

    def __init__(self, service: WebService, down: int = 0) -> None:
        self._client = service.client(None)
        self.down = down

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.down:
            self.down -= 1
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


def test_what_a_step_was_asked_is_shown_as_it_is_here(web: WebService, remote: RemoteInstallation):
    with client(web) as opened:
        run = str(opened.submit("review", REVIEW, participants=["ruff"], key="a"))
    stored, report = StoredInstallation(web.backend), remote.report(run)
    for step in report.steps:
        here, there = stored.asked(run, step.key), remote.asked(run, step.key)
        assert (there.request, there.kind) == (here.request, here.kind)
        shown = [
            prompt(dict(each.request), each.kind, each.document, leaves=False)
            for each in (here, there)
        ]
        assert shown[0] == shown[1]
    assert report.steps or report.run.status.value == "running"
    with pytest.raises(UserError):
        remote.asked(run, "critique/9/nobody")


def test_one_answer_is_given_to_everything_that_offers_it(
    web: WebService, remote: RemoteInstallation
):
    runs = {open_decision(web), open_decision(web)}
    with pytest.raises(UserError, match="changes files"):
        remote.decide_all("apply_fix", "me", "", None)
    bulk = remote.decide_all("skip", "me", "not now", None)
    assert {row.run_id for row in bulk.answered} == runs
    assert all(row.answer and row.answer["message"] == "not now" for row in bulk.answered)
    assert remote.decide_all("skip", "me", "", None).answered == ()


def test_what_was_spent_is_summed_as_it_is_here(web: WebService, remote: RemoteInstallation):
    run = open_decision(web)
    here, there = (
        place.spent(Grouping.RUN, run=run, since_s=None)
        for place in (StoredInstallation(web.backend), remote)
    )
    assert here == there


def test_a_change_that_is_sent_keeps_the_name_of_its_repository_and_nothing_of_its_path(
    web: WebService, remote: RemoteInstallation, tmp_path: Path
):
    folder = make_repository(tmp_path / "alice:secret@host" / "shop")
    sent = outgoing(
        SubmissionRequest(directory=folder, panel=("ruff",)), web.context.environ, NO_INPUT
    )
    run = remote.submit(sent, None)
    assert isinstance(run, str)
    labels = remote.report(run).spec.labels
    assert labels["repository"] == "shop"
    assert "alice" not in str(labels)
    assert [row.id for row in remote.listed(5, RunFilter(repository="shop")).rows] == [run]
    for name in ("/home/alice/shop", "..\\shop", "", "a\nb", "x" * 300, "https://u:p@host/x"):
        stated = {**REVIEW, "repository_name": name}
        with pytest.raises(UserError):
            remote.client.submit("review", stated, participants=["ruff"])


def test_only_what_came_since_the_last_run_is_found_by_the_labels_that_were_sent(
    web: WebService, remote: RemoteInstallation, tmp_path: Path
):
    folder = make_repository(tmp_path / "shop")
    asked = SubmissionRequest(
        directory=folder, panel=("ruff",), subject=ChangeInput(targets=("HEAD",))
    )
    first = since_last_run(remote, asked, web.context.environ)
    assert first.remark is not None
    assert first.remark.code == "since_first"
    run = remote.submit(outgoing(first.request, web.context.environ, NO_INPUT), None)
    git(folder, "commit", "-qam", "two")
    second = since_last_run(remote, asked, web.context.environ)
    head = git(folder, "rev-parse", "HEAD").strip()
    one = git(folder, "rev-parse", "HEAD~1").strip()
    assert isinstance(second.request.subject, ChangeInput)
    assert (run != "", second.request.subject.targets) == (True, (f"{one}..{head}",))
    body = {"workflow": "ask", "input": {"text": "?"}, "continues": {"project": "theirs"}}
    with pytest.raises(UserError):
        remote.client.post("/rows/runs", body)


def test_an_estimate_is_reckoned_there_and_stores_nothing(
    web: WebService, remote: RemoteInstallation
):
    with client(web) as opened:
        body = {"workflow": "review", "input": REVIEW, "participants": ["ruff"]}
        told = opened.post("/runs/estimate", body).json()
    assert (told["workflow"], told["nothing_to_ask"]) == ("review", False)
    sent = OutgoingRequest("review", REVIEW, {}, ("ruff",), (), {}, "a change")
    foretold = remote.estimate(sent)
    assert foretold.foreseen is not None
    assert foretold.foreseen.spec.workflow == "review"
    assert remote.listed(5, ALL_RUNS).rows == []
    token = web.client_as(Role.VIEWER).headers["authorization"].removeprefix("Bearer ")
    with client(web, token) as viewer, pytest.raises(NotAllowed, match="role submitter"):
        viewer.post("/runs/estimate", body)


def test_whoever_follows_sees_what_was_last_while_the_service_is_away(web: WebService):
    run = open_decision(web)
    told: list[str] = []
    transport = InProcess(web)
    with Client(f"http://127.0.0.1:{PORT}", OWN_TOKEN, transport=transport) as opened:
        remote = RemoteInstallation(opened, patience_s=60.0)
        care = remote.care(lambda notice: told.append(notice.code))
        beat = remote.heartbeat(run)
        transport.down = 2
        for _ in range(2):
            remote.again_at = 0.0
            assert remote.heartbeat(run) == beat
            care.look(run)
        assert remote.snapshot(run, beat).steps == remote.report(run).steps
        remote.again_at = 0.0
        remote.heartbeat(run)
        care.look(run)
        assert told == ["service_away", "service_back"]
        transport.down = 10_000
        remote.patience_s = 0.0
        remote.again_at = 0.0
        with pytest.raises(EnvironmentFault, match="does not answer"):
            remote.heartbeat(run)


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
