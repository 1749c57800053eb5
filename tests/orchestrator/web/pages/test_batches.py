"""The pages about batches: counts add up, items are found, and what is done is done by who may."""

from __future__ import annotations

import itertools
import re
from html import unescape

import pytest

from orchestrator.application.batch_standing import batch_status
from shared.models.batches import BatchLimits, BatchStatus
from shared.models.roles import Role
from shared.store.admission import admit_runs
from shared.store.batch_items import NewItem, add_items
from shared.store.batches import create_batch, open_batch
from shared.store.database import Connection
from tests.fixtures.web import WebService
from tests.support.browsers import PlainBrowser
from tests.support.review_panel import submission
from tests.support.runs import execute

pytestmark = pytest.mark.component

NAME, HOME = "nightly", "/batches/nightly"
HOSTILE = "\"><script>document.title='owned'</script>{{ 7 * 7 }}"
_numbers = itertools.count(1)


def stored(web: WebService, total: int, first: str = "c0") -> list[str]:
    """A batch that is open, whose first item is called so; the runs of its items."""
    items = [
        NewItem(
            position=number,
            custom_id=f"c{number}" if number else first,
            key=f"batch:{NAME}:{number}",
            run=f"pages-{next(_numbers):05}",
            title=f"c{number}",
            root_task="root",
            spec=submission().spec,
            body={},
        )
        for number in range(total)
    ]

    def write(connection: Connection) -> None:
        create_batch(
            connection,
            name=NAME,
            source=f"{first}.jsonl",
            fingerprint="f",
            total=total,
            limits=BatchLimits(max_usd=2.5),
        )
        add_items(connection, NAME, items, {})
        assert open_batch(connection, NAME)

    web.backend.write(write)
    return [item.run for item in items]


def stand(web: WebService, run: str, status: str) -> None:
    execute(web.backend.database, "UPDATE runs SET status = %s WHERE id = %s", status, run)


def status(web: WebService) -> BatchStatus:
    return batch_status(web.backend, NAME)


def test_a_batch_is_listed_and_its_bar_adds_up(web: WebService) -> None:
    runs = stored(web, 7)
    for run, state in zip(runs, ("running", "waiting", "failed", "cancelled"), strict=False):
        stand(web, run, state)
    browser = PlainBrowser.signed_in(web, Role.VIEWER)

    for path in ("/batches", HOME, f"{HOME}/state"):
        page = browser.get(path).text
        lengths = re.findall(r'<rect class="(?!track)\w+" x="[\d.]+" width="([\d.]+)"', page)
        assert len(lengths) == 5, path
        assert sum(map(float, lengths)) == pytest.approx(100, abs=0.01), path
        assert "2 / 7" in page
    assert f"/inbox?batch={NAME}" in browser.get(HOME).text


def test_items_lead_to_their_runs_and_are_narrowed_by_state(web: WebService) -> None:
    runs = stored(web, 3)
    stand(web, runs[1], "failed")
    browser = PlainBrowser.signed_in(web, Role.VIEWER)
    everything, failed = browser.get(HOME).text, browser.get(f"{HOME}?state=failed").text

    assert [f"/runs/{run}" in everything for run in runs] == [True] * 3
    assert [f"/runs/{run}" in failed for run in runs] == [False, True, False]
    assert f"/runs/{runs[0]}" not in browser.get(f"{HOME}?cursor=0").text
    assert browser.get(f"{HOME}?state=none-of-that-name").status_code == 200


def test_a_submitter_pauses_resumes_tries_again_and_cancels(web: WebService) -> None:
    runs = stored(web, 2)
    stand(web, runs[0], "failed")
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)

    assert browser.send(browser.get(HOME), f"{HOME}/pause").headers["location"] == HOME
    assert status(web).batch.paused
    assert browser.send(browser.get(HOME), f"{HOME}/resume").status_code == 303
    assert not status(web).batch.paused
    assert browser.send(browser.get(HOME), f"{HOME}/retry", max_usd="9").status_code == 303
    assert status(web).batch.limits.max_usd == 9
    assert runs[0] not in browser.get(HOME).text
    assert browser.send(browser.get(HOME), f"{HOME}/cancel").status_code == 303
    assert status(web).state == "cancelled"
    assert '<form method="post" action="/batches' not in browser.get(HOME).text


def test_an_open_page_asks_again_until_the_batch_is_over(web: WebService) -> None:
    runs = stored(web, 1)
    web.backend.write(admit_runs)
    browser = PlainBrowser.signed_in(web, Role.VIEWER)
    assert "hx-trigger" in browser.get(f"{HOME}/state").text

    stand(web, runs[0], "cancelled")
    assert "hx-trigger" not in browser.get(f"{HOME}/state").text


def test_a_viewer_and_a_stranger_change_nothing(web: WebService) -> None:
    stored(web, 1)
    viewer = PlainBrowser.signed_in(web, Role.VIEWER)
    page = viewer.get(HOME).text

    for action in ("pause", "resume", "retry", "cancel"):
        assert f"{HOME}/{action}" not in page
        assert viewer.post(f"{HOME}/{action}", []).status_code == 403
        operator = PlainBrowser.signed_in(web, Role.OPERATOR)
        assert operator.post(f"{HOME}/{action}", []).status_code == 403  # no token of the form
    for path in ("/batches", HOME, f"{HOME}/report"):
        assert PlainBrowser.of(web).get(path).status_code == 401
    assert (status(web).batch.paused, status(web).state) == (False, "running")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_what_a_batch_came_to_is_the_report_of_the_command(web: WebService, language: str) -> None:
    stand(web, stored(web, 2)[0], "cancelled")
    browser = PlainBrowser.signed_in(web, Role.VIEWER)
    page = browser.get(f"{HOME}/report", **{"Accept-Language": language}).text

    assert ("결과 보고" if language == "ko" else "What it came to") in page
    assert "<svg" in page[page.index('class="document"') :]


def test_hostile_names_do_nothing(web: WebService) -> None:
    stored(web, 1, first=HOSTILE)
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)

    for path in (HOME, "/batches", f"{HOME}/report"):
        page = browser.get(path).text
        assert "<script>document" not in page, path
    assert HOSTILE in unescape(browser.get(HOME).text)


@pytest.mark.parametrize("path", ["/batches/none", "/batches/none/report"])
def test_a_batch_that_is_not_there_is_not_found(web: WebService, path: str) -> None:
    assert PlainBrowser.signed_in(web, Role.VIEWER).get(path).status_code == 404


def test_a_page_that_is_not_there_says_so_in_korean(web: WebService) -> None:
    page = PlainBrowser.signed_in(web, Role.VIEWER).get("/nowhere", **{"Accept-Language": "ko"})

    assert page.status_code == 404
    assert "없는 주소나 항목입니다" in page.text
    assert "/nowhere에는 아무것도 없습니다" in page.text
