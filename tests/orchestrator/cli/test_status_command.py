"""`quorate status`: what is told where nothing runs, and what an operator holds."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import partial

import httpx
import pytest

from orchestrator.cli.commands.status import show_status
from orchestrator.client.client import Client
from orchestrator.web.api import shapes
from shared.build import this_build
from shared.models.batches import BatchLimits
from shared.models.notices import as_column, notice
from shared.models.roles import Role
from shared.providers.limits import pause
from shared.store.batches import create_batch, pause_batch
from tests.fixtures.instance import CommandLine
from tests.fixtures.web import WebService
from tests.support.runs import execute, new_run


def test_nothing_runs_is_told_as_that_with_the_version_and_starts_nothing(
    quiet_home: CommandLine,
) -> None:
    told = quiet_home("status")
    assert told.returncode == 5
    assert told.stdout.startswith(f"quorate {this_build().shown}\n")
    assert told.stdout.endswith(
        "not running; any command that needs the servers starts them (`quorate up`)\n"
    )

    facts = json.loads(quiet_home("status", "--json").stdout)
    assert facts["version"] == str(this_build())
    assert facts["fault"].startswith("not running")
    assert not any(server["running"] for server in facts["servers"])


@pytest.mark.component
def test_what_is_paused_is_told_with_its_end_in_text_in_json_and_over_http(
    web: WebService, capsys: pytest.CaptureFixture[str]
) -> None:
    database, redis_url = web.backend.database, web.backend.settings.endpoints.redis_url
    pause(redis_url, "claude", "invoice unpaid")
    pause(redis_url, "two words", for_s=3600.0)
    limits = BatchLimits(None, None)
    for name in ("nightly", "running"):
        create = partial(
            create_batch, name=name, source="-", fingerprint="f", total=1, limits=limits
        )
        database.run(create, atomic=True)
    database.run(lambda c: pause_batch(c, "nightly", paused=True), atomic=True)

    assert show_status(web.context.environ, as_json=True) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["reason"]) for one in facts["paused"]] == [
        ("claude", "invoice unpaid"),
        ("two words", ""),
    ]
    first, second = facts["paused"]
    assert first["until"] is None
    assert second["until"] == pytest.approx(second["since"] + 3600.0)
    assert facts["paused_batches"] == ["nightly"]

    assert show_status(web.context.environ, as_json=False) == 0
    told = capsys.readouterr().out
    ends = datetime.fromtimestamp(second["until"], UTC)
    assert (
        "paused: claude until `quorate participants resume claude` (invoice unpaid)\n"
        f"paused: two words until {ends:%Y-%m-%d %H:%M:%S} UTC\n"
        "paused: batch nightly until `quorate batch resume nightly`\n"
    ) in told

    answer = web.client_as(Role.VIEWER).get("/api/v1/status")
    shapes.StatusShape.model_validate_json(answer.content)
    over_http = answer.json()
    assert over_http["paused"] == facts["paused"]
    assert over_http["paused_batches"] == ["nightly"]


SHARED = (
    "version",
    "schema",
    "runs",
    "runs_estimated",
    "queued",
    "paused",
    "paused_batches",
    "held",
)


@pytest.mark.component
def test_whom_runs_wait_for_is_told_with_the_reason_and_the_next_try(
    web: WebService, capsys: pytest.CaptureFixture[str]
) -> None:
    database = web.backend.database
    note = as_column(notice("waits_failing", who="claude", why="HTTP 503", s=60.0))
    for moment in ("now() + interval '1 hour'", "now() - interval '1 hour'"):
        run = new_run(database, "claude")
        execute(
            database,
            f"UPDATE steps SET note = %s, held_back_at = now(), not_before = {moment} WHERE run_id = %s",
            note,
            run,
        )

    assert show_status(web.context.environ, as_json=True) == 0
    (held,) = json.loads(capsys.readouterr().out)["held"]
    why = "claude's provider failed repeatedly (HTTP 503); it is tried again in 60 s."
    assert (held["participant"], held["turns"], held["runs"]) == ("claude", 1, 1)
    assert held["why"] == why

    assert show_status(web.context.environ, as_json=False) == 0
    told = " ".join(capsys.readouterr().out.split())
    again = f"{datetime.fromisoformat(held['again_at']).astimezone(UTC):%H:%M:%S}"
    assert f"held up: 1 of claude in 1 run, tried again at {again} UTC: {why}" in told


@pytest.mark.component
def test_the_service_its_client_and_the_command_line_say_the_same(
    web: WebService, capsys: pytest.CaptureFixture[str]
) -> None:
    database = web.backend.database
    for name, batch in (("a", ""), ("b", "nightly"), ("c", "nightly")):
        run = new_run(database, name)
        execute(database, "UPDATE runs SET status = 'queued', batch = %s WHERE id = %s", batch, run)
    over_http = web.client_as(Role.VIEWER)
    token = over_http.headers["authorization"].removeprefix("Bearer ")

    assert show_status(web.context.environ, as_json=True) == 0
    facts = json.loads(capsys.readouterr().out)
    answer = over_http.get("/api/v1/status").json()
    handled = httpx.MockTransport(
        lambda request: httpx.Response(200, content=over_http.get(request.url.path).content)
    )
    with Client("http://127.0.0.1:8765", token, transport=handled) as client:
        read = client.status()

    assert facts["queued"] == {"": 1, "nightly": 2}
    for name in SHARED:
        assert answer[name] == facts[name] == read[name], name
    assert set(answer) == set(shapes.StatusShape.model_json_schema()["properties"])
