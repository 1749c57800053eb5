"""`quorate batch` at the command line, without a worker: what is stored, what is told, and each exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.batch_submit import PORTION
from shared.instance import Endpoints
from shared.store.database import Database
from tests.fixtures.instance import CommandLine, make_command_line
from tests.support.runs import execute, fetch

pytestmark = pytest.mark.component


@pytest.fixture
def run(tmp_path: Path, servers: Endpoints, database_url: str) -> CommandLine:
    return make_command_line(
        tmp_path, QUORATE_REDIS_URL=servers.redis_url, QUORATE_DATABASE_URL=database_url
    )


def item(custom_id: str, after: str = "x = 2\n", **more: Any) -> dict[str, Any]:
    change = {"files": {"a.py": "x = 1\n"}, "after": {"a.py": after}}
    return {"custom_id": custom_id, "workflow": "review", "input": change, **more}


def lines(*items: dict[str, Any]) -> str:
    return "\n".join(map(json.dumps, items))


def counts(run: CommandLine) -> dict[str, int]:
    status = json.loads(run("batch", "status", "--json").stdout)["batch"]
    assert sum(status["counts"].values()) == status["total"]
    return {state: number for state, number in status["counts"].items() if number}


def test_a_file_is_submitted_once_followed_and_handed_over(
    run: CommandLine, database: Database
) -> None:
    content = lines(item("a", metadata={"team": "x"}), item("b"), item("c", after="x = 3\n"))
    first = run("batch", "submit", "-", "--name", "nightly", stdin=content)
    assert (first.returncode, first.stdout) == (0, "nightly\n"), first.stderr
    again = run("batch", "submit", "-", "--name", "nightly", stdin=content)
    assert (again.returncode, again.stdout) == (0, "nightly\n")
    assert fetch(database, "SELECT count(*) AS n FROM runs").n == 2  # a and b ask the same
    assert counts(run) == {"waiting": 3}
    assert "nightly" in run("batch", "list").stdout
    korean = CommandLine(run.home, {**run.environ, "LANG": "ko_KR.UTF-8", "LC_ALL": ""})
    assert "배치" in korean("batch", "list").stdout
    assert "항목 3개" in korean("batch", "status").stdout
    assert json.loads(run("batch", "list", "--json").stdout)["batches"][0]["total"] == 3

    assert run("batch", "watch", "--timeout", "0.5").returncode == 8
    assert run("batch", "results").returncode == 8
    assert run("batch", "report").returncode == 8

    assert run("batch", "pause").returncode == 0
    assert run("batch", "pause", "nightly").returncode == 2
    assert run("batch", "watch").returncode == 8  # nothing of it moves before somebody resumes it
    assert run("batch", "resume").returncode == 0

    execute(database, "UPDATE runs SET status = 'completed', finished_at = now()")
    execute(
        database,
        "UPDATE runs SET ending = 'degraded' WHERE id IN (SELECT run_id FROM batch_items WHERE custom_id = 'c')",
    )
    assert counts(run) == {"succeeded": 2, "failed": 1}
    assert run("batch", "watch").returncode == 3
    results = [json.loads(row) for row in run("batch", "results").stdout.splitlines()]
    assert {row["custom_id"]: row["result"]["type"] for row in results} == {
        "a": "succeeded",
        "b": "succeeded",
        "c": "failed",
    }
    assert results[0]["metadata"] == {"team": "x"}
    errors = run("batch", "results", "--errors").stdout.splitlines()
    assert [json.loads(row)["custom_id"] for row in errors] == ["c"]

    assert run("batch", "retry", "--failed").returncode == 0
    assert counts(run) == {"succeeded": 2, "waiting": 1}
    assert run("batch", "cancel").returncode == 0
    assert counts(run) == {"succeeded": 2, "cancelled": 1}
    assert run("batch", "retry", "--failed").returncode == 2


def test_a_name_that_stands_for_other_items_is_a_conflict(run: CommandLine) -> None:
    assert run("batch", "submit", "-", "--name", "n", stdin=lines(item("a"))).returncode == 0
    other = run("batch", "submit", "-", "--name", "n", stdin=lines(item("z")))
    assert other.returncode == 6
    assert "other items" in other.stderr


def test_every_line_that_cannot_be_captured_is_told_and_nothing_stays(
    run: CommandLine, database: Database
) -> None:
    missing = {**item("m"), "input": {"diff_file": "nowhere.diff"}}
    unknown = {**item("u"), "input": {"revision": "nope"}}
    done = run("batch", "submit", "-", stdin=lines(item("a"), missing, item("b"), unknown))
    assert done.returncode == 2
    assert "line 2: diff_file nowhere.diff" in done.stderr
    assert "line 4: " in done.stderr
    assert fetch(database, "SELECT count(*) AS n FROM runs").n == 0
    assert fetch(database, "SELECT count(*) AS n FROM batches").n == 0


def test_a_submission_that_nobody_can_answer_leaves_no_batch(
    run: CommandLine, database: Database
) -> None:
    question = {"custom_id": "q", "workflow": "ask", "input": {"text": "What is a quorum?"}}
    done = run("batch", "submit", "-", stdin=lines(question))
    assert done.returncode != 0
    assert "No model can answer" in done.stderr
    assert fetch(database, "SELECT count(*) AS n FROM batches").n == 0


def test_wrong_usage_is_told_before_anything_is_read(run: CommandLine) -> None:
    assert run("batch", "validate", "nowhere.jsonl").returncode == 2
    assert run("batch", "status", "nothing").returncode == 2
    assert run("batch", "report", "-o", "x.docx").returncode == 2
    assert run("batch", "retry").returncode == 2
    assert run("decide", "last", "skip", "--batch", "x").returncode == 2


def test_a_submission_that_is_killed_goes_on_with_the_same_file(
    run: CommandLine, database: Database
) -> None:
    content = lines(*(item(f"i{n}", after=f"x = {n + 5}\n") for n in range(PORTION + 6)))
    run = replace(run, cold=True)  # the variable is read by a process that starts
    killed = run(
        "batch", "submit", "-", stdin=content, environ={"QUORATE_KILL_AT": "batch-portion-stored"}
    )
    assert killed.returncode == -9
    assert counts(run) == {"missing": 6, "waiting": PORTION}
    assert json.loads(run("batch", "status", "--json").stdout)["batch"]["state"] == "filling"
    assert run("batch", "retry", "--failed").returncode == 2  # it is not open yet
    again = run("batch", "submit", "-", stdin=content)
    assert again.returncode == 0
    assert counts(run) == {"waiting": PORTION + 6}
    assert fetch(database, "SELECT count(*) AS n FROM runs").n == PORTION + 6


def test_an_interrupted_submission_that_is_cancelled_is_forgotten(
    run: CommandLine, database: Database
) -> None:
    content = lines(*(item(f"i{n}", after=f"x = {n + 5}\n") for n in range(PORTION + 1)))
    cold = replace(run, cold=True)
    cold("batch", "submit", "-", stdin=content, environ={"QUORATE_KILL_AT": "batch-portion-stored"})
    cancelled = run("batch", "cancel", "--json")
    assert (cancelled.returncode, json.loads(cancelled.stdout)["batch"]["state"]) == (
        0,
        "cancelled",
    )
    assert fetch(database, "SELECT count(*) AS n FROM runs").n == 0
    assert run("batch", "submit", "-", stdin=content).returncode == 0
    assert counts(run) == {"waiting": PORTION + 1}
