"""Runs over HTTP: what is read is what the command line prints."""

import json

import pytest

from orchestrator.application.report import report_of
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.json_rows import dumps
from tests.fixtures.web import WebService
from tests.support.runs import new_run

pytestmark = pytest.mark.component


def test_a_run_is_the_same_json_as_on_the_command_line(web: WebService):
    run = new_run(web.backend.database, "critique/1/ada")
    client = web.client()
    content = client.get(f"/api/v1/runs/{run}").json()
    shown = json.loads(dumps(as_json(report_of(web.backend, run))))
    content["run"]["elapsed_s"] = shown["run"]["elapsed_s"] = 0
    assert content == shown
    assert [each["id"] for each in client.get("/api/v1/runs").json()["runs"]] == [run]


@pytest.mark.parametrize("name", ["%00", "r%00", "%ff", "%f0%9f%a6%86", "%27%22%3b--", "a" * 3000])
def test_no_name_of_a_run_is_a_bug(web: WebService, name: str):
    client = web.client()
    assert client.get(f"/api/v1/runs/{name}").status_code in (400, 404, 422)
    body = {"choice": "skip", "shown_sha256": "0" * 64}
    answer = client.post(f"/api/v1/runs/{name}/decisions/{name}", json=body)
    assert answer.status_code in (400, 404, 422)
