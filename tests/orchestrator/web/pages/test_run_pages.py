"""The pages about runs, over recorded ones: every run of every workflow has all of its pages, in both languages."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from orchestrator.core.formats import FORMATS
from orchestrator.settings.languages import LANGUAGES
from tests.orchestrator.web.pages.conftest import RecordedPages

pytestmark = pytest.mark.component


FEW = 8
"""One in so many runs is looked at where one is like another."""


class Markup(HTMLParser):
    """What a page holds: its ids, its elements, and what is open when it ends."""

    VOID = frozenset(
        "area base br col hr img input link meta source wbr path circle rect line polyline polygon".split()
    )

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.handlers: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name.startswith("on") or name == "style":
                self.handlers.append(name)
            if name in ("href", "src", "action"):
                self.links.append(value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("suffix", ["", "/now", "/timeline", "/log", "/fork"])
def test_every_recorded_run_has_its_pages(
    recorded: RecordedPages, suffix: str, language: str
) -> None:
    every = 2 if (suffix, language) == ("", "en") else FEW
    for run in recorded.runs[::every]:
        shown = Markup(recorded.get(f"/runs/{run}{suffix}", language))

        assert shown.open == [], (run, suffix)
        assert len(shown.ids) == len(set(shown.ids)), run
        assert shown.handlers == []
        assert (
            "script" not in shown.tags[shown.tags.index("body") :] if "body" in shown.tags else True
        )
        assert all(link.startswith(("/", "#", "https://")) for link in shown.links)


def test_a_page_says_where_the_run_stands_and_what_it_came_to(recorded: RecordedPages) -> None:
    shown = recorded.get(f"/runs/{recorded.run_of('review')}")

    assert 'aria-label="Progress of this run"' in shown
    assert 'id="run-result"' in shown
    assert 'class="bubble' in shown
    assert "data-events" not in shown, "nothing is followed that is over"


@pytest.mark.parametrize("name", [row.name for row in FORMATS])
def test_a_run_is_exported_in_every_format(recorded: RecordedPages, name: str) -> None:
    run = recorded.run_of("review")
    answer = recorded.client.get(f"/runs/{run}/export/{name}")

    assert answer.status_code == 200
    assert answer.text
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="quorate-{run}')
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    ["/runs/nobody", "/runs/nobody/timeline", "/runs/nobody/events", "/runs/nobody/export/html"],
)
def test_a_run_that_is_not_there_is_not_found(recorded: RecordedPages, path: str) -> None:
    recorded.get(path, status=404)


def test_what_is_no_format_and_no_round_is_refused(recorded: RecordedPages) -> None:
    run = recorded.run_of("review")

    assert recorded.client.get(f"/runs/{run}/export/exe").status_code in (400, 404, 422)
    assert recorded.client.get(f"/runs/{run}/rounds/part-99").status_code == 404


def test_the_beginning_of_an_id_leads_to_the_run(recorded: RecordedPages) -> None:
    run = recorded.run_of("review")
    answer = recorded.client.get(f"/runs/{run[:-1]}")

    assert answer.headers.get("location", f"/runs/{run}") == f"/runs/{run}"


def test_a_round_can_be_read_by_itself(recorded: RecordedPages) -> None:
    run = recorded.run_of("review")

    assert 'class="bubble' in recorded.get(f"/runs/{run}/rounds/part-1")


# ---- lists ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "path", ["/runs", "/participants", "/costs", "/costs?days=366", "/participants?days=366"]
)
def test_lists_and_sums_are_whole_pages(recorded: RecordedPages, path: str, language: str) -> None:
    shown = Markup(recorded.get(path, language))

    assert shown.open == []
    assert len(shown.ids) == len(set(shown.ids))
    assert shown.handlers == []


def test_the_list_is_narrowed_by_its_address(recorded: RecordedPages) -> None:
    plans = recorded.get("/runs?workflow=plan&status=completed")

    assert recorded.run_of("plan") in plans
    assert recorded.run_of("review") not in plans
    assert '<option value="plan" selected>' in plans


def test_what_fits_nothing_says_so(recorded: RecordedPages) -> None:
    assert "No run matches this search." in recorded.get("/runs?q=xyzzy")


def test_two_runs_stand_beside_each_other(recorded: RecordedPages) -> None:
    first, second = recorded.run_of("review"), recorded.run_of("plan")
    shown = recorded.get(f"/compare?run={first}&run={second}", "ko")

    assert first in shown
    assert second in shown
    assert "<table>" in shown
    assert recorded.client.get(f"/compare?run={first}").status_code in (400, 422)


def test_a_fork_is_planned_before_it_begins(recorded: RecordedPages) -> None:
    planned = {
        run: shown
        for run in recorded.runs[::FEW]
        if (shown := recorded.client.get(f"/runs/{run}/fork?at=round:1")).status_code == 200
    }
    run, shown = next(iter(planned.items()))

    assert 'name="at" value="round:1"' in shown.text
    assert "Start the fork" in shown.text
    assert "Start the fork" not in recorded.get(f"/runs/{run}/fork")
    assert "Start the fork" not in recorded.get(f"/runs/{run}/fork?at=round:99", status=422)
