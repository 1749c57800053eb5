"""A run taken to another instance at the command line: shown, replayed, compared and forked there."""

import json
import os
import signal
from base64 import b64encode
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine

pytestmark = pytest.mark.acceptance


def test_an_exported_review_is_history_on_another_instance(
    live: CommandLine, quiet_home: CommandLine, changed_repository: Path, tmp_path: Path
) -> None:
    reviewed = live(
        "review", "--participants", "ruff", "--decide", "skip", "--json", cwd=changed_repository
    )
    run = json.loads(reviewed.stdout)["run"]["id"]
    whole, masked = tmp_path / "whole.qrun", tmp_path / "masked.qrun"

    exported = live("export", run, "-o", str(whole))
    assert (exported.returncode, exported.stdout.strip()) == (0, str(whole))
    redacted = json.loads(live("export", run, "-o", str(masked), "--redacted", "--json").stdout)
    assert redacted["export"]["replays"] is True
    assert live("import", str(whole)).returncode == 2  # it is at home here

    imported = quiet_home("import", str(whole))
    assert (imported.returncode, imported.stdout.strip()) == (0, run), imported.stderr
    again = json.loads(quiet_home("import", str(whole), "--json").stdout)
    assert again["import"] == {"runs": [run], "known": True}
    heading, there = quiet_home("show", run).stdout.split("\n", 1)
    assert heading.startswith(f"{run} · review · ")
    assert there.startswith("Imported: ")
    here = live("show", run, "--json").stdout
    assert (
        json.loads(quiet_home("show", run, "--json").stdout)["findings"]
        == (json.loads(here)["findings"])
    )
    assert quiet_home("replay", run).returncode == 0
    assert quiet_home("diff", run, run).returncode == 0
    planned = quiet_home("fork", run, "--from", "decision", "--dry-run", "--json")
    assert planned.returncode == 0, planned.stderr
    undone = quiet_home("undo", run)
    assert (undone.returncode, "was imported" in undone.stderr) == (2, True)
    assert quiet_home("show", "last").returncode == 2

    damaged = tmp_path / "damaged.qrun"
    damaged.write_bytes(whole.read_bytes()[:-200])
    refused = quiet_home("import", str(damaged))
    assert (refused.returncode, "nothing was imported" in refused.stderr) == (2, True)


def test_an_export_and_an_import_that_are_killed_are_whole_or_nothing(
    live: CommandLine, quiet_home: CommandLine, changed_repository: Path, tmp_path: Path
) -> None:
    reviewed = live(
        "review", "--participants", "ruff", "--decide", "skip", "--json", cwd=changed_repository
    )
    run = json.loads(reviewed.stdout)["run"]["id"]
    file = tmp_path / "run.qrun"

    def killed_at(home: CommandLine, point: str, *words: str, **environ: str) -> bool:
        done = home(*words, environ={**environ, "QUORATE_KILL_AT": point})
        return done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)

    assert killed_at(live, "export-written", "export", run, "-o", str(file))
    assert not file.exists()
    assert live("export", run, "-o", str(file)).returncode == 0

    keys = tmp_path / "keys"
    keys.touch(mode=0o600)
    keys.write_text(b64encode(os.urandom(32)).decode())
    sealed = {"QUORATE_ENCRYPTION_KEY_FILE": str(keys)}
    assert killed_at(quiet_home, "import-stored", "import", str(file), **sealed)
    assert quiet_home("show", run, environ=sealed).returncode == 2
    imported = json.loads(quiet_home("import", str(file), "--json", environ=sealed).stdout)
    assert imported["import"] == {"runs": [run], "known": False}
    assert quiet_home("replay", run, environ=sealed).returncode == 0

    back = tmp_path / "back.qrun"
    assert killed_at(quiet_home, "export-written", "export", run, "-o", str(back), **sealed)
    assert not back.exists()
    assert quiet_home("export", run, "-o", str(back), environ=sealed).returncode == 0
