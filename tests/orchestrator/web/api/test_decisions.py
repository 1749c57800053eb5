"""Decisions over HTTP: an answer is bound to what was shown, and to a role."""

import pytest
from starlette.testclient import TestClient

from shared.models.decision import DecisionQuestion
from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.runs import new_run

pytestmark = pytest.mark.component

SHOWN = "a" * 64
GOOD = {"choice": "skip", "shown_sha256": SHOWN}


@pytest.fixture
def path(web: WebService) -> str:
    """The address of an open decision."""
    question = DecisionQuestion(kind="review", prompt="?", options=("apply_fix", "skip"), shown={})
    run = new_run(web.backend.database, decisions=[])
    web.backend.write(
        lambda connection: connection.execute(
            "INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state) "
            "VALUES (%s, 'decision', 'review', %s::jsonb, %s, 'open')",
            (run, question.model_dump_json(), SHOWN),
        )
    )
    return f"/api/v1/runs/{run}/decisions/decision"


@pytest.fixture
def client(web: WebService) -> TestClient:
    return web.client_as(Role.DECIDER)


def test_an_answer_must_be_json_of_the_right_form(client: TestClient, path: str):
    wrong: list[object] = [
        *({**GOOD, "shown_sha256": shown} for shown in ("", "0" * 63, "0" * 65, "F" * 64, None, 0)),
        *({**GOOD, name: text} for name in ("message", "choice") for text in ("\x00", "a\x00b")),
        {**GOOD, "only": ["\x00"]},
        {"choice": "skip"},
        {**GOOD, "more": 1},
        [],
        "skip",
    ]
    for body in wrong:
        answer = client.post(path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid"), body
    assert client.post(path, content=b"{").status_code == 422


def test_an_answer_is_bound_to_what_was_shown(client: TestClient, path: str):
    assert client.post(path, json={**GOOD, "shown_sha256": "0" * 64}).status_code == 409
    assert client.post(path, json={**GOOD, "choice": "nothing of the kind"}).status_code == 422
    assert client.post(path, json=GOOD).status_code == 200
    assert client.post(path, json=GOOD).status_code == 200
    conflict = client.post(path, json={**GOOD, "choice": "apply_fix"})
    assert (conflict.status_code, conflict.json()["code"]) == (409, "conflict")


def test_an_answer_carries_the_name_of_the_token(client: TestClient, path: str):
    answer = client.post(path, json=GOOD).json()["decision"]["answer"]
    assert (answer["actor"], answer["channel"]) == ("decider-0", "api")


@pytest.mark.parametrize("role", [Role.VIEWER, Role.SUBMITTER])
def test_who_may_not_decide_does_not(web: WebService, path: str, role: Role):
    refused = web.client_as(role).post(path, json=GOOD)
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")


def test_what_is_not_asked_is_not_found(client: TestClient, path: str):
    assert client.post(path + "/2", json=GOOD).status_code == 404
