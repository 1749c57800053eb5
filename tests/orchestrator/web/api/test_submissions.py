"""Runs that are started over HTTP: once for each key, durable, and never more than a token may."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.application.api_tokens import add, remove
from orchestrator.application.batch_input import SUBMITTED
from orchestrator.web.api.schemas import submission_schema
from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.runs import execute, fetch

pytestmark = pytest.mark.component

QUESTION = {"workflow": "ask", "input": {"text": "Is it?"}, "participants": ["ruff"]}
REVIEW: dict[str, Any] = {
    "workflow": "review",
    "input": {"files": {"a.py": "x = 1\n"}, "after": {"a.py": "x = eval('1')\n"}},
    "participants": ["ruff"],
}


def count(web: WebService) -> int:
    return int(fetch(web.backend.database, "SELECT count(*) FROM runs")[0])


def test_a_review_is_submitted_and_found_where_it_is_said_to_be(web: WebService):
    client = web.client_as(Role.SUBMITTER)
    answer = client.post("/api/v1/runs", json=REVIEW)
    run = answer.json()["run"]["id"]
    assert (answer.status_code, answer.headers["location"]) == (201, f"/api/v1/runs/{run}")
    shown = client.get(answer.headers["location"]).json()
    assert (shown["run"]["workflow"], shown["run"]["status"]) == ("review", "running")


def test_a_change_that_nobody_has_to_read_is_answered_at_once(web: WebService):
    nothing = {**REVIEW, "input": {"files": {"a.svg": "a"}, "after": {"a.svg": "b"}}}
    answer = web.client().post("/api/v1/runs", json=nothing)
    if answer.status_code == 200:
        assert answer.json()["run"]["id"] is None
    assert answer.status_code in (200, 201)


def test_the_same_key_starts_one_run_and_gives_the_same_answer(web: WebService):
    client = web.client()
    headers = {"Idempotency-Key": "push-1"}
    first, again = (client.post("/api/v1/runs", json=REVIEW, headers=headers) for _ in range(2))
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert again.headers["idempotency-replayed"] == "true"
    assert first.headers["location"] == again.headers["location"]
    assert count(web) == 1


def test_a_key_of_another_request_is_an_error(web: WebService):
    client = web.client()
    headers = {"Idempotency-Key": "push-1"}
    client.post("/api/v1/runs", json=REVIEW, headers=headers)
    other = client.post(
        "/api/v1/runs", json={**REVIEW, "participants": ["bandit"]}, headers=headers
    )
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-reused")
    assert count(web) == 1
    theirs = web.client_as(Role.SUBMITTER).post("/api/v1/runs", json=REVIEW, headers=headers)
    assert theirs.status_code == 201  # another token's keys are its own


def test_a_request_under_way_is_waited_for_and_taken_over_once_its_process_is_gone(
    web: WebService,
):
    client = web.client()
    headers = {"Idempotency-Key": "push-1"}
    run = client.post("/api/v1/runs", json=REVIEW, headers=headers).json()["run"]["id"]
    execute(web.backend.database, "UPDATE answered_requests SET status = NULL")
    busy = client.post("/api/v1/runs", json=REVIEW, headers=headers)
    assert (busy.status_code, busy.json()["code"]) == (409, "idempotency-key-in-use")
    execute(
        web.backend.database, "UPDATE answered_requests SET created_at = now() - interval '1 hour'"
    )
    taken = client.post("/api/v1/runs", json=REVIEW, headers=headers)
    assert taken.json()["run"]["id"] == run  # the run's own row has the key, too
    assert count(web) == 1


def test_what_failed_may_be_sent_again_under_its_key(web: WebService):
    client = web.client()
    headers = {"Idempotency-Key": "push-1"}
    wrong = {**REVIEW, "participants": ["nobody-of-that-name"]}
    assert client.post("/api/v1/runs", json=wrong, headers=headers).status_code == 422
    assert client.post("/api/v1/runs", json=REVIEW, headers=headers).status_code == 201


@pytest.mark.parametrize("answer_is_kept", [True, False])
def test_a_token_of_the_same_name_has_none_of_the_earlier_ones_keys(
    web: WebService, answer_is_kept: bool
):
    headers = {"Idempotency-Key": "push-1"}

    def post(project: str) -> str:
        client = web.client(add(web.backend, "ci", Role.SUBMITTER, None, [project]))
        answer = client.post("/api/v1/runs", json=REVIEW, headers=headers)
        assert (answer.status_code, "idempotency-replayed" in answer.headers) == (201, False)
        run: str = answer.json()["run"]["id"]
        assert client.get(f"/api/v1/runs/{run}").status_code == 200
        remove(web.backend, "ci")
        return run

    first = post("shop")
    if not answer_is_kept:  # then the run's own row is all that has the key
        execute(web.backend.database, "DELETE FROM answered_requests")
    assert post("bank") != first
    assert post("shop") != first
    assert count(web) == 3


def test_a_token_named_like_the_person_who_serves_has_keys_of_its_own(web: WebService):
    headers = {"Idempotency-Key": "push-1"}
    namesake = web.client(add(web.backend, web.context.actor, Role.SUBMITTER, None))
    runs = {
        client.post("/api/v1/runs", json=REVIEW, headers=headers).json()["run"]["id"]
        for client in (web.client(), namesake)
    }
    assert len(runs) == 2


def test_a_key_that_is_no_key_is_refused(web: WebService):
    for key in ("", " ", "a b", "x" * 300):
        answer = web.client().post("/api/v1/runs", json=REVIEW, headers={"Idempotency-Key": key})
        assert answer.status_code == 400
    assert count(web) == 0


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({**QUESTION, "options": {"providers": {}}}, 403, "forbidden"),
        ({"workflow": "ask", "input": {"file": "/etc/passwd"}}, 403, "forbidden"),
        ({**REVIEW, "options": {"tests": "touch /tmp/x"}}, 403, "forbidden"),
        ({"workflow": "aks", "input": {}}, 422, "invalid"),
        ({**QUESTION, "options": {"rankng": 1}}, 422, "invalid"),
        ({**QUESTION, "more": 1}, 422, "invalid"),
        ({**QUESTION, "input": {}}, 422, "invalid"),
        ([], 422, "invalid"),
    ],
)
def test_what_cannot_be_submitted_is_told(web: WebService, body: Any, status: int, code: str):
    answer = web.client_as(Role.SUBMITTER).post("/api/v1/runs", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert count(web) == 0


def test_a_viewer_starts_and_ends_nothing(web: WebService):
    run = web.client().post("/api/v1/runs", json=REVIEW).json()["run"]["id"]
    viewer = web.client_as(Role.VIEWER)
    for path in ("/api/v1/runs", f"/api/v1/runs/{run}/cancel", f"/api/v1/runs/{run}/undo"):
        assert viewer.post(path, json=REVIEW).status_code == 403
    assert viewer.get(f"/api/v1/runs/{run}").status_code == 200


def test_a_run_is_cancelled_once_and_again(web: WebService):
    client = web.client_as(Role.SUBMITTER)
    run = client.post("/api/v1/runs", json=REVIEW).json()["run"]["id"]
    for _ in range(2):
        assert client.post(f"/api/v1/runs/{run}/cancel").json()["run"]["id"] == run
    assert client.get(f"/api/v1/runs/{run}").json()["run"]["status"] == "cancelled"
    assert client.post(f"/api/v1/runs/{run}/resume").status_code == 422
    assert client.post("/api/v1/runs/nothing/cancel").status_code == 404


@pytest.mark.parametrize("workflow", SUBMITTED)
def test_every_workflow_has_a_schema_without_references(workflow: str):
    schema = submission_schema(workflow)
    assert "$ref" not in str(schema)
    assert schema["properties"]["workflow"] == {"const": workflow}
    assert "custom_id" not in schema["properties"]
