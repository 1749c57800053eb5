"""Batches for a token that sees some projects only: those with others' runs are not there, its own are its own."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from orchestrator.application.api_tokens import add
from shared.models.roles import Role
from shared.store.database import Database
from tests.fixtures.web import WebService
from tests.support.projects import (
    MINE,
    THEIR_RUN,
    THEIRS,
    UNKNOWN,
    same_but_for_its_name,
    stored_batch,
)

pytestmark = pytest.mark.component

LINES = (
    b'{"custom_id": "a", "workflow": "review", "input": {"diff": "%s"}, "participants": ["ruff"]}\n'
)
DIFF = rb"--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a = 1\n+a = eval(b)\n"
BATCH_PATHS = ("", "/items", "/report", "/results", "/state")
BATCH_ACTIONS = ("cancel", "pause", "resume", "retry")


@pytest.fixture
def limited(web: WebService) -> TestClient:
    """An operator, who may do everything, with one project."""
    return web.client(add(web.backend, "limited", Role.OPERATOR, None, [MINE]))


@pytest.fixture
def batches(web: WebService) -> None:
    stored_batch(web, "ours", [MINE, MINE])
    stored_batch(web, THEIRS, [THEIRS])
    stored_batch(web, "mixed", [MINE, THEIRS])


@pytest.mark.parametrize("name", [THEIRS, "mixed"])
def test_a_batch_with_a_run_of_others_is_answered_as_one_that_is_not_there(
    limited: TestClient, database: Database, batches: None, name: str
) -> None:
    reads = [f"/api/v1/batches/NAME{part}" for part in BATCH_PATHS if part != "/state"]
    pages = [f"/batches/NAME{part}" for part in BATCH_PATHS if part not in ("/items", "/results")]
    asked = [("GET", path) for path in (*reads, *pages, "/api/v1/rows/batches/NAME")]
    asked += [("GET", "/api/v1/rows/batches/NAME/cohort")]
    asked += [("POST", f"/api/v1/rows/batches/NAME/{action}") for action in BATCH_ACTIONS]
    asked += [("POST", f"/api/v1/batches/NAME/{action}") for action in BATCH_ACTIONS]

    assert [each for each in asked if not same_but_for_its_name(limited, *each, name)] == []
    states = database.run(lambda c: c.execute("SELECT paused, state FROM batches").fetchall())
    assert {tuple(row) for row in states} == {(False, "open")}


def test_batches_are_listed_counted_and_worked_with_where_all_runs_are_ones_own(
    web: WebService, limited: TestClient, batches: None
) -> None:
    for path in ("/api/v1/batches", "/batches", "/api/v1/rows/batches"):
        told = limited.get(path).text
        assert [name in told for name in ("ours", THEIRS, "mixed")] == [True, False, False], path
        assert THEIRS in web.client().get(path).text
    assert limited.get("/api/v1/batches/last").json()["batch"]["name"] == "ours"
    assert limited.get("/api/v1/batches/ours").json()["batch"]["total"] == 2
    assert limited.post("/api/v1/batches/ours/pause").json()["batch"]["state"] == "paused"
    assert limited.get("/api/v1/batches/ours/report").status_code == 200


def test_a_batch_that_a_token_submits_belongs_to_its_project_and_takes_nobodys_name(
    web: WebService, limited: TestClient, batches: None
) -> None:
    lines = LINES % DIFF
    headers = {"Content-Type": "application/x-ndjson"}
    sent = limited.post("/api/v1/batches", params={"name": THEIRS}, content=lines, headers=headers)
    assert sent.status_code == 201, sent.text
    name = sent.json()["batch"]["name"]
    assert name == f"{MINE}:{THEIRS}"
    assert sent.headers["location"] == f"/api/v1/batches/{MINE}%3A{THEIRS}"
    for called in (name, THEIRS):
        assert limited.get(f"/api/v1/batches/{called}").json()["batch"]["name"] == name
    run = limited.get(f"/api/v1/batches/{name}/items").json()["items"][0]["run"]
    assert limited.get(f"/api/v1/runs/{run}/notices").status_code == 200

    others = web.client(add(web.backend, "others", Role.OPERATOR, None, [THEIRS]))
    assert others.get(f"/api/v1/batches/{name}").status_code == 404
    assert others.get(f"/api/v1/runs/{run}/notices").status_code == 404
    again = others.post("/api/v1/batches", content=lines, headers=headers)
    mine = limited.post("/api/v1/batches", content=lines, headers=headers)
    assert again.json()["batch"]["name"] != mine.json()["batch"]["name"]
    everyones = web.client().get("/api/v1/batches").json()["batches"]
    assert len(everyones) == 6


def test_answers_of_other_projects_are_not_reused_by_a_fork(
    web: WebService, limited: TestClient, batches: None
) -> None:
    body = {"at": "round:1", "reuse": True}

    assert limited.post("/api/v1/runs/ours00000/fork", json=body).status_code == 403


def test_streams_and_lists_by_batch_hold_nothing_of_others(
    limited: TestClient, batches: None
) -> None:
    run = THEIR_RUN
    stream = limited.get(f"/api/v1/runs/{run}/events", headers={"Accept": "text/event-stream"})
    assert stream.status_code == 404
    for name in (THEIRS, UNKNOWN):
        assert limited.get("/api/v1/runs", params={"batch": name}).json()["runs"] == []
        assert limited.get("/api/v1/inbox", params={"batch": name}).json()["decisions"] == []
    mixed = limited.get("/api/v1/runs", params={"batch": "mixed"}).json()["runs"]
    assert [each["id"] for each in mixed] == ["mixed00000"]
    for path in ("/api/v1/webhooks", "/api/v1/webhook-deliveries", "/api/v1/status", "/metrics"):
        assert limited.get(path).status_code == 403, path
