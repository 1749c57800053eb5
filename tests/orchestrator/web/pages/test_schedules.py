"""The page about schedules: when they are due, what came of them, and operators who start and hold them."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.application import schedules
from orchestrator.application.schedules import ScheduleReport, ScheduleRequest
from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.browsers import PlainBrowser, forms_of
from tests.support.runs import execute, new_run

pytestmark = pytest.mark.component

PAGE = "/schedules"
HOSTILE = "<script>document.title='owned'</script>{{ 7 * 7 }}"


@pytest.fixture(autouse=True)
def nightly(web: WebService, tmp_path: Path) -> None:
    schedules.add(
        web.backend,
        ScheduleRequest("nightly", "30 2 * * *", ("ask", HOSTILE), tmp_path, "Asia/Seoul"),
    )


def stored(web: WebService) -> ScheduleReport:
    return schedules.report(web.backend, "nightly", 5)


def test_the_next_three_times_are_told_in_the_schedules_own_zone(web: WebService) -> None:
    page = PlainBrowser.signed_in(web, Role.VIEWER).get(PAGE).text

    assert page.count(" 02:30 KST") == 3
    assert page.count("T17:30:00+00:00") == 3
    assert "<script>document" not in page
    assert "&lt;script&gt;document" in page


def test_an_operator_starts_pauses_and_resumes_one(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web, Role.OPERATOR)
    page = browser.get(PAGE)
    assert browser.send(page, f"{PAGE}/run").headers["location"] == PAGE
    assert [firing.state for firing in stored(web).firings] == ["due"]

    assert browser.send(page, f"{PAGE}/pause").status_code == 303
    assert stored(web).schedule.paused
    paused = browser.get(PAGE)
    assert "KST" not in paused.text
    assert browser.send(paused, f"{PAGE}/resume").status_code == 303
    assert not stored(web).schedule.paused


def test_what_came_of_it_leads_to_the_run(web: WebService) -> None:
    schedules.fire_now(web.backend, "nightly")
    run = new_run(web.backend.database, "a")
    execute(
        web.backend.database,
        "UPDATE firings SET state = 'submitted', run_id = %s, message = %s",
        run,
        HOSTILE,
    )
    page = PlainBrowser.signed_in(web, Role.VIEWER).get(PAGE).text

    assert f'href="/runs/{run}"' in page
    assert "<script>document" not in page


@pytest.mark.parametrize("action", ["run", "pause", "resume"])
def test_nobody_but_an_operator_with_our_form_changes_one(web: WebService, action: str) -> None:
    before = stored(web)
    submitter = PlainBrowser.signed_in(web, Role.SUBMITTER)
    page = submitter.get(PAGE).text
    assert not any(path.startswith(PAGE) for path in forms_of(page))
    token = forms_of(page)["/sign-out"]

    fields = [*token, ("name", "nightly")]
    assert submitter.post(f"{PAGE}/{action}", fields).status_code == 403
    operator = PlainBrowser.signed_in(web, Role.OPERATOR)
    assert operator.post(f"{PAGE}/{action}", [("name", "nightly")]).status_code == 403
    assert PlainBrowser.of(web).get(PAGE).status_code == 401
    assert stored(web) == before


def test_one_that_is_not_there_is_not_found(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web, Role.OPERATOR)
    token = forms_of(browser.get(PAGE).text)["/sign-out"]

    assert browser.post(f"{PAGE}/run", [*token, ("name", "none")]).status_code == 404


def test_the_page_is_korean_for_who_reads_korean(web: WebService) -> None:
    page = PlainBrowser.signed_in(web, Role.VIEWER).get(PAGE, **{"Accept-Language": "ko"}).text

    assert "<h1>예약</h1>" in page
