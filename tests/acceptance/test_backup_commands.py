"""A backup at the command line, put into another instance, where a waiting run is decided."""

import fcntl
import json
import signal
from pathlib import Path

import pytest

from orchestrator.embedded.processes import wait_until
from orchestrator.embedded.servers import ensure
from orchestrator.embedded.wire import PostgresWire
from shared.instance import DATABASE
from shared.settings import ServiceSettings
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


KILLED = (-signal.SIGKILL, 128 + signal.SIGKILL)


def databases(home: CommandLine) -> set[str]:
    """The instance's databases, Postgres's own left out."""
    instance = ServiceSettings.from_environment(home.environ).instance
    ensure(instance, environ=home.environ)
    with PostgresWire.to(instance, "postgres", 10) as postgres:
        rows = postgres.query("SELECT datname FROM pg_database WHERE NOT datistemplate")
    return {name for (name,) in rows} - {"postgres"}


def killed_at(home: CommandLine, point: str, *words: str) -> None:
    done = home(*words, environ={"QUORATE_KILL_AT": point})
    assert done.returncode in KILLED, (point, done.stderr)


def unfinished(folder: Path) -> list[Path]:
    return list(folder.glob(".*.unfinished-backup"))


def test_a_backup_and_a_restore_that_are_killed_at_any_point_are_whole_or_nothing(
    live: CommandLine, quiet_home: CommandLine, changed_repository: Path, tmp_path: Path
) -> None:
    reviewed = live(
        "review", "--participants", "ruff", "--decide", "skip", "--json", cwd=changed_repository
    )
    run = json.loads(reviewed.stdout)["run"]["id"]
    saved = tmp_path / "saved.backup"
    folder = saved.parent
    killed_at(live, "backup-dumped", "backup", str(saved))
    assert not saved.exists()
    assert len(unfinished(folder)) == 1
    with (folder / ".another.unfinished-backup").open("wb") as another:
        another.write(b"PGDMP")
        another.flush()
        fcntl.flock(another, fcntl.LOCK_EX)  # as a backup that is being written
        assert live("backup", str(saved)).returncode == 0
        assert unfinished(folder) == [Path(another.name)]
    whole = saved.read_bytes()
    killed_at(live, "backup-dumped", "backup", str(saved))
    assert saved.read_bytes() == whole
    mine = folder / ".notes.txt"
    mine.write_text("no backup's")
    assert live("backup", str(folder / "next.backup")).returncode == 0
    assert unfinished(folder) == []
    assert mine.exists()

    restoring = quiet_home.start("restore", str(saved))
    assert wait_until(lambda: len(databases(quiet_home)) > 1 or restoring.poll() is not None, 60)
    if restoring.poll() is None:  # Postgres's own program goes on without its caller
        restoring.kill()
        restoring.communicate()
        for point in ("restore-loaded", "restore-half-renamed"):
            killed_at(quiet_home, point, "restore", str(saved))
            assert DATABASE in databases(quiet_home)
        restored = quiet_home("restore", str(saved), environ={"QUORATE_KILL_AT": "restore-renamed"})
        assert restored.returncode in KILLED
    again = quiet_home("restore", str(saved))
    assert (again.returncode, "has" in again.stderr) == (2, True), again.stderr
    assert quiet_home("replay", run).returncode == 0


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
