"""Tokens that see some projects only, at every route there is: what is not theirs is not there, or closed to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from orchestrator.application.api_tokens import add
from orchestrator.web import api, health, pages
from orchestrator.web.scoping import ASKS_THE_STORE, NAMES_NO_RUN, OPEN
from shared.models.roles import Role
from shared.store.database import Database
from shared.store.projects import project_of
from shared.store.runs import NewDecision
from tests.fixtures.web import WebService
from tests.support.runs import execute, new_run

pytestmark = pytest.mark.component

MINE, THEIRS = "mine", "theirs"
LISTS = ("/api/v1/runs", "/api/v1/inbox", "/runs", "/inbox", "/inbox/list")


def routes() -> Iterator[tuple[str, str]]:
    """(method, path) of everything that is served."""
    groups = [("", (health.router,)), (api.PREFIX, api.ROUTERS), ("", pages.ROUTERS)]
    for prefix, routers in groups:
        for router in routers:
            for route in router.routes:
                for method in route.methods - {"HEAD"}:  # type: ignore[attr-defined]
                    yield method, prefix + route.path  # type: ignore[attr-defined]


ROUTES = sorted(set(routes()))


def run_of(database: Database, project: str) -> str:
    """A run of a project that waits for an answer."""
    question = '{"kind": "k", "prompt": "TITLE", "options": ["skip"], "shown": {}}'.replace(
        "TITLE", project
    )
    decision = NewDecision("decision", "k", question, "sha", None, None)
    run = new_run(database, decisions=(decision,))
    execute(
        database,
        "UPDATE specs SET spec = jsonb_set(spec, '{labels}', jsonb_build_object('repository', %s::text))",
        project,
    ) if project == MINE else execute(
        database,
        "UPDATE specs SET spec = jsonb_set(spec, '{labels}', jsonb_build_object('project', %s::text)) "
        "WHERE run_id = %s",
        project,
        run,
    )
    execute(database, "UPDATE runs SET title = %s WHERE id = %s", f"about {project}", run)
    return run


@pytest.fixture
def mine(web: WebService, database: Database) -> str:
    return run_of(database, MINE)


@pytest.fixture
def theirs(web: WebService, database: Database, mine: str) -> str:
    return run_of(database, THEIRS)


@pytest.fixture
def limited(web: WebService) -> TestClient:
    """An operator, who may do everything, with the runs of one project."""
    return web.client(add(web.backend, "limited", Role.OPERATOR, None, [MINE]))


def address(path: str, run: str) -> str:
    filled = path.replace("{run}", run).replace("{key:path}", "decision")
    return re.sub(r"\{[^}]+\}", "x", filled)


def misbehaviour(client: TestClient, method: str, path: str, run: str) -> str:
    """What a route does that it may not; empty for nothing."""
    answer = client.request(
        method, address(path, run), json={} if method == "POST" else None, follow_redirects=False
    )
    told = f"{method} {path}: {answer.status_code} {answer.text[:200]}"
    if THEIRS in answer.text.replace(run, ""):
        return f"tells of it: {told}"
    if "{run}" in path:
        return "" if answer.status_code in (403, 404) else told
    is_open = (path.removeprefix(api.PREFIX) or "/") in OPEN
    return "" if is_open or answer.status_code == 403 else told


def test_no_route_tells_of_another_projects_run_or_touches_it(
    limited: TestClient, database: Database, theirs: str
) -> None:
    def stored() -> list[object]:
        return list(database.run(lambda c: c.execute("SELECT * FROM runs ORDER BY id").fetchall()))

    before = stored()

    found = [misbehaviour(limited, method, path, theirs) for method, path in ROUTES]

    assert [each for each in found if each] == []
    assert len(found) > 60
    assert stored() == before


def test_every_open_route_is_one_that_there_is() -> None:
    served = {path.removeprefix(api.PREFIX) or "/" for _, path in ROUTES}

    assert served >= OPEN
    assert not NAMES_NO_RUN & ASKS_THE_STORE


@pytest.mark.parametrize("path", LISTS)
def test_lists_hold_the_runs_of_ones_projects(
    web: WebService, limited: TestClient, mine: str, theirs: str, path: str
) -> None:
    seen, all_of_them = limited.get(path).text, web.client().get(path).text

    assert (mine in seen, theirs in seen) == (True, False)
    assert (mine in all_of_them, theirs in all_of_them) == (True, True)


def test_a_search_and_a_comparison_find_nothing_of_others(
    limited: TestClient, mine: str, theirs: str
) -> None:
    assert limited.get("/api/v1/runs", params={"q": "about"}).text.count('"id"') == 1
    compared = limited.get(f"/api/v1/runs/{mine}/diff", params={"with": theirs})
    assert compared.status_code in (404, 422)
    assert THEIRS not in limited.get("/compare", params={"a": mine, "b": theirs}).text


def test_ones_own_runs_are_seen_by_their_whole_ids_only(
    limited: TestClient, mine: str, theirs: str
) -> None:
    assert limited.get(f"/api/v1/runs/{mine}/notices").status_code == 200
    for name in (mine[:-1], "last"):
        assert limited.get(f"/api/v1/runs/{name}/notices").status_code == 404


def test_answering_all_decisions_answers_ones_own(
    limited: TestClient, database: Database, mine: str, theirs: str
) -> None:
    limited.post("/api/v1/decisions/bulk", json={"choice": "skip"})

    rows = database.run(
        lambda c: c.execute("SELECT run_id, state FROM decisions ORDER BY run_id").fetchall()
    )
    states = {row.run_id: row.state for row in rows}
    assert states[theirs] == "open"


def test_a_token_without_projects_sees_all(web: WebService, mine: str, theirs: str) -> None:
    everything = web.client_as(Role.VIEWER)

    for run in (mine, theirs):
        assert everything.get(f"/api/v1/runs/{run}/notices").status_code == 200


def test_a_run_belongs_to_the_project_it_was_given_else_to_its_repository() -> None:
    assert project_of({"project": "a", "repository": "b"}) == "a"
    assert project_of({"repository": "b"}) == "b"
    assert project_of({}) == ""
