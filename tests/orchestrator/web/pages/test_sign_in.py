"""Who gets in, by what, for how long; and that nothing is done that no form of ours asked for."""

from __future__ import annotations

import pytest

from orchestrator.application.api_tokens import add, remove
from orchestrator.web.context import SIGN_INS_A_MINUTE
from orchestrator.web.pages.sign_in import own_path
from shared.models.roles import Role
from tests.fixtures.web import OWN_TOKEN, PORT, WebService
from tests.support.browsers import PlainBrowser, forms_of

pytestmark = pytest.mark.component

PAGES = ("/inbox", "/inbox/list", "/runs/r1/decisions/decision", "/runs/r1/turns/critique/1/me")


@pytest.mark.parametrize("path", PAGES)
def test_without_a_session_a_page_says_how_to_get_in(web: WebService, path: str) -> None:
    answer = PlainBrowser.of(web).get(path)
    assert answer.status_code == 401
    assert "quorate serve" in answer.text
    assert "/sign-in" in forms_of(answer.text)


def test_a_link_is_used_by_its_button_and_once(web: WebService) -> None:
    code = web.context.sessions.make_link("ada", Role.OPERATOR)
    browser, other = PlainBrowser.of(web), PlainBrowser.of(web)
    for _ in range(3):
        shown = browser.get(f"/enter/{code}")  # whoever only looks does not use it up
        assert shown.status_code == 200
    assert browser.send(shown, "/enter").headers["location"] == "/inbox"
    assert browser.get("/inbox").status_code == 200
    refused = other.send(shown, "/enter")
    assert refused.status_code == 403
    assert "used before" in refused.text
    assert other.get("/inbox").status_code == 401


def test_the_cookie_is_for_this_service_alone(web: WebService) -> None:
    code = web.context.sessions.make_link("ada", Role.VIEWER)
    answer = PlainBrowser.of(web).post("/enter", [("code", code)])
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"quorate_session_{PORT}=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))


def test_a_token_opens_a_session_that_ends_with_it(web: WebService) -> None:
    token = add(web.backend, "ops", Role.DECIDER, None)
    browser = PlainBrowser.of(web)
    signed = browser.send(browser.get("/sign-in"), "/sign-in", token=f" {token} ")
    assert signed.status_code == 303
    assert "ops" in browser.get("/inbox").text
    remove(web.backend, "ops")
    assert browser.get("/inbox").status_code == 401


def test_the_token_of_the_start_opens_one_too(web: WebService) -> None:
    browser = PlainBrowser.of(web)
    browser.send(browser.get("/sign-in"), "/sign-in", token=OWN_TOKEN)
    assert browser.get("/inbox").status_code == 200


def test_a_wrong_token_opens_nothing_and_may_not_be_tried_for_ever(web: WebService) -> None:
    browser = PlainBrowser.of(web)
    page = browser.get("/sign-in")
    for _ in range(SIGN_INS_A_MINUTE):
        refused = browser.send(page, "/sign-in", token="wrong")
        assert refused.status_code == 403
    assert "wrong, expired or withdrawn" in refused.text
    slow = browser.send(page, "/sign-in", token=OWN_TOKEN)
    assert slow.status_code == 429
    assert int(slow.headers["retry-after"]) > 0


def test_signing_out_ends_the_session(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web)
    cookies = dict(browser.client.cookies)
    assert browser.send(browser.get("/inbox"), "/sign-out").status_code == 303
    assert browser.get("/inbox").status_code == 401
    browser.client.cookies.update(cookies)
    assert browser.get("/inbox").status_code == 401


def test_a_stranger_with_a_made_up_cookie_stays_outside(web: WebService) -> None:
    browser = PlainBrowser.of(web)
    for value in (b"", b"x", b"../../etc/passwd", b"\xc3\xa9\xff", b'";\\', b"a" * 3000):
        cookie = b"quorate_session_%d=%s" % (PORT, value)
        shown = browser.client.get("/inbox", headers={"Accept": "text/html", "Cookie": cookie})
        assert shown.status_code == 401


# ---- forms --------------------------------------------------------------------------------------

