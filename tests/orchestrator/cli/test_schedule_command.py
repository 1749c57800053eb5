"""`quorate schedule add`: the project that a schedule belongs to is that of the runs which it starts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from shared.instance import Endpoints
from shared.store.database import Database
from tests.fixtures.instance import CommandLine, make_command_line

pytestmark = pytest.mark.acceptance

TIMES = ("--cron", "0 3 * * *")


@pytest.fixture
def quorate(servers: Endpoints, database_url: str, tmp_path: Path) -> CommandLine:
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    return make_command_line(tmp_path, **urls)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A repository without a commit."""
    folder = tmp_path / "shop"
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


def projects(database: Database) -> dict[str, str | None]:
    rows = database.run(lambda c: c.execute("SELECT name, project FROM schedules").fetchall())
    return {row.name: row.project for row in rows}


def test_a_schedule_belongs_where_its_runs_will(
    quorate: CommandLine, database: Database, shop: Path
) -> None:
    def add(name: str, *typed: str) -> None:
        done = quorate("schedule", "add", name, *TIMES, "--directory", str(shop), *typed)
        assert done.returncode == 0, done.stderr

    add("of-its-repository", "--", "review")
    add("of-none", "--", "ask", "Is it?")
    add("of-its-command", "--", "ask", "Is it?", "--project", "web")
    add("as-it-is-told", "--project", "told", "--", "review", "--project", "web")
    (shop / "ours.yaml").write_text("project: configured\n")
    add("of-its-configuration", "--", "ask", "Is it?", "--config", "ours.yaml")

    assert projects(database) == {
        "of-its-repository": "shop",
        "of-none": None,
        "of-its-command": "web",
        "as-it-is-told": "told",
        "of-its-configuration": "configured",
    }
    shown = quorate("schedule", "show", "of-its-command")
    assert "project     web" in shown.stdout
    listed = json.loads(quorate("schedule", "show", "of-its-command", "--json").stdout)
    assert listed["schedule"]["project"] == "web"
