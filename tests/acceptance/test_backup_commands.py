"""A backup at the command line, put into another instance, where a waiting run is decided."""

import json
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine

pytestmark = pytest.mark.acceptance


def test_a_waiting_run_is_decided_after_its_instance_was_restored_elsewhere(
    live: CommandLine, quiet_home: CommandLine, changed_repository: Path, tmp_path: Path
) -> None:
    asked = live(
        *("review", "--participants", "ruff", "--decide", "later", "--json"), cwd=changed_repository
    )
    run = json.loads(asked.stdout)["run"]["id"]
    saved = tmp_path / "saved.backup"
    done = live("backup", str(saved))
    assert (done.returncode, "bytes" in done.stdout) == (0, True), done.stderr
    occupied = live("restore", str(saved))
    assert (occupied.returncode, "quorate down" in occupied.stderr) == (2, True)

    damaged = tmp_path / "damaged.backup"
    damaged.write_bytes(saved.read_bytes()[:-3_000])
    refused = quiet_home("restore", str(damaged))
    assert (refused.returncode, "nothing was" in refused.stderr) == (2, True), refused.stderr
    strange = quiet_home("restore", str(changed_repository / "app.py"))
    assert (strange.returncode, "is no backup" in strange.stderr) == (2, True)

    restored = quiet_home("restore", str(saved))
    assert restored.returncode == 0, restored.stderr
    twice = quiet_home("restore", str(saved))
    assert (twice.returncode, "has" in twice.stderr) == (2, True)
    [decision] = [
        row
        for row in json.loads(quiet_home("inbox", "--json").stdout)["decisions"]
        if row["run"] == run
    ]
    answered = quiet_home("decide", run, "skip")
    assert answered.returncode in (0, 1), answered.stderr
    assert decision["run"] == run
    here = json.loads(live("show", run, "--json").stdout)["run"]["status"]
    there = json.loads(quiet_home("show", run, "--json").stdout)["run"]["status"]
    assert (here, there) == ("waiting", "completed")
    live("decide", run, "skip")


def test_servers_of_ones_own_are_backed_up_with_postgres_own_programs(
    quiet_home: CommandLine, tmp_path: Path
) -> None:
    theirs = {
        "QUORATE_REDIS_URL": "redis://127.0.0.1:1/0",
        "QUORATE_DATABASE_URL": "postgresql://q@127.0.0.1:1/q",
    }

    for command, program in (("backup", "pg_dump"), ("restore", "pg_restore")):
        done = quiet_home(command, str(tmp_path / "f"), environ=theirs)
        assert (done.returncode, program in done.stderr) == (2, True)
