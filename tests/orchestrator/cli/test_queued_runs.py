"""A run whose turn has not come, at the command line: every command says so, and it can be cancelled."""

import json
from pathlib import Path

import pytest

from orchestrator.engine.advance import Engine
from shared.instance import Endpoints
from shared.store.database import Database
from tests.fixtures.instance import CommandLine, make_command_line
from tests.support.driving import submit
from tests.support.review_panel import Submission, submission
from tests.support.runs import alive, run_row

pytestmark = pytest.mark.component

ENGLISH = "queued: it starts when its turn comes"
KOREAN = "대기열에 있음: 차례가 되면 시작됩니다"


@pytest.fixture
def queued(database: Database) -> list[str]:
    """Two runs under way, and three that are queued: two of a batch and one of none."""
    alive(database, "worker", slots=1)
    engine = Engine(database)
    wanted = submission()
    labelled = wanted.spec.model_copy(update={"labels": {"batch": "nightly"}})
    of_a_batch = Submission(labelled, wanted.documents)
    runs = [submit(engine, each) for each in (wanted, wanted, of_a_batch, of_a_batch, wanted)]
    return runs[2:]


@pytest.fixture
def run(tmp_path: Path, servers: Endpoints, database_url: str) -> CommandLine:
    return make_command_line(
        tmp_path, QUORATE_REDIS_URL=servers.redis_url, QUORATE_DATABASE_URL=database_url
    )


def test_status_and_list_count_what_is_queued(run: CommandLine, queued: list[str]) -> None:
    told, facts = run("status").stdout, json.loads(run("status", "--json").stdout)
    listed = json.loads(run("list", "--status", "queued", "--json").stdout)

    assert "runs: 3 queued, 2 running" in told
    assert "queued: 1 of no batch, 2 of nightly" in told
    assert (facts["runs"], facts["queued"]) == (
        {"queued": 3, "running": 2},
        {"": 1, "nightly": 2},
    )
    assert [process["slots"] for process in facts["processes"]] == [1]
    assert {row["id"] for row in listed["runs"]} == set(queued)
    assert {row["status"] for row in listed["runs"]} == {"queued"}


def test_show_and_watch_say_that_a_run_is_queued_in_both_languages(
    run: CommandLine, queued: list[str]
) -> None:
    shown = run("show", queued[0])
    watched = run("watch", queued[0], "--timeout", "0.3")

    assert watched.returncode == 8
    assert shown.stdout.splitlines()[1].startswith(ENGLISH)
    assert ENGLISH in watched.stderr
    assert run("show", queued[0], "--lang", "ko").stdout.splitlines()[1].startswith(KOREAN)
    assert json.loads(run("show", queued[0], "--json").stdout)["run"]["status"] == "queued"


def test_watching_changes_nothing_and_a_queued_run_can_be_forked_and_cancelled(
    run: CommandLine, queued: list[str], database: Database
) -> None:
    run("watch", queued[0], "--timeout", "0.3")
    assert run_row(database, queued[0]).status == "queued"

    assert run("fork", queued[0], "--from", "round:1", "--dry-run").returncode == 0
    assert "is queued, not blocked" in run("resume", queued[0]).stderr
    assert run("cancel", queued[0]).returncode == 0
    assert run_row(database, queued[0]).status == "cancelled"
