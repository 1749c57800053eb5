"""Long lists of runs are read page by page, and nothing but a cursor is taken for one."""

from pathlib import Path

import pytest

from orchestrator.application.backend import Backend
from orchestrator.application.listings import page_of
from shared.errors import UserError
from shared.instance import Instance
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.run_filter import RunFilter
from tests.support.runs import new_run

pytestmark = pytest.mark.component


@pytest.fixture
def backend(database: Database, tmp_path: Path) -> Backend:
    return Backend(ServiceSettings(Instance.at(tmp_path), None), database)


def test_a_cursor_leads_from_page_to_page_and_the_last_one_has_none(backend: Backend) -> None:
    runs = {new_run(backend.database, "a") for _ in range(5)}
    pages = [page_of(backend, limit=2)]
    while (cursor := pages[-1].cursor) is not None:
        pages.append(page_of(backend, RunFilter(workflow="review"), cursor=cursor, limit=2))

    assert [len(page.rows) for page in pages] == [2, 2, 1]
    assert {run.id for page in pages for run in page.rows} == runs


@pytest.mark.parametrize("limit", [0, -5])
def test_a_page_has_at_least_one_run(backend: Backend, limit: int) -> None:
    new_run(backend.database, "a")

    assert len(page_of(backend, limit=limit).rows) == 1


@pytest.mark.parametrize("cursor", ["", "x", "20261121T100000.000000-", "-r1", "' OR 1=1", "\0"])
def test_what_is_no_cursor_is_refused(backend: Backend, cursor: str) -> None:
    with pytest.raises(UserError, match="no cursor"):
        page_of(backend, cursor=cursor)
