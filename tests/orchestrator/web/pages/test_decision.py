"""A decision over plain forms: recorded once, bound to what was shown; whoever comes second is told."""

from __future__ import annotations

from typing import Any

import pytest

from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.asked_runs import PLAN, SHOWN, asked_run
from tests.support.browsers import PlainBrowser, forms_of
from tests.support.hostile_texts import text_of

pytestmark = pytest.mark.component


def address_of(run: str) -> str:
    return f"/runs/{run}/decisions/decision"


def answer_of(web: WebService, run: str) -> dict[str, Any] | None:
    row = web.backend.read(
        lambda connection: connection.execute(
            "SELECT answer FROM decisions WHERE run_id = %s", (run,)
        ).fetchone()
    )
    return None if row is None else row[0]


def test_the_page_asks_and_records_the_answer(web: WebService) -> None:
    run = asked_run(web.backend.database)
    browser = PlainBrowser.signed_in(web, actor="bob")
    page = browser.get(address_of(run))
    assert page.status_code == 200
    for text in ("Apply the fix, or skip and continue?", "Apply Fix", "Skip & Continue", "bad"):
        assert text in text_of(page.text)
    done = browser.send(page, address_of(run), choice="skip", message="Not\r\nnow.")
    assert (done.status_code, done.headers["location"]) == (303, address_of(run))
    assert answer_of(web, run) == {
        "choice": "skip",
        "actor": "bob",
        "channel": "web",
        "message": "Not\nnow.",
        "only": None,
    }
    after = browser.get(address_of(run)).text
    assert "bob (web)" in text_of(after)
    assert address_of(run) not in forms_of(after)


def test_findings_are_picked(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web)
    for checked, only in ((("F1",), ["F1"]), (("F1", "F2"), None)):
        run = asked_run(web.backend.database)
        fields = forms_of(browser.get(address_of(run)).text)[address_of(run)]
        assert [value for name, value in fields if name == "only"] == ["F1", "F2"]
        kept = [field for field in fields if field[0] != "only"]
        picked = [("only", name) for name in checked]
        sent = browser.post(address_of(run), [*kept, *picked, ("choice", "apply_fix")])
        assert sent.status_code == 303
        recorded = answer_of(web, run)
        assert recorded is not None
        assert recorded["only"] == only


def test_nothing_picked_is_no_answer(web: WebService) -> None:
    run = asked_run(web.backend.database)
    browser = PlainBrowser.signed_in(web)
    fields = forms_of(browser.get(address_of(run)).text)[address_of(run)]
    kept = [field for field in fields if field[0] != "only"]
    typed = [("choice", "apply_fix"), ("message", "my reasons")]
    sent = browser.post(address_of(run), [*kept, *typed])
    assert sent.status_code == 422
    assert "my reasons" in sent.text
    assert answer_of(web, run) is None


def test_who_decides_second_is_told_who_decided_what(web: WebService) -> None:
    run = asked_run(web.backend.database)
    ada, bob = (PlainBrowser.signed_in(web, actor=name) for name in ("ada", "bob"))
    hers, his = ada.get(address_of(run)), bob.get(address_of(run))
    assert ada.send(hers, address_of(run), choice="apply_fix").status_code == 303
    late = bob.send(his, address_of(run), choice="skip", message="I had written this.")
    assert late.status_code == 409
    told = text_of(late.text)
    assert "Already decided: Apply Fix, by ada (web)" in told
    assert "You wanted: Skip & Continue" in told
    assert "I had written this." in told
    recorded = answer_of(web, run)
    assert recorded is not None
    assert (recorded["choice"], recorded["actor"]) == ("apply_fix", "ada")


def test_the_same_answer_again_changes_nothing(web: WebService) -> None:
    run = asked_run(web.backend.database)
    browser = PlainBrowser.signed_in(web)
    page = browser.get(address_of(run))
    for _ in range(2):
        assert browser.send(page, address_of(run), choice="skip").status_code == 303


def test_an_answer_is_bound_to_what_was_shown(web: WebService) -> None:
    run = asked_run(web.backend.database)
    browser = PlainBrowser.signed_in(web)
    page = browser.get(address_of(run))
    web.backend.write(
        lambda connection: connection.execute(
            "UPDATE decisions SET shown_sha256 = %s WHERE run_id = %s", ("b" * 64, run)
        )
    )
    late = browser.send(page, address_of(run), choice="skip")
    assert late.status_code == 409
    assert "has changed since you opened the page" in late.text
    assert 'value="' + "b" * 64 in late.text
    assert answer_of(web, run) is None


def test_an_open_page_hears_what_became_of_its_decision(web: WebService) -> None:
    run = asked_run(web.backend.database)
    ada, bob = (PlainBrowser.signed_in(web, actor=name) for name in ("ada", "bob"))
    page = ada.get(address_of(run))
    state = f"{address_of(run)}/state"
    assert f'hx-get="{state}"' in page.text
    assert ada.get(state).status_code == 204
    bob.send(bob.get(address_of(run)), address_of(run), choice="skip")
    told = ada.get(state)
    assert told.status_code == 200
    assert "by bob (web)" in text_of(told.text)


@pytest.mark.parametrize(
    "values",
    [
        {"choice": "merge"},
        {"choice": "skip", "shown_sha256": "x"},
        {"choice": "skip", "message": "a\x00b"},
        {"choice": "skip", "message": "x" * 10_001},
        {"choice": "apply_fix", "picking": "yes", "only": "F9"},
    ],
    ids=("unknown", "hash", "nul", "long", "unknown finding"),
)
def test_what_cannot_be_used_is_refused(web: WebService, values: dict[str, str]) -> None:
    run = asked_run(web.backend.database)
    browser = PlainBrowser.signed_in(web)
    hidden = dict(forms_of(browser.get(address_of(run)).text)[address_of(run)])
    sent = browser.post(address_of(run), list({**hidden, **values}.items()))
    assert sent.status_code == 422
    assert answer_of(web, run) is None


@pytest.mark.parametrize("role", [Role.VIEWER, Role.SUBMITTER])
def test_who_may_not_decide_reads(web: WebService, role: Role) -> None:
    run = asked_run(web.backend.database)
    browser = PlainBrowser.signed_in(web, role)
    page = browser.get(address_of(run))
    assert page.status_code == 200
    assert "only a decider or an operator can answer" in page.text
    assert browser.send(page, address_of(run), choice="skip").status_code == 403
    assert answer_of(web, run) is None


@pytest.mark.parametrize(
    "path",
    ["/runs/nobody/decisions/decision", "/runs/{run}/decisions/other", "/runs/{run}/turns/x"],
)
def test_what_is_not_there_is_said(web: WebService, path: str) -> None:
    run = asked_run(web.backend.database)
    answer = PlainBrowser.signed_in(web).get(path.format(run=run))
    assert answer.status_code in (404, 409)
    assert "<h1>" in answer.text


def test_a_plan_is_decided_in_korean(web: WebService) -> None:
    run = asked_run(web.backend.database, PLAN)
    browser = PlainBrowser.signed_in(web)
    korean = {"Accept-Language": "ko-KR,ko;q=0.9"}
    page = browser.get(address_of(run), **korean)
    assert "계획을 수정하시겠습니까, 그대로 수락하시겠습니까?" in page.text
    assert "그대로 수락" in page.text
    assert (
        browser.send(page, address_of(run), choice="revise", message="더 짧게").status_code == 303
    )
    assert SHOWN in page.text
