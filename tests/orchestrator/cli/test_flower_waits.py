"""A Flower that is started after a run began to wait, as people see it: the wait, its end, and no made-up worker."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from tests.fixtures.instance import CommandLine

pytestmark = pytest.mark.acceptance

LISTED = "draw=1&start=0&length=100&order[0][column]=0&columns[0][data]=name&search[value]="


def tasks(address: str, search: str) -> dict[str, dict[str, Any]]:
    """The rows that Flower's own page asks for, by id."""
    query = quote(LISTED + search, safe="=&")
    with urlopen(f"{address}/tasks/datatable?{query}", timeout=60) as answer:
        return {task["uuid"]: task for task in json.load(answer)["data"]}


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_decision_has_a_row_in_a_flower_that_is_started_later_until_it_is_answered(
    live: CommandLine, changed_repository: Path
):
    asked = live("review", "--decide", "ask", "--json", cwd=changed_repository)
    assert asked.returncode == 8, asked.stderr
    run = json.loads(live("list", "-n", "1", "--json").stdout)["runs"][0]["id"]
    row = f"decision:0:{run}:decision"

    process = live.start("flower", "--port", "0")
    assert process.stderr is not None
    try:
        address = process.stderr.readline().partition("Flower: ")[2].strip()
        wait_until(lambda: row in tasks(address, run))
        waiting = tasks(address, run)[row]
        assert (waiting["name"], waiting["state"]) == ("quorate.waits.decision", "PENDING")
        assert waiting["kwargs"].startswith("{'asked': 'anyone who may decide', 'for': 'review (")

        assert live("decide", run, "skip", cwd=changed_repository).returncode == 0
        wait_until(lambda: tasks(address, run)[row]["state"] == "SUCCESS")
        ended = tasks(address, run)[row]
        assert (ended["result"], ended["worker"]) == ("skip", None)
        assert ended["runtime"] == pytest.approx(ended["succeeded"] - waiting["received"])

        with urlopen(f"{address}/workers?json=1", timeout=60) as answer:
            workers = {worker["hostname"] for worker in json.load(answer)["data"]}
        assert not [name for name in workers if "waiting" in name]
        assert "waiting@" not in live("status").stdout
    finally:
        process.terminate()
        process.communicate(timeout=60)
