"""Which run an assistant means."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.mcp.run_service import RunService
from shared.models.rows import REPOSITORY
from tests.fixtures.web import WebService
from tests.support.review_panel import submission
from tests.support.runs import new_run

pytestmark = pytest.mark.component


def test_last_is_the_newest_run_of_the_repository_that_the_server_was_started_in(
    web: WebService, tmp_path: Path
) -> None:
    shop, elsewhere = tmp_path / "shop", tmp_path / "elsewhere"
    (shop / ".git").mkdir(parents=True)
    (shop / "src").mkdir()
    elsewhere.mkdir()

    def run_about(repository: str) -> str:
        spec = submission().spec.model_copy(update={"labels": {REPOSITORY: repository}})
        return new_run(web.backend.database, spec=spec)

    def last(directory: Path) -> str:
        service = RunService(directory, web.context.environ, "ada", _backend=web.backend)
        return service.visible("last")

    of_shop, newest = run_about("shop"), run_about("bank")

    assert last(shop) == last(shop / "src") == of_shop
    assert last(elsewhere) == newest