FORMS = (
    ("/inbox/answers", [("choice", "skip"), ("decision", "r1 decision x")]),
    ("/runs/r1/decisions/decision", [("choice", "skip"), ("shown_sha256", "a" * 64)]),
    ("/runs/r1/turns/x", [("text", "APPROVED")]),
    ("/preferences", [("theme", "dark")]),
    ("/sign-out", []),
)


@pytest.mark.parametrize(("path", "values"), FORMS, ids=[path for path, _ in FORMS])
@pytest.mark.parametrize("token", [None, "", "wrong", "of another session"])
def test_a_form_without_the_sessions_token_does_nothing(
    web: WebService, path: str, values: list[tuple[str, str]], token: str | None
) -> None:
    browser = PlainBrowser.signed_in(web)
    if token == "of another session":
        page = PlainBrowser.signed_in(web).get("/inbox").text
        token = dict(forms_of(page)["/sign-out"])["form_token"]
    sent = values if token is None else [*values, ("form_token", token)]
    answer = browser.post(path, sent)
    assert answer.status_code == 403
    assert "open the page again" in answer.text
    assert browser.get("/inbox").status_code == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", f"http://127.0.0.1:{PORT + 1}"])
def test_another_sites_form_does_nothing(web: WebService, origin: str) -> None:
    browser = PlainBrowser.signed_in(web)
    fields = forms_of(browser.get("/inbox").text)["/sign-out"]
    assert browser.post("/sign-out", fields, Origin=origin).status_code == 403
    code = web.context.sessions.make_link("eve", Role.OPERATOR)
    assert browser.post("/enter", [("code", code)], Origin=origin).status_code == 403
    assert "ada" in browser.get("/inbox").text


def test_a_session_reads_the_api_and_changes_nothing_there_without_the_header(
    web: WebService,
) -> None:
    browser = PlainBrowser.signed_in(web, Role.OPERATOR)
    assert browser.client.get("/api/v1/runs").status_code == 200
    path = "/api/v1/runs/r1/decisions/decision"
    body = {"choice": "skip", "shown_sha256": "a" * 64}
    assert browser.client.post(path, json=body).status_code == 401
    token = dict(forms_of(browser.get("/inbox").text)["/sign-out"])["form_token"]
    answer = browser.client.post(path, json=body, headers={"X-Form-Token": token})
    assert answer.status_code == 404  # there is no such run: it was let in


# ---- what a browser keeps and is told -----------------------------------------------------------


def test_language_and_appearance_are_remembered(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web)
    page = browser.get("/inbox")
    assert 'lang="en" data-theme="auto"' in page.text
    assert browser.send(page, "/preferences", language="ko").headers["location"] == "/inbox"
    browser.send(page, "/preferences", theme="dark")
    page = browser.get("/inbox")
    assert 'lang="ko" data-theme="dark"' in page.text
    browser.send(page, "/preferences", language="xx", theme="<script>")
    assert 'lang="ko" data-theme="dark"' in browser.get("/inbox").text


@pytest.mark.parametrize(
    "path",
    ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:alert(1)", "", "/\n/x", "/é"],
)  # fmt: skip
def test_a_form_leads_back_to_our_own_pages_only(path: str) -> None:
    assert own_path(path) == "/"
    assert own_path("/runs/r1?x=1") == "/runs/r1?x=1"


def test_every_page_forbids_what_it_does_not_need(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web)
    for answer in (browser.get("/inbox"), PlainBrowser.of(web).get("/sign-in")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "style-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "<script>" not in answer.text
        assert " style=" not in answer.text


def test_what_pages_load_may_be_kept_under_the_name_of_its_content(web: WebService) -> None:
    browser = PlainBrowser.of(web)
    page = browser.get("/sign-in").text
    for name in ("quorate.css", "quorate.js", "htmx.min.js", "icon.svg"):
        address = page[page.index(f"/static/{name}") :].partition('"')[0]
        kept = browser.get(address)
        assert kept.status_code == 200
        assert "immutable" in kept.headers["cache-control"]
        assert browser.get(f"/static/{name}?v=old").headers["cache-control"] == "no-cache"
    for name in ("htmx.LICENSE", "..%2fsign_in.py", "nothing.css"):
        assert browser.get(f"/static/{name}").status_code in (400, 404)
