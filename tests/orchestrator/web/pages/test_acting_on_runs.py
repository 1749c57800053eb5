"""What people do on the pages about runs: each by a form of ours, each with its role, and nothing by anybody else."""

from __future__ import annotations

import pytest

from shared.models.outcomes import RunStatus
from shared.models.roles import Role
from shared.providers.limits import pause, paused
from shared.store.views import find_run
from tests.fixtures.web import WebService
from tests.support.browsers import PlainBrowser, forms_of
from tests.support.runs import execute, new_run

pytestmark = pytest.mark.component

HOSTILE = (
    '<script>document.title="owned"</script>',
    '"><img src=x onerror=alert(1)>',
    "<svg/onload=alert(1)>",
    "[click](javascript:alert(1))",
    "{{ 7 * 7 }}{% for x in range(9) %}x{% endfor %}",
    "\x1b]0;owned\x07\x1b[2J",
    "</title></textarea></style><b>",
)


def status_of(web: WebService, run: str) -> RunStatus:
    return web.backend.read(lambda connection: find_run(connection, run)).status


def test_a_submitter_cancels_a_run_and_is_led_back_to_it(web: WebService) -> None:
    run = new_run(web.backend.database, "a")
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)
    page = browser.get(f"/runs/{run}")
    answer = browser.send(page, f"/runs/{run}/cancel")

    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{run}")
    assert status_of(web, run) is RunStatus.CANCELLED
    assert f"/runs/{run}/cancel" not in browser.get(f"/runs/{run}").text


def test_a_viewer_sees_a_run_and_can_do_nothing(web: WebService) -> None:
    run = new_run(web.backend.database, "a")
    browser = PlainBrowser.signed_in(web, Role.VIEWER)
    page = browser.get(f"/runs/{run}").text

    assert "/cancel" not in page
    assert "/fork" not in page
    assert browser.get(f"/runs/{run}/fork").status_code == 403
    for path in (f"/runs/{run}/cancel", f"/runs/{run}/fork", "/participants/pause"):
        assert browser.post(path, []).status_code in (403, 422)
    assert status_of(web, run) is RunStatus.RUNNING


@pytest.mark.parametrize(
    ("form_token", "headers"),
    [
        ("", {}),
        ("guessed", {}),
        (None, {"Origin": "https://evil.example"}),
        (None, {"Host": "evil.example"}),
    ],
    ids=["no-token", "wrong-token", "another-site", "another-host"],
)
def test_no_page_of_another_site_cancels_a_run(
    web: WebService, form_token: str | None, headers: dict[str, str]
) -> None:
    run = new_run(web.backend.database, "a")
    browser, path = PlainBrowser.signed_in(web, Role.OPERATOR), f"/runs/{run}/cancel"
    real = forms_of(browser.get(f"/runs/{run}").text)[path]
    sent = real if form_token is None else [("form_token", form_token)]

    assert browser.post(path, sent, **headers).status_code in (403, 421)
    assert status_of(web, run) is RunStatus.RUNNING


@pytest.mark.parametrize("path", ["/runs", "/participants", "/costs", "/compare?run=a&run=b"])
def test_nobody_who_is_not_signed_in_reads_anything(web: WebService, path: str) -> None:
    new_run(web.backend.database, "a-secret-run")
    answer = PlainBrowser.of(web).get(path)

    assert answer.status_code == 401
    assert "secret" not in answer.text


def test_an_operator_pauses_a_participant_and_lets_it_go_on(web: WebService) -> None:
    new_run(web.backend.database, "critique/1/claude")
    url = web.backend.settings.endpoints.redis_url
    pause(url, "claude", "<b>too dear</b>")
    browser = PlainBrowser.signed_in(web, Role.OPERATOR)
    page = browser.get("/participants")
    assert "&lt;b&gt;too dear&lt;/b&gt;" in page.text

    assert browser.send(page, "/participants/resume").status_code == 303
    assert paused(url) == []
    assert browser.get("/participants").text.count("/participants/resume") == 0


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_hostile_title_label_or_search_does_nothing(web: WebService, hostile: str) -> None:
    run = new_run(web.backend.database, "a")
    execute(web.backend.database, "UPDATE runs SET title = %s WHERE id = %s", hostile, run)
    browser = PlainBrowser.signed_in(web, Role.OPERATOR)
    pages = [browser.get(f"/runs/{run}{suffix}").text for suffix in ("", "/timeline", "/log")]
    pages.append(browser.get("/runs").text)
    pages.append(browser.client.get("/runs", params={"q": hostile, "batch": hostile}).text)

    for page in pages:
        body = page[page.index("<body") :]
        assert "<script>" not in body
        assert "<img" not in body
        assert "<svg/onload" not in body
        assert "\x1b" not in body
        assert "49xxxxxxxxx" not in body


@pytest.mark.parametrize(
    "path",
    [
        "/runs/../../etc/passwd",
        "/runs/%2e%2e%2fetc",
        "/runs/x/export/../../secret",
        "/static/../run.py",
        "/runs/%00",
        "/runs?cursor=' OR 1=1",
        "/runs?days=-1&status=%27",
        "/costs?days=999999",
        "/participants?days=x",
    ],
)
def test_no_path_and_no_query_leads_astray(web: WebService, path: str) -> None:
    browser = PlainBrowser.signed_in(web, Role.OPERATOR)

    assert browser.get(path).status_code in (200, 400, 404, 422)


def test_pages_are_not_kept_by_anybody(web: WebService) -> None:
    run = new_run(web.backend.database, "a")
    browser = PlainBrowser.signed_in(web, Role.VIEWER)

    for path in (f"/runs/{run}", f"/runs/{run}/now", "/runs", "/costs", f"/runs/{run}/export/html"):
        assert "no-store" in browser.get(path).headers["cache-control"], path
