"""Costs, participants and schedules for a token that sees some projects only: nothing of others is counted or told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator.application import schedules
from orchestrator.application.api_tokens import add
from orchestrator.application.schedules import ScheduleRequest
from shared.models.roles import Role
from shared.store.database import Database
from tests.fixtures.web import WebService
from tests.support.browsers import PlainBrowser, forms_of
from tests.support.projects import (
    MINE,
    THEIR_RUN,
    THEIRS,
    same_but_for_its_name,
    spend,
    stored_batch,
)
from tests.support.runs import execute, new_run

pytestmark = pytest.mark.component


@pytest.fixture
def limited(web: WebService) -> TestClient:
    """An operator, who may do everything, with one project."""
    return web.client(add(web.backend, "limited", Role.OPERATOR, None, [MINE]))


@pytest.fixture
def batches(web: WebService) -> None:
    stored_batch(web, "ours", [MINE, MINE])
    stored_batch(web, THEIRS, [THEIRS])
    stored_batch(web, "mixed", [MINE, THEIRS])


@pytest.fixture
def timetables(web: WebService, tmp_path: Path) -> None:
    for name, project in (("ours", MINE), (THEIRS, THEIRS), ("nobodys", None)):
        request = ScheduleRequest(name, "0 3 * * *", ("ask", name), tmp_path, project=project)
        schedules.add(web.backend, request)


def test_costs_are_those_of_ones_own_runs_by_whatever_they_are_summed(
    web: WebService, limited: TestClient, database: Database, batches: None
) -> None:
    spend(database, "ours00000", "claude", 1.0)
    spend(database, "mixed00001", "claude", 40.0)
    spend(database, THEIR_RUN, "secret-model", 2.0)
    for by in ("participant", "provider", "model", "run", "turn", "day", "workflow", "batch"):
        mine = limited.get("/api/v1/cost", params={"by": by}).json()
        assert mine["total"]["cost_usd"] == 1.0, by
        assert sum(row["calls"] for row in mine["spending"]) == 1, by
        everything = web.client().get("/api/v1/cost", params={"by": by}).json()
        assert everything["total"]["cost_usd"] == 43.0, by
    assert same_but_for_its_name(limited, "GET", "/api/v1/cost?run=NAME", THEIR_RUN)
    page = limited.get("/costs")
    assert page.status_code == 200
    assert "secret-model" not in page.text
    assert "43.0" not in page.text


def test_costs_that_were_summed_up_by_day_tell_nothing_of_others(
    web: WebService, limited: TestClient, database: Database, batches: None
) -> None:
    execute(
        database,
        "INSERT INTO daily_spending (day, participant, provider, model, charged_usd, upto, calls, input_tokens, "
        "output_tokens, cached_tokens, cost_usd, unknown_costs, unknown_tokens) "
        "VALUES (current_date, 'secret-model', 'p', 'm', 9, 0, 9, 9, 9, 9, 9, 0, 0)",
    )
    assert web.client().get("/api/v1/cost").json()["total"]["cost_usd"] == 9
    assert limited.get("/api/v1/cost").json()["total"] is None


def test_how_participants_did_is_told_of_ones_own_runs_only(
    web: WebService, limited: TestClient, database: Database
) -> None:
    for project, participant in ((MINE, "claude"), (THEIRS, "secret-model")):
        run = new_run(database)
        execute(
            database,
            "UPDATE specs SET spec = jsonb_set(spec, '{labels}', jsonb_build_object('project', %s::text)) "
            "WHERE run_id = %s",
            project,
            run,
        )
        execute(
            database,
            "UPDATE steps SET kind = 'turn', participant = %s, status = 'done', leased_at = now(), "
            "finished_at = now() WHERE run_id = %s",
            participant,
            run,
        )
        spend(database, run, participant, 1.0)
        offered = [
            {
                "name": participant,
                "provider": "p",
                "model": participant,
                "severity": "major",
                "category": "c",
                "offered": 5,
                "picked": 5,
            }
        ]
        execute(
            database,
            "INSERT INTO decisions (run_id, key, kind, question, shown_sha256, state, answer, answered_at, offered) "
            "VALUES (%s, 'd', 'fix', '{}', 's', 'answered', '{\"choice\": \"apply\"}', now(), %s::jsonb)",
            run,
            json.dumps(offered),
        )
    everything, mine = web.client().get("/participants"), limited.get("/participants")

    told = [("claude" in page.text, "secret-model" in page.text) for page in (everything, mine)]
    assert told == [(True, True), (True, False)]
    assert limited.get("/api/v1/participants").json()["accounts"] == []


def test_participants_are_paused_by_nobody_with_a_few_projects(limited: TestClient) -> None:
    assert limited.post("/api/v1/participants/ruff/pause", json={}).status_code == 403
    assert limited.post("/api/v1/participants/ruff/resume").status_code == 403


def test_a_schedule_of_others_is_answered_as_one_that_is_not_there(
    web: WebService, limited: TestClient, timetables: None
) -> None:
    asked = [("GET", "/api/v1/schedules/NAME"), ("DELETE", "/api/v1/schedules/NAME")]
    asked += [("POST", f"/api/v1/schedules/NAME/{action}") for action in ("run", "pause", "resume")]
    asked += [("GET", "/api/v1/rows/schedules/NAME"), ("POST", "/api/v1/rows/schedules/NAME/run")]
    for name in (THEIRS, "nobodys"):
        assert [each for each in asked if not same_but_for_its_name(limited, *each, name)] == []
    assert [each.schedule.name for each in schedules.reports(web.backend)] == [
        "nobodys",
        "ours",
        THEIRS,
    ]
    assert not schedules.report(web.backend, THEIRS, 5).firings


def test_ones_own_schedules_are_listed_shown_and_changed(
    web: WebService, limited: TestClient, timetables: None
) -> None:
    for path in ("/api/v1/schedules", "/schedules"):
        told = limited.get(path).text
        assert [name in told for name in ("ours", THEIRS, "nobodys")] == [True, False, False], path
    assert limited.post("/api/v1/schedules/ours/pause").status_code == 200
    assert schedules.report(web.backend, "ours", 1).schedule.paused
    assert limited.post("/api/v1/schedules/ours/run").status_code == 200
    assert limited.get("/api/v1/schedules/ours").json()["schedule"]["firings"][0]["state"] == "due"


def test_a_run_of_others_is_not_named_in_the_history_of_ones_own_schedule(
    web: WebService, limited: TestClient, database: Database, timetables: None
) -> None:
    schedules.fire_now(web.backend, "ours")
    [run] = stored_batch(web, THEIRS, [THEIRS])
    execute(database, "UPDATE firings SET state = 'submitted', run_id = %s", run)

    firing = limited.get("/api/v1/schedules/ours").json()["schedule"]["firings"][0]

    assert (firing["run"], firing["status"]) == (None, None)
    assert run not in limited.get("/schedules").text
    assert web.client().get("/api/v1/schedules/ours").json()["schedule"]["firings"][0]["run"] == run


def test_the_pages_of_a_browser_hold_what_the_api_does(
    web: WebService, batches: None, timetables: None
) -> None:
    token = add(web.backend, "reader", Role.OPERATOR, None, [MINE])
    browser = PlainBrowser.of(web)
    browser.send(browser.get("/sign-in"), "/sign-in", token=token)
    for path in (
        "/inbox",
        "/inbox/count",
        "/runs",
        "/batches",
        "/participants",
        "/costs",
        "/schedules",
    ):
        answer = browser.get(path)
        assert answer.status_code == 200, path
        assert THEIRS not in answer.text, path
    form = forms_of(browser.get("/inbox").text)["/sign-out"]
    for action in ("run", "pause", "resume"):
        assert browser.post(f"/schedules/{action}", [*form, ("name", THEIRS)]).status_code == 404
    for action in ("cancel", "pause", "resume", "retry"):
        assert browser.post(f"/batches/{THEIRS}/{action}", form).status_code == 404
    assert browser.post("/participants/pause", [*form, ("name", "ruff")]).status_code == 403
