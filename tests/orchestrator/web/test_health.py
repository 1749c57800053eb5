"""Health and metrics over HTTP."""

import pytest

from shared.models.roles import Role
from tests.fixtures.web import WebService
from tests.support.runs import alive

pytestmark = pytest.mark.component


def test_readiness_names_what_is_missing(web: WebService) -> None:
    client = web.client(None)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    missing = {check["name"]: check["why"] for check in answer.json()["checks"] if not check["ok"]}
    assert set(missing) == {"orchestrator", "tools", "turns"}
    assert all("no sign of life" in why or "shows a sign" in why for why in missing.values())

    for kind in ("orchestrator", "tools", "turns"):
        alive(web.backend.database, kind, kind=kind)

    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["ok"]) == (200, True)
    assert answer.json()["processes"] == ["orchestrator", "tools", "turns"]


def test_metrics_are_for_viewers(web: WebService) -> None:
    assert web.client(None).get("/metrics").status_code == 401

    answer = web.client_as(Role.VIEWER).get("/metrics")

    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'quorate_server_up{server="database"} 1.0' in answer.text
