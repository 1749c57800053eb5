"""A person's turn over plain forms: what is asked is shown, the answer is stored once, and its words are not lost."""

from __future__ import annotations

import pytest

from shared.models.roles import Role
from shared.store.waiting_turns import waiting_turns
from tests.fixtures.web import WebService
from tests.support.asked_runs import TURN, turn_run
from tests.support.browsers import PlainBrowser
from tests.support.hostile_texts import HOSTILE, UNSEEN, active_parts, text_of

pytestmark = pytest.mark.component


def address_of(run: str) -> str:
    return f"/runs/{run}/turns/{TURN}"


def test_a_turn_is_found_in_the_inbox_and_answered_there(web: WebService) -> None:
    run = turn_run(web.backend.database)
    browser = PlainBrowser.signed_in(web)
    assert f'href="{address_of(run)}"' in browser.get("/inbox").text
    page = browser.get(address_of(run))
    assert "Is this right?" in page.text
    assert "Begin with APPROVED or NEEDS_FIX" in page.text
    done = browser.send(page, address_of(run), text="APPROVED\r\n\r\nIt is.")
    assert done.status_code == 303
    late = browser.send(page, address_of(run), text="NEEDS_FIX, I think.")
    assert late.status_code == 409
    assert "NEEDS_FIX, I think." in late.text
    assert browser.get(address_of(run)).status_code == 409


def test_an_answer_that_cannot_be_used_is_shown_again_with_what_is_missing(web: WebService) -> None:
    run = turn_run(web.backend.database)
    browser = PlainBrowser.signed_in(web)
    again = browser.send(
        browser.get(address_of(run)), address_of(run), text='{"verdict": "Perhaps"}'
    )
    assert again.status_code == 422
    assert "Your answer was not recorded" in again.text
    assert "Perhaps" in text_of(again.text)
    assert web.backend.read(lambda connection: waiting_turns(connection, run=run))


def test_a_viewer_reads_and_does_not_answer(web: WebService) -> None:
    run = turn_run(web.backend.database)
    browser = PlainBrowser.signed_in(web, Role.VIEWER)
    page = browser.get(address_of(run))
    assert "Is this right?" in page.text
    assert browser.send(page, address_of(run), text="APPROVED").status_code == 403
    assert web.backend.read(lambda connection: waiting_turns(connection, run=run))


def test_hostile_text_in_what_is_asked_does_nothing(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web)
    for text in HOSTILE.values():
        if "\x00" in text or "\ud800" in text:
            continue  # Postgres stores neither
        run = turn_run(web.backend.database, text, text)
        made = browser.get(address_of(run)).text
        assert active_parts(made) == []
        assert not UNSEEN.search(made)
