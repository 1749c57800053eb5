"""A run taken to another instance at the command line: shown, replayed, compared and forked there."""

import json
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
    there = quiet_home("show", run).stdout
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
