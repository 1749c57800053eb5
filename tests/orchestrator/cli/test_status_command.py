"""`quorate status` where nothing runs: what is told, and what it costs."""

from __future__ import annotations

import json

from shared.build import this_build
from tests.fixtures.instance import CommandLine


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
