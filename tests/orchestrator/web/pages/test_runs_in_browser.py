"""The page of a run in a real Chromium: it follows what happens, and comes back after the service was away."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import redis

from orchestrator.web.application import create_app
from orchestrator.web.context import WebContext
from orchestrator.web.identity import cookie_name
from orchestrator.web.listening import listen, make_server
from orchestrator.web.sites import ServedSite
from shared.delivery.live import Live
from shared.models.roles import Role
from shared.providers.limits import ACCOUNTS_KEY, account_key
from shared.store.ends import finish
from shared.store.runs import cancel_run
from shared.text.unfinished import SoFar
from tests.fixtures.browser import barriers
from tests.fixtures.web import WebService
from tests.orchestrator.web.pages.conftest import RecordedPages
from tests.support.case_reports import case_report
from tests.support.runs import new_run, take
from tests.support.walked_code import walked_run

pytestmark = [pytest.mark.component, pytest.mark.needs_chromium]

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
PATIENCE_MS = 60_000


@contextmanager
def served(context: WebContext, port: int = 0) -> Iterator[WebContext]:
    """The service on a port, until the end of the block."""
    bound = listen("127.0.0.1", port, guarded=True)
    if not port:
        context = replace(context, site=ServedSite.of("127.0.0.1", bound.getsockname()[1]))
    server = make_server(create_app(context))
    server.force_exit = True  # as when it is killed: open streams are cut off
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    try:
        yield context
    finally:
        server.should_exit = True
        thread.join()


def opened(chromium: Any, context: WebContext, path: str, **options: Any) -> Any:
    """A page, signed in; an error of a script ends the test."""
    code = context.sessions.make_link("ada", Role.OPERATOR)
    cookie = context.sessions.use_link(code)
    base = f"http://127.0.0.1:{context.site.port}"
    profile = chromium.new_context(**options)
    profile.set_default_timeout(PATIENCE_MS)
    profile.add_cookies([{"name": cookie_name(context), "value": cookie, "url": base}])
    page = profile.new_page()
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(base + path)
    return page


def test_a_page_follows_its_run_and_comes_back_after_the_service_was_away(
    chromium: Any, web: WebService
) -> None:
    database = web.backend.database
    run = new_run(database, "a", "b")
    with served(web.context) as context:
        page = opened(chromium, context, f"/runs/{run}")
        page.locator(".bubble.pending").nth(1).wait_for()
        claimed = take(database, run, "a")
        page.locator(".bubble.leased").wait_for()

        live = Live(web.backend.settings.endpoints.redis_url)
        said = f"I looked at it. {HOSTILE}"
        written = page.locator(".bubble.leased .live")
        while said not in written.inner_text():
            live.report(run, "a", SoFar(len(said), said))
            page.wait_for_timeout(50)
        live.close()
        assert page.locator("#run img").count() == 0
    page.locator("#away").wait_for(state="visible")
    reply = json.dumps({"summary": "It is done."})
    database.run(lambda c: finish(c, claimed, reply=reply, failure=None), atomic=True)
    with served(context, context.site.port):
        page.locator(".bubble.done", has_text="It is done.").wait_for()
        page.locator("#away").wait_for(state="hidden")
        database.run(lambda c: cancel_run(c, run, "ada"), atomic=True)
        page.locator(".badge", has_text="Cancelled").wait_for()
        assert page.title() != "owned"


def test_a_page_goes_on_after_the_service_was_restarted_and_asks_who_was_signed_out(
    chromium: Any, web: WebService
) -> None:
    database = web.backend.database
    run = new_run(database, "a")
    with served(web.context) as context:
        page = opened(chromium, context, f"/runs/{run}")
        page.locator(".bubble").wait_for()
    page.locator("#away").wait_for(state="visible")
    another = replace(context)  # as a new process: what a service keeps in memory is gone
    with served(another, context.site.port):
        page.locator("#away").wait_for(state="hidden")
        take(database, run, "a")
        page.locator(".bubble.leased").wait_for()
        another.sessions.close_all()
        database.run(lambda c: cancel_run(c, run, "ada"), atomic=True)
        page.locator("form[action='/sign-in']").wait_for()


def test_what_a_reader_has_opened_stays_open_while_the_run_goes_on(
    chromium: Any, web: WebService
) -> None:
    database = web.backend.database
    run = new_run(database, "a")
    with served(web.context) as context:
        page = opened(chromium, context, f"/runs/{run}")
        page.locator("#run-export > summary").click()
        page.locator("details.round > summary").click()
        take(database, run, "a")
        page.locator(".bubble.leased").wait_for(state="attached")

        assert page.locator("#run-export").get_attribute("open") is not None
        assert page.locator("details.round").get_attribute("open") is None


@contextmanager
def broken_account(redis_url: str) -> Iterator[None]:
    """An account whose calls failed: a row of words that is wider than a phone."""
    account = "anthropic:claude-sonnet-4-5 on api.anthropic.com"
    with redis.Redis.from_url(redis_url) as client:
        client.sadd(ACCOUNTS_KEY, account)
        client.hset(account_key(account), mapping={"fails": 3, "open": 1})
        try:
            yield
        finally:
            client.delete(account_key(account), ACCOUNTS_KEY)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("language", "word"), [("en-US", "Runs"), ("ko-KR", "실행")])
def test_pages_about_runs_fit_a_phone_in_every_scheme_and_language(
    chromium: Any, web: WebService, scheme: str, language: str, word: str
) -> None:
    run = new_run(web.backend.database, "a")
    redis_url = web.backend.settings.endpoints.redis_url
    with broken_account(redis_url), served(web.context) as context:
        size = {"width": 390, "height": 844}
        page = opened(
            chromium, context, "/runs", viewport=size, color_scheme=scheme, locale=language
        )
        assert page.locator("h1").inner_text() == word
        others = ("/costs", "/participants", "/start", "/batches", "/schedules")
        for path in ("/runs", f"/runs/{run}", f"/runs/{run}/timeline", *others):
            page.goto(f"http://127.0.0.1:{context.site.port}{path}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en-US", "ko-KR"])
def test_the_way_of_an_agent_and_its_code_fit_a_phone_and_shut_nobody_out(
    chromium: Any, web: WebService, axe: str, scheme: str, language: str
) -> None:
    run = walked_run(web.backend.database)
    bare = new_run(web.backend.database, "a")
    paths = [f"/runs/{run}", f"/runs/{run}/code", f"/runs/{run}/code?symbol=shop.Item"]
    paths += [f"/runs/{run}/code?symbol=nowhere", f"/runs/{bare}/code"]
    with served(web.context) as context:
        size = {"width": 390, "height": 844}
        page = opened(
            chromium, context, "/runs", viewport=size, color_scheme=scheme, locale=language
        )
        for path in paths:
            page.goto(f"http://127.0.0.1:{context.site.port}{path}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
            assert barriers(page, axe) == {}, path


def test_a_reader_walks_from_a_symbol_to_its_neighbours(chromium: Any, web: WebService) -> None:
    run = walked_run(web.backend.database)
    with served(web.context) as context:
        page = opened(chromium, context, f"/runs/{run}")
        assert page.locator(".machine .current text").text_content() == "Test"
        page.locator(".tabs a", has_text="Code").click()
        page.locator(".symbols a", has_text="total").click()
        page.locator(".around a", has_text="rounded").click()
        page.locator(".around a", has_text="price").click()
        assert page.locator("#symbol-name").inner_text() == "shop.Item.price"


def ended_case(web: WebService) -> str:
    """A case that is over, with its chart and its findings."""
    report = case_report()
    run = new_run(web.backend.database, spec=report.spec, title="The chart")
    statement = "UPDATE runs SET outcome = %s, verdict = %s, status = 'completed', finished_at = now() WHERE id = %s"
    values = (json.dumps(report.run.outcome), report.run.verdict, run)
    web.backend.database.run(lambda c: c.execute(statement, values), atomic=True)
    return run


LOOKS = {
    "wide, light, English": {"viewport": {"width": 1280, "height": 860}, "locale": "en-US"},
    "phone, dark, Korean": {
        "viewport": {"width": 390, "height": 844},
        "locale": "ko-KR",
        "color_scheme": "dark",
    },
}


@pytest.mark.parametrize("look", LOOKS)
def test_a_conversation_votes_and_a_case_fit_and_shut_nobody_out(
    chromium: Any, recorded: RecordedPages, web: WebService, axe: str, look: str
) -> None:
    places = [
        (recorded.context, [recorded.run_of("forum"), recorded.run_of("panel")]),
        (web.context, [ended_case(web)]),
    ]
    for place, runs in places:
        with served(place) as context:
            page = opened(chromium, context, "/runs", **LOOKS[look])
            for run in runs:
                page.goto(f"http://127.0.0.1:{context.site.port}/runs/{run}")
                page.evaluate(
                    "document.querySelectorAll('details').forEach((d) => { d.open = true; })"
                )
                page.wait_for_load_state("networkidle")
                within = page.evaluate("document.documentElement.clientWidth")
                assert page.evaluate("document.documentElement.scrollWidth") <= within, run
                assert barriers(page, axe) == {}, run


@pytest.mark.parametrize("width", [390, 1000, 1320, 1800])
def test_a_chart_leaves_its_findings_room(chromium: Any, web: WebService, width: int) -> None:
    run = ended_case(web)
    with served(web.context) as context:
        size = {"width": width, "height": 900}
        page = opened(chromium, context, f"/runs/{run}", viewport=size)
        assert page.locator("#run-result mark").count() > 0
        findings = page.locator("#run-result .finding").first.bounding_box()
        assert findings["width"] > min(width - 80, 380)


def test_the_list_is_used_with_the_keyboard_alone(chromium: Any, web: WebService) -> None:
    runs = [new_run(web.backend.database, "a") for _ in range(2)]
    with served(web.context) as context:
        page = opened(chromium, context, "/runs")
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.getAttribute('href')") == f"/runs/{runs[1]}"
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/runs/{runs[0]}")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_about_runs_shut_nobody_out(
    chromium: Any, recorded: RecordedPages, axe: str, scheme: str
) -> None:
    runs = [recorded.run_of(name) for name in ("ask", "forum", "panel", "plan", "review")]
    paths = [f"/runs/{run}" for run in runs]
    paths += [f"{paths[-1]}{suffix}" for suffix in ("/timeline", "/log", "/fork")]
    paths += ["/start", "/batches", "/schedules"]
    paths += ["/runs", "/costs", "/participants", f"/compare?run={runs[-1]}&run={runs[-2]}"]
    with served(recorded.context) as context:
        page = opened(chromium, context, "/runs", color_scheme=scheme)
        for path in paths if scheme == "light" else paths[4:6]:
            page.goto(f"http://127.0.0.1:{context.site.port}{path}")
            assert barriers(page, axe) == {}, path
