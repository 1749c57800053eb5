"""The pages in a real Chromium: by keys alone, in both languages, by two at once, without a script, by everybody."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from orchestrator.web.pages.sign_in import link_path
from shared.models.roles import Role
from shared.store.listed_decisions import list_decisions
from tests.fixtures.browser import barriers
from tests.fixtures.web import Listen, ListeningService
from tests.support.asked_runs import PLAN, asked_run, turn_run
from tests.support.decision_pages import discussed_report, shown_page

pytestmark = [pytest.mark.component, pytest.mark.needs_chromium]

SCREEN, PHONE = (1360, 900), (390, 844)
SOON_MS = 30_000


@dataclass
class Desk:
    """Browsers of several people at one service, and what their pages complained of."""

    chromium: Any
    service: ListeningService
    complaints: list[str] = field(default_factory=list)
    contexts: list[Any] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.service.port}"

    def open(
        self,
        actor: str = "ada",
        *,
        locale: str = "en-US",
        size: tuple[int, int] = SCREEN,
        scheme: str = "light",
        script: bool = True,
    ) -> Any:
        """A page of somebody who has opened a one-time link."""
        context = self.chromium.new_context(
            base_url=self.url,
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            locale=locale,
            java_script_enabled=script,
        )
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self._hear(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(link_path(self.service.service.context.sessions.make_link(actor, Role.DECIDER)))
        if not script:
            page.locator("form[action='/enter'] button").click()
        page.wait_for_url("**/inbox")
        return page

    def answers(self, run: str) -> dict[str, Any] | None:
        """What is recorded."""
        backend = self.service.service.backend
        (row,) = backend.read(
            lambda connection: list_decisions(connection, run=run, only_open=False)
        )
        return row.answer

    def _hear(self, kind: str, text: str) -> None:
        if kind == "error" and "status of 409" not in text:
            self.complaints.append(text)


@pytest.fixture
def desk(chromium: Any, listening: Listen) -> Iterator[Desk]:
    opened = Desk(chromium, listening())
    yield opened
    for context in opened.contexts:
        context.close()
    assert opened.complaints == []


def focused(page: Any, attribute: str) -> str:
    return str(page.evaluate(f"document.activeElement.getAttribute('{attribute}') || ''"))


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


# ---- by keys alone ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("locale", "label"), [("en-US", "Skip & Continue"), ("ko-KR", "건너뛰고 계속")]
)
def test_a_review_is_decided_by_keys_alone(desk: Desk, locale: str, label: str) -> None:
    run = asked_run(desk.service.service.backend.database)
    page = desk.open(locale=locale)
    press(page, "j")
    assert focused(page, "href") == f"/runs/{run}/decisions/decision"
    press(page, "Enter")
    page.wait_for_url("**/decisions/decision")
    press(page, "j")
    assert page.evaluate("document.activeElement.classList.contains('patch')")
    assert page.locator(".hunk.unified").is_visible()
    press(page, "v")
    assert page.locator(".hunk.beside").is_visible()
    assert not page.locator(".hunk.unified").is_visible()
    press(page, "?")
    assert page.locator("#keys").is_visible()
    press(page, "Escape", "m")
    page.keyboard.type("asr not now")
    press(page, "Escape", "s")
    assert focused(page, "value") == "skip"
    assert desk.answers(run) is None
    press(page, "s")
    page.locator("#decide >> text=ada").wait_for()
    assert label in page.inner_text("#decide")
    answer = desk.answers(run)
    assert answer is not None
    assert (answer["choice"], answer["actor"], answer["message"]) == ("skip", "ada", "asr not now")
    press(page, "g", "i")
    page.wait_for_url("**/inbox")


@pytest.mark.parametrize(("locale", "label"), [("en-US", "Revise Plan"), ("ko-KR", "계획 수정")])
def test_a_plan_is_sent_back_by_keys_alone(desk: Desk, locale: str, label: str) -> None:
    run = asked_run(desk.service.service.backend.database, PLAN)
    page = desk.open(locale=locale)
    press(page, "j", "Enter")
    page.wait_for_url("**/decisions/decision")
    press(page, "a")
    assert focused(page, "value") == "accept"
    press(page, "r")
    assert focused(page, "value") == "revise"
    press(page, "Enter")
    page.locator("#decide >> text=ada").wait_for()
    assert label in page.inner_text("#decide")
    answer = desk.answers(run)
    assert answer is not None
    assert answer["choice"] == "revise"


def test_findings_are_picked_by_keys(desk: Desk) -> None:
    page = desk.open()
    page.route(
        "**/rich",
        lambda route: route.fulfill(content_type="text/html", body=shown_page(discussed_report())),
    )
    page.goto("/rich")
    box = page.locator("input[value=F1]")
    assert box.is_checked()
    press(page, "j", "x")
    assert focused(page, "id") == "F1"
    assert not box.is_checked()
    page.goto("/rich")  # what was picked is kept with the words that are being written
    assert not box.is_checked()
    press(page, "j", "x", "j", "k")
    assert box.is_checked()
    assert focused(page, "id") == "F1"


# ---- two at once, and pages that are open -------------------------------------------------------


def test_of_two_browsers_one_is_recorded_and_the_other_told(desk: Desk) -> None:
    run = asked_run(desk.service.service.backend.database)
    ada, bob = desk.open("ada"), desk.open("bob")
    for page in (ada, bob):
        page.goto(f"/runs/{run}/decisions/decision")
    bob.fill("#message", "I would rather not.")
    press(ada, "a", "a")
    ada.locator("#decide >> text=ada").wait_for()
    bob.locator("button[value=skip]").click()
    alert = bob.locator("[role=alert]:not([hidden])")
    alert.wait_for()
    told = alert.inner_text()
    assert "Already decided: Apply Fix, by ada (web)" in told
    assert "I would rather not." in told
    answer = desk.answers(run)
    assert answer is not None
    assert (answer["choice"], answer["actor"]) == ("apply_fix", "ada")


def test_open_pages_follow_what_happens(desk: Desk) -> None:
    database = desk.service.service.backend.database
    first = asked_run(database)
    inbox, decision = desk.open("ada"), desk.open("bob")
    decision.goto(f"/runs/{first}/decisions/decision")
    decision.fill("#message", "still writing")
    press(inbox, "j")
    second = asked_run(database, PLAN)
    inbox.locator(f"a[href*='{second}']").wait_for(timeout=SOON_MS)
    assert first in focused(inbox, "href")
    inbox.wait_for_function("document.title.startsWith('(2)')")
    other = desk.open("eve")
    other.goto(f"/runs/{first}/decisions/decision")
    press(other, "s", "s")
    decision.locator("#live >> text=eve").wait_for(timeout=SOON_MS)
    assert decision.input_value("#message") == "still writing"
    inbox.locator(f"a[href*='{first}']").wait_for(state="detached", timeout=SOON_MS)


def test_an_open_page_outlives_a_service_that_is_away(desk: Desk) -> None:
    database = desk.service.service.backend.database
    first = asked_run(database)
    page = desk.open()
    answers = iter(["abort", 503, 429])

    def away(route: Any) -> None:
        answer = next(answers, None)
        if answer is None:
            route.continue_()
        elif answer == "abort":
            route.abort()
        else:
            route.fulfill(status=answer, content_type="text/html", body="<h1>away</h1>")

    page.route("**/inbox/list*", away)
    page.locator("#offline").wait_for(timeout=SOON_MS)
    second = asked_run(database, PLAN)
    page.locator(f"a[href*='{second}']").wait_for(timeout=SOON_MS)
    assert page.locator(f"a[href*='{first}']").is_visible()
    assert page.locator("h1 >> text=away").count() == 0
    page.locator("#offline").wait_for(state="hidden", timeout=SOON_MS)
    desk.complaints.clear()


def test_an_open_page_whose_session_has_ended_leads_to_the_sign_in(desk: Desk) -> None:
    asked_run(desk.service.service.backend.database)
    inbox, other = desk.open("ada"), desk.open("bob")
    other.goto("/costs")
    desk.service.service.context.sessions.close_all()
    for page in (inbox, other):
        page.locator("form[action='/sign-in']").wait_for(timeout=SOON_MS)
        assert not page.locator("#offline").is_visible()
    desk.complaints.clear()


def test_what_was_written_stays_when_the_session_has_ended(desk: Desk) -> None:
    run = asked_run(desk.service.service.backend.database)
    page = desk.open()
    page.goto(f"/runs/{run}/decisions/decision")
    page.fill("#message", "half an answer")
    desk.service.service.context.sessions.close_all()
    page.locator("#signed-out").wait_for(state="visible", timeout=SOON_MS)
    assert page.input_value("#message") == "half an answer"
    assert not page.locator("#offline").is_visible()
    page.fill("#message", "")
    page.locator("form[action='/sign-in']").wait_for(timeout=SOON_MS)
    desk.complaints.clear()


def test_an_answer_that_was_sent_after_the_session_had_ended_is_there_again(desk: Desk) -> None:
    run = asked_run(desk.service.service.backend.database)
    context = desk.service.service.context
    page = desk.open()
    page.goto(f"/runs/{run}/decisions/decision")
    page.fill("#message", "half an answer\nof two lines")
    context.sessions.close_all()
    page.locator("button[value=skip]").click()
    page.locator("form[action='/sign-in']").wait_for(timeout=SOON_MS)
    assert desk.answers(run) is None
    page.goto(link_path(context.sessions.make_link("ada", Role.DECIDER)))
    page.wait_for_url("**/inbox")
    page.goto(f"/runs/{run}/decisions/decision")
    assert page.input_value("#message") == "half an answer\nof two lines"
    page.locator("button[value=skip]").click()
    page.locator("[data-answered]").wait_for(timeout=SOON_MS)
    given = desk.answers(run)
    assert given is not None
    assert given["message"] == "half an answer\nof two lines"
    assert page.evaluate("sessionStorage.length") == 0
    desk.complaints.clear()


def test_every_page_says_how_much_waits(desk: Desk) -> None:
    database = desk.service.service.backend.database
    asked_run(database)
    turn_run(database)
    page = desk.open()
    page.goto("/costs")
    page.locator("nav .count").wait_for()
    assert page.inner_text("nav .count").startswith("2")


# ---- for everybody ------------------------------------------------------------------------------


def test_everything_works_without_a_script(desk: Desk) -> None:
    database = desk.service.service.backend.database
    review, person = asked_run(database), turn_run(database)
    page = desk.open(script=False)
    page.locator(f"a[href*='{review}']").click()
    page.locator(".views >> text=Side by side").click()
    assert page.locator(".hunk.beside").is_visible()
    assert not page.locator(".hunk.unified").is_visible()
    page.fill("#message", "by hand")
    page.locator("button[value=skip]").click()
    page.locator("#decide >> text=ada").wait_for()
    page.goto("/inbox")
    page.locator(f"a[href*='{person}']").click()
    page.fill("#message", "APPROVED. It is right.")
    page.locator("main form button").click()
    page.locator("text=1 answer is recorded.").wait_for()
    page.locator(".settings summary").click()
    page.locator("button[value=ko]").click()
    page.locator("h1 >> text=수신함").wait_for()


LOOKS = {
    "light": {"scheme": "light"},
    "dark": {"scheme": "dark"},
    "phone": {"size": PHONE, "locale": "ko-KR"},
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_no_page_shuts_anybody_out_or_is_wider_than_its_window(
    desk: Desk, axe: str, look: dict[str, Any]
) -> None:
    database = desk.service.service.backend.database
    review, plan = asked_run(database), asked_run(database, PLAN, batch="nightly")
    person = turn_run(database)
    page = desk.open(**look)
    made = shown_page(discussed_report(), look.get("locale", "en")[:2])
    page.route("**/rich", lambda route: route.fulfill(content_type="text/html", body=made))
    addresses = ["/inbox", "/rich", "/inbox?workflow=ask", "/sign-in"]
    addresses += [f"/runs/{run}/decisions/decision" for run in (review, plan)]
    addresses += [f"/runs/{person}/turns/critique/1/me"]
    for address in addresses[: 2 if look == LOOKS["dark"] else None]:
        page.goto(address)
        assert barriers(page, axe) == {}, address
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= look.get("size", SCREEN)[0], address


def test_what_shuts_people_out_is_found(desk: Desk, axe: str) -> None:
    page = desk.open()
    made = shown_page(discussed_report())
    worse = made.replace("<html lang=", "<html data-lang=").replace('<label for="message">', "<p>")
    page.route("**/worse", lambda route: route.fulfill(content_type="text/html", body=worse))
    page.goto("/worse")
    assert {"html-has-lang", "label"} <= barriers(page, axe).keys()
