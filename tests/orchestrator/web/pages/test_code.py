"""The page of a run's code: a symbol and its neighbours, and plain words where no graph is stored."""

from __future__ import annotations

import pytest

from orchestrator.settings.languages import LANGUAGES
from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.hostile_texts import HOSTILE, active_parts
from tests.support.runs import new_run
from tests.support.walked_code import walked_run

pytestmark = pytest.mark.component


def page(web: WebService, path: str, language: str = "en") -> str:
    client = web.client_as(Role.VIEWER)
    answer = client.get(path, headers={"Accept": "text/html", "Accept-Language": language})
    assert answer.status_code == 200, answer.text[:500]
    return answer.text


def test_the_page_of_an_agent_shows_its_way_while_it_goes_on(web: WebService) -> None:
    run = walked_run(web.backend.database)
    shown = page(web, f"/runs/{run}")
    assert 'class="machine"' in shown
    assert "3 Test, 4 Implementation, 5 Test. Now: Test." in shown
    assert f'href="/runs/{run}/code"' in shown


def test_it_begins_with_the_symbols_of_the_context(web: WebService) -> None:
    run = walked_run(web.backend.database)
    shown = page(web, f"/runs/{run}/code")
    assert f'href="/runs/{run}/code?symbol=shop.Item"' in shown
    assert f'href="/runs/{run}/code?symbol=shop.total"' in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_neighbour_is_a_link_to_walk_on(web: WebService, language: str) -> None:
    run = walked_run(web.backend.database)
    shown = page(web, f"/runs/{run}/code?symbol=shop.rounded", language)
    assert f'href="/runs/{run}/code?symbol=shop.Item.price"' in shown
    assert "shop.py:6" in shown
    tests = page(web, f"/runs/{run}/code?symbol=shop.total", language)
    assert f'href="/runs/{run}/code?symbol=test_shop.test_total"' in tests


def test_a_place_leads_to_the_symbol_around_it(web: WebService) -> None:
    run = walked_run(web.backend.database)
    assert "<code>shop.Item.price</code>" in page(web, f"/runs/{run}/code?at=shop.py:6")


def test_what_nothing_is_called_is_told_with_where_to_begin(web: WebService) -> None:
    run = walked_run(web.backend.database)
    shown = page(web, f"/runs/{run}/code?symbol=nowhere")
    assert "Nothing in the graph is called nowhere." in shown
    assert "shop.Item" in shown


def test_without_a_graph_it_says_so(web: WebService) -> None:
    run = new_run(web.backend.database, "a")
    shown = page(web, f"/runs/{run}/code")
    assert "No graph of the code is stored for this run" in shown
    assert "quorate graph callers" in shown


def test_a_graph_that_was_purged_is_told(web: WebService) -> None:
    run = walked_run(web.backend.database)
    statement = (
        "DELETE FROM documents WHERE sha256 = (SELECT reply->>'graph' FROM steps WHERE run_id = %s)"
    )
    web.backend.database.run(lambda c: c.execute(statement, (run,)), atomic=True)
    assert "is not stored any more" in page(web, f"/runs/{run}/code?symbol=shop.Item")


@pytest.mark.parametrize("asked", ["symbol", "at"])
def test_what_is_asked_is_text(web: WebService, asked: str) -> None:
    run = walked_run(web.backend.database)
    client = web.client_as(Role.VIEWER)
    for text in HOSTILE.values():
        sent = text.encode("utf-8", "ignore").decode()  # half a surrogate pair cannot be sent
        shown = client.get(
            f"/runs/{run}/code", params={asked: sent}, headers={"Accept": "text/html"}
        )
        assert shown.status_code == 200
        assert active_parts(shown.text) == []
