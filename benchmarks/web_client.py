"""A client of the HTTP application, for figures of what handlers cost."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from starlette.testclient import TestClient

from orchestrator.application.backend import Backend
from orchestrator.web.application import create_app
from orchestrator.web.context import WebContext
from orchestrator.web.sites import ServedSite


def web_client(backend: Backend) -> TestClient:
    """A program that speaks to the HTTP application without a socket."""

    def fail(bug: Exception) -> None:
        raise bug

    context = WebContext(
        backend=backend,
        environ=backend.environ,
        directory=Path.cwd(),
        site=ServedSite.of("127.0.0.1", 80),
        actor="bench",
        start_token="bench",
        now=lambda: datetime.now(UTC),
        report_bug=fail,
    )
    headers = {"Authorization": "Bearer bench"}
    return TestClient(create_app(context), "http://127.0.0.1:80", headers=headers)
