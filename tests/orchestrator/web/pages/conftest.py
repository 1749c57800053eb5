"""The pages over runs that were really recorded: of every workflow, ended and in flight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from orchestrator.application.backend import Backend
from orchestrator.embedded.throwaway import clone_database, drop_database
from orchestrator.web.application import create_app
from orchestrator.web.context import WebContext
from orchestrator.web.sites import ServedSite
from shared.instance import Endpoints
from shared.settings import ServiceSettings
from shared.store.database import Database
from tests.fixtures.web import OWN_TOKEN, PORT
from tests.recorded_runs.loading import load
from tests.recorded_runs.reading import FILES, read


@dataclass(frozen=True)
class RecordedPages:
    """A program on the pages of the recorded runs, as an operator."""

    client: TestClient
    context: WebContext
    database: Database

    @property
    def runs(self) -> list[str]:
        """All of them."""
        rows = self.database.run(lambda c: c.execute("SELECT id FROM runs ORDER BY id").fetchall())
        return [row.id for row in rows]

    def run_of(self, workflow: str, status: str = "completed") -> str:
        """The first run of a workflow that has that status."""
        statement = "SELECT id FROM runs WHERE workflow = %s AND status = %s ORDER BY id LIMIT 1"
        row = self.database.run(lambda c: c.execute(statement, (workflow, status)).fetchone())
        assert row is not None
        return str(row.id)

    def get(self, path: str, language: str = "en", status: int = 200) -> str:
        """The page there."""
        answer = self.client.get(path, headers={"Accept-Language": language, "Accept": "text/html"})
        assert answer.status_code == status, (path, answer.status_code, answer.text[:500])
        return answer.text


@pytest.fixture(scope="session")
def recorded(
    servers: Endpoints, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RecordedPages]:
    """Read only: what changes runs has a database of its own (the fixture `web`)."""
    url = clone_database(servers, "template0", "recorded_pages")
    load(url, *map(read, FILES))
    home: Path = tmp_path_factory.mktemp("recorded_pages")
    environ = {
        "HOME": str(home),
        "QUORATE_DATABASE_URL": url,
        "QUORATE_REDIS_URL": servers.redis_url,
    }
    database = Database(url, pool_size=4, patience_s=10)
    bugs: list[Exception] = []
    context = WebContext(
        backend=Backend(ServiceSettings.from_environment(environ), database),
        environ=environ,
        directory=home,
        site=ServedSite.of("127.0.0.1", PORT),
        actor="ada",
        start_token=OWN_TOKEN,
        now=lambda: datetime.now(UTC),
        report_bug=bugs.append,
    )
    client = TestClient(
        create_app(context),
        base_url=f"http://127.0.0.1:{PORT}",
        headers={"Authorization": f"Bearer {OWN_TOKEN}"},
        follow_redirects=False,
    )
    yield RecordedPages(client, context, database)
    client.close()
    database.close()
    drop_database(servers, "recorded_pages")
    assert bugs == []
