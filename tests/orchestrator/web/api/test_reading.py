"""What is read over HTTP: pages, entity tags, formats, and shapes that are as they are described."""

from __future__ import annotations

import pytest

from orchestrator.core.formats import FORMATS
from orchestrator.web.api import shapes
from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.runs import new_run

pytestmark = pytest.mark.component

READS = {
    "/runs": shapes.RunsShape,
    "/runs/last": shapes.RunShape,
    "/runs/last/findings": shapes.FindingsShape,
    "/runs/last/rounds": shapes.RoundsShape,
    "/runs/last/turns": shapes.TurnsShape,
    "/runs/last/notices": shapes.NoticesShape,
    "/runs/last/events": shapes.EventsShape,
    "/inbox": shapes.InboxShape,
    "/batches": shapes.BatchesShape,
    "/schedules": shapes.SchedulesShape,
    "/webhooks": shapes.WebhooksShape,
    "/webhook-deliveries": shapes.DeliveriesShape,
    "/participants": shapes.ParticipantsShape,
    "/cost": shapes.CostShape,
    "/presets": shapes.PresetsShape,
    "/workflows": shapes.WorkflowsShape,
    "/status": shapes.StatusShape,
}


@pytest.mark.parametrize("path", READS)
def test_what_is_read_has_the_shape_that_is_described_and_an_entity_tag(web: WebService, path: str):
    new_run(web.backend.database, "critique/1/ada")
    client = web.client()
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    READS[path].model_validate_json(answer.content)
    same = client.get(f"/api/v1{path}", headers={"If-None-Match": answer.headers["etag"]})
    assert same.headers["etag"] == answer.headers["etag"]
    if "status" not in path:  # signs of life come and go
        assert (same.status_code, same.content) == (304, b"")


def test_pages_of_runs_follow_one_another_without_gaps(web: WebService):
    made = [new_run(web.backend.database, "critique/1/ada") for _ in range(5)]
    client = web.client_as(Role.VIEWER)
    answer = client.get("/api/v1/runs", params={"limit": 2, "workflow": "review"})
    seen = []
    while True:
        seen += [run["id"] for run in answer.json()["runs"]]
        if "link" not in answer.headers:
            break
        target = answer.headers["link"].partition(">")[0].removeprefix("<")
        assert "workflow=review" in target
        answer = client.get(target)
    assert seen == made[::-1]
    assert client.get("/api/v1/runs", params={"cursor": "x"}).status_code == 422
    assert client.get("/api/v1/runs", params={"limit": 1000}).status_code == 422
    assert client.get("/api/v1/runs", params={"colour": "red"}).status_code == 422


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row.name)
def test_a_result_comes_in_every_format_and_is_never_shown_as_a_page(web: WebService, row):
    new_run(web.backend.database, "critique/1/ada")
    answer = web.client().get("/api/v1/runs/last/report", params={"format": row.name})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(row.media_type)
    assert answer.headers["content-disposition"] == "attachment"
    assert web.client().get("/api/v1/runs/last/report?format=doc").status_code == 422


def test_the_log_is_read_from_a_number_on(web: WebService):
    new_run(web.backend.database, "critique/1/ada")
    client = web.client()
    events = client.get("/api/v1/runs/last/events").json()["events"]
    assert [event["seq"] for event in events] == [*range(1, len(events) + 1)]
    later = client.get("/api/v1/runs/last/events", params={"after": 1}).json()["events"]
    assert later == events[1:]
    wrong = client.get("/api/v1/runs/last/events", headers={"Last-Event-ID": "x"})
    assert wrong.status_code == 422


def test_only_operators_see_webhooks(web: WebService):
    for role in Role:
        status = web.client_as(role).get("/api/v1/webhooks").status_code
        assert status == (200 if role is Role.OPERATOR else 403)
