"""The inbox: what waits, narrowed, and answered at once where that is harmless."""

from __future__ import annotations

import pytest

from orchestrator.application.listings import inbox
from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.asked_runs import PLAN, SHOWN, asked_run
from tests.support.browsers import PlainBrowser, forms_of
from tests.support.hostile_texts import HOSTILE, UNSEEN, active_parts, controls, text_of

pytestmark = pytest.mark.component


def waiting(web: WebService) -> list[str]:
    return [row.run_id for row in inbox(web.backend).decisions]


def test_an_empty_inbox_says_what_will_appear(web: WebService) -> None:
    page = PlainBrowser.signed_in(web).get("/inbox")
    assert "Nothing waits for you" in page.text
    assert "<title>Inbox" in page.text


def test_what_waits_is_listed_with_what_is_asked(web: WebService) -> None:
    review = asked_run(web.backend.database, title="a change of prices")
    plan = asked_run(web.backend.database, PLAN, title="a plan", batch="nightly")
    page = PlainBrowser.signed_in(web).get("/inbox").text
    assert "<title>(2) Inbox" in page
    for run, title in ((review, "a change of prices"), (plan, "a plan")):
        assert f'href="/runs/{run}/decisions/decision"' in page
        assert title in page
    assert page.index(review) < page.index(plan)
    assert "Revise the plan, or accept it as it is?" in page


def test_the_list_is_narrowed_by_workflow_repository_and_batch(web: WebService) -> None:
    database = web.backend.database
    here = asked_run(database, labels={"repository": "/srv/shop"})
    there = asked_run(database, PLAN, batch="nightly")
    browser = PlainBrowser.signed_in(web)
    for query, shown in (
        ("workflow=plan", there),
        ("batch=nightly", there),
        ("repository=/srv/shop", here),
    ):
        page = browser.get(f"/inbox?{query}").text
        (other,) = {here, there} - {shown}
        assert f"/runs/{shown}/" in page
        assert f"/runs/{other}/" not in page
        assert "Show all" in page
    none = browser.get("/inbox?workflow=plan&repository=/srv/shop").text
    assert "Nothing matches this filter" in none
    assert browser.get("/inbox?batch=%00").status_code in (400, 422)


def test_the_list_alone_is_what_an_open_page_asks_for(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web)
    page = browser.get("/inbox?workflow=review").text
    assert 'hx-get="/inbox/list?workflow=review"' in page
    run = asked_run(web.backend.database)
    part = browser.get("/inbox/list?workflow=review").text
    assert f"/runs/{run}/" in part
    assert "<html" not in part


def test_the_navigation_counts_what_waits(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web)
    assert browser.get("/inbox/count").text.strip() == ""
    for _ in range(2):
        asked_run(web.backend.database)
    assert text_of(browser.get("/inbox/count").text).split()[0] == "2"


def test_what_changes_nothing_is_answered_at_once(web: WebService) -> None:
    runs = [asked_run(web.backend.database) for _ in range(3)]
    plan = asked_run(web.backend.database, PLAN)
    browser = PlainBrowser.signed_in(web, actor="bob")
    page = browser.get("/inbox")
    assert 'value="apply_fix"' not in page.text
    later = asked_run(web.backend.database)
    done = browser.send(page, "/inbox/answers", choice="skip", message="not\r\nnow")
    assert done.headers["location"] == "/inbox?answered=3&settled=0"
    assert waiting(web) == [plan, later]
    assert "3 answers are recorded." in browser.get(done.headers["location"]).text
    answer = web.backend.read(
        lambda connection: connection.execute(
            "SELECT answer FROM decisions WHERE run_id = %s", (runs[0],)
        ).fetchone()
    )
    assert answer is not None
    assert answer[0] == {
        "choice": "skip",
        "actor": "bob",
        "channel": "web",
        "message": "not\nnow",
        "only": None,
    }


def test_what_others_settled_meanwhile_stays_as_it_is_and_is_told(web: WebService) -> None:
    first, second = (asked_run(web.backend.database) for _ in range(2))
    browser, other = (PlainBrowser.signed_in(web, actor=name) for name in ("ada", "bob"))
    page = browser.get("/inbox")
    address = f"/runs/{first}/decisions/decision"
    assert other.send(other.get(address), address, choice="apply_fix").status_code == 303
    done = browser.send(page, "/inbox/answers", choice="skip")
    assert done.headers["location"] == "/inbox?answered=1&settled=1"
    assert "settled by someone else" in browser.get(done.headers["location"]).text
    assert waiting(web) == []
    assert second


@pytest.mark.parametrize(("choice", "status"), [("apply_fix", 422), ("nothing of it", 422)])
def test_what_changes_files_is_not_answered_at_once(
    web: WebService, choice: str, status: int
) -> None:
    runs = [asked_run(web.backend.database) for _ in range(2)]
    browser = PlainBrowser.signed_in(web)
    page = browser.get("/inbox")
    assert browser.send(page, "/inbox/answers", choice=choice).status_code == status
    assert waiting(web) == runs


def test_a_viewer_answers_nothing(web: WebService) -> None:
    runs = [asked_run(web.backend.database) for _ in range(2)]
    browser = PlainBrowser.signed_in(web, Role.VIEWER)
    page = browser.get("/inbox")
    assert "/inbox/answers" not in forms_of(page.text)
    token = dict(forms_of(page.text)["/sign-out"])["form_token"]
    named = [("decision", f"{run} decision {SHOWN}") for run in runs]
    sent = browser.post("/inbox/answers", [*named, ("choice", "skip"), ("form_token", token)])
    assert sent.status_code == 403
    assert waiting(web) == runs


def test_hostile_titles_do_nothing(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web)
    asked_run(web.backend.database, title="harmless")
    asked_run(web.backend.database, title="harmless")
    ours = controls(browser.get("/inbox").text)
    storable = [text for text in HOSTILE.values() if "\x00" not in text and "\ud800" not in text]
    for text in storable:
        asked_run(web.backend.database, title=text, batch=text, labels={"repository": text})
    made = browser.get("/inbox").text
    assert active_parts(made) == []
    assert not UNSEEN.search(made)
    assert "<script>alert(1)</script>" in text_of(made)
    wanted = ours.copy()
    wanted.update(
        {"data-next": len(storable), "input": len(storable), "select": 2, "form": 1, "button": 1}
    )
    assert controls(made) == wanted
