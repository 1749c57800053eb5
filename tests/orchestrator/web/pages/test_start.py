"""Runs that are started from the page: one for each form, with what was typed kept where nothing could be started."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest
from httpx2 import Response

from orchestrator.application.api_tokens import add
from orchestrator.web.pages.start import STARTED, is_about_a_change
from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.browsers import PlainBrowser, forms_of
from tests.support.runs import fetch

pytestmark = pytest.mark.component

DIFF = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = eval('1')\n"
HOSTILE = "</textarea><script>document.title='owned'</script>{{ 7 * 7 }}"
START = "/start"


@pytest.fixture(autouse=True)
def panel(web: WebService) -> None:
    """A person and a model of this machine take part; nobody is reached, for no worker is there."""
    folder = Path(web.context.environ["HOME"], ".config/quorate")
    folder.mkdir(parents=True)
    model = '{type: openai, model: m, base_url: "http://127.0.0.1:9/v1"}'
    content = f"providers: {{mina: {{type: person}}, local: {model}}}\n"
    (folder / "config.yaml").write_text(content, encoding="utf-8")


def count(web: WebService) -> int:
    return int(fetch(web.backend.database, "SELECT count(*) FROM runs")[0])


def started(browser: PlainBrowser, workflow: str, *fields: tuple[str, str]) -> Response:
    """What the form of a workflow is answered with."""
    page = browser.get(f"{START}?workflow={workflow}")
    text = DIFF if is_about_a_change(workflow) else "Is it?"
    return browser.send(
        page, START, ("participant", "mina"), ("participant", "local"), ("text", text), *fields
    )


@pytest.mark.parametrize("workflow", STARTED)
def test_a_submitter_starts_a_run_and_is_led_to_it(web: WebService, workflow: str) -> None:
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)
    answer = started(browser, workflow)

    assert answer.status_code == 303, answer.text
    page = browser.get(answer.headers["location"])
    assert (page.status_code, count(web)) == (200, 1)
    assert fetch(web.backend.database, "SELECT workflow FROM runs")[0] == workflow


def test_a_run_gets_the_limit_and_the_panel_that_were_chosen(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)
    change = next(filter(is_about_a_change, STARTED))
    page = browser.get(f"{START}?workflow={change}")
    answer = browser.send(page, START, participant="ruff", text=DIFF, max_cost="0.5")

    assert answer.status_code == 303, answer.text
    spec = fetch(web.backend.database, "SELECT spec FROM specs")[0]
    assert spec["budget"]["max_usd"] == 0.5
    assert [critic["name"] for critic in spec["panel"]["critics"]] == ["ruff"]


def test_a_form_that_is_sent_twice_starts_one_run(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)
    page = browser.get(f"{START}?workflow={STARTED[0]}")
    first, again = (browser.send(page, START, participant="mina", text="Is it?") for _ in range(2))

    assert first.headers["location"] == again.headers["location"]
    assert count(web) == 1
    assert started(browser, STARTED[0]).headers["location"] != first.headers["location"]


@pytest.mark.parametrize(
    ("field", "status"),
    [
        (("max_cost", "lots"), 422),
        (("max_cost", "-1"), 422),
        (("participant", "/bin/sh -c id"), 403),
        (("participant", "nobody-of-that-name"), 422),
        (("preset", "../../etc/passwd"), 403),
        (("preset", "none-of-that-name"), 422),
        (("text", " "), 422),
    ],
)
def test_what_cannot_be_started_is_told_at_the_form_with_what_was_typed(
    web: WebService, field: tuple[str, str], status: int
) -> None:
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)
    page = browser.get(f"{START}?workflow={STARTED[0]}")
    typed = {"text": f"Is it so? {HOSTILE}", "max_cost": "0.25", **dict([field])}
    answer = browser.send(page, START, *typed.items())

    assert answer.status_code == status, answer.text
    assert 'role="alert"' in answer.text
    assert "<script>document" not in answer.text
    assert typed["text"] in unescape(answer.text)
    assert f'value="{typed["max_cost"]}"' in answer.text
    assert dict(forms_of(answer.text)[START])["once"] == dict(forms_of(page.text)[START])["once"]
    assert count(web) == 0


def test_who_may_not_submit_gets_no_form_and_starts_nothing(web: WebService) -> None:
    viewer = PlainBrowser.signed_in(web, Role.VIEWER)

    assert viewer.get(START).status_code == 403
    assert START not in viewer.get("/runs").text
    assert PlainBrowser.of(web).get(START).status_code == 401
    assert f'href="{START}"' in PlainBrowser.signed_in(web, Role.SUBMITTER).get("/runs").text


def test_no_other_site_starts_a_run(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web, Role.OPERATOR)
    real = [*forms_of(browser.get(START).text)[START], ("text", "Is it?"), ("participant", "mina")]
    forged = [(name, value) for name, value in real if name != "form_token"]

    assert browser.post(START, forged).status_code == 403
    assert browser.post(START, real, Origin="https://evil.example").status_code == 403
    assert count(web) == 0


def test_a_run_of_a_token_with_projects_belongs_to_its_first_one(web: WebService) -> None:
    token = add(web.backend, "limited", Role.SUBMITTER, None, ["mine", "ours"])
    client = web.client(token)
    fields = {"workflow": STARTED[0], "once": "x" * 32, "text": "Is it?", "participant": "mina"}
    answer = client.post(START, data=fields, headers={"Accept": "text/html"})

    assert answer.status_code == 303, answer.text
    assert fetch(web.backend.database, "SELECT spec FROM specs")[0]["labels"]["project"] == "mine"


@pytest.mark.parametrize("workflow", ["case", "agent", "none", "../x"])
def test_a_workflow_that_needs_more_than_a_text_is_not_started_here(
    web: WebService, workflow: str
) -> None:
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)
    values = dict(forms_of(browser.get(f"{START}?workflow={workflow}").text)[START])
    assert values["workflow"] == STARTED[0]

    assert browser.post(START, [*{**values, "workflow": workflow}.items()]).status_code == 422
    assert count(web) == 0


def test_the_form_is_korean_for_who_reads_korean(web: WebService) -> None:
    browser = PlainBrowser.signed_in(web, Role.SUBMITTER)

    assert "실행 시작" in browser.get(START, **{"Accept-Language": "ko"}).text
