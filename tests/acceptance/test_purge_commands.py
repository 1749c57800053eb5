"""Purges and holds typed at the command line, one of them killed in the middle."""

import json
import signal
from pathlib import Path

import pytest

from orchestrator.embedded.servers import ensure
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.documents import address, put_documents
from tests.fixtures.instance import CommandLine
from tests.support.ended_runs import end
from tests.support.runs import execute

pytestmark = pytest.mark.acceptance


@pytest.fixture
def store(live: CommandLine) -> Database:
    endpoints = ensure(ServiceSettings.from_environment(live.environ).instance)
    return Database(endpoints.database_url, pool_size=1, patience_s=30)


def review(live: CommandLine, repository: Path) -> str:
    done = live("review", "--participants", "ruff", "--decide", "skip", "--json", cwd=repository)
    assert done.returncode in (0, 1), done.stderr
    name: str = json.loads(done.stdout)["run"]["id"]
    return name


def listed(live: CommandLine) -> set[str]:
    return {row["id"] for row in json.loads(live("list", "-n", "1000", "--json").stdout)["runs"]}


def test_a_killed_purge_leaves_whole_runs_and_the_next_one_does_the_rest(
    live: CommandLine, store: Database, changed_repository: Path
) -> None:
    held, old, young = (review(live, changed_repository) for _ in range(3))
    for run in (held, old):
        end(store, run, days=400)
    assert live("hold", "add", held, "--reason", "audit").returncode == 0
    nothing_said = live("purge")
    assert (nothing_said.returncode, "--older-than" in nothing_said.stderr) == (2, True)

    shown = json.loads(live("purge", "--older-than", "365d", "--dry-run", "--json").stdout)
    assert [(row["runs"], row["held"]) for row in shown["would_purge"]] == [(1, False), (1, True)]

    alone = b"what only the purged run referred to"
    store.run(lambda c: put_documents(c, {address(alone): alone}))
    killed = live("purge", "--older-than", "365d", environ={"QUORATE_KILL_AT": "portion-purged"})
    assert killed.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
    assert {held, young} <= listed(live)
    assert old not in listed(live)

    meanwhile = live("purge", "--older-than", "365d")
    assert (meanwhile.returncode, "another purge" in meanwhile.stderr) == (5, True)
    execute(store, "UPDATE purges SET seen_at = now() - interval '1 hour'")
    execute(store, "UPDATE documents SET created_at = now() - interval '40 days'")
    rest = json.loads(live("purge", "--older-than", "365d", "--json").stdout)["purged"]
    assert (rest["runs"], rest["held"]) == (0, 1)
    assert rest["documents"] > 0

    last, first = json.loads(live("purge", "--log", "--json").stdout)["purges"][:2]
    assert (first["runs"], last["documents"]) == (1, rest["documents"])
    for run in (held, young):
        assert live("replay", run).returncode == 0
    assert live("hold", "rm", held).returncode == 0
    assert "removed: runs 1" in live("purge", "--older-than", "365d").stdout
    store.close()
