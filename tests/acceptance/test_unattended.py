"""Where nobody can be asked: a pipeline, cron, a script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine

pytestmark = pytest.mark.acceptance


def test_without_a_terminal_the_decision_is_skipped_and_the_code_is_the_gates(
    live: CommandLine, changed_repository: Path
) -> None:
    gated = live("review", "--fail-on", "major", "--json", cwd=changed_repository)
    content = json.loads(gated.stdout)
    assert (gated.returncode, content["gate"]["outcome"]) == (1, "tripped")
    answer = content["detail"]["decision"]
    assert (answer["choice"], answer["actor"]) == ("skip", "policy")
    assert "Nobody could be asked" not in gated.stderr

    free = live("review", cwd=changed_repository)
    assert free.returncode == 0, free.stderr
    assert "Nobody could be asked here, so the answer was `skip`" in free.stderr
    assert live("review", "--decide", "ask", "-q", cwd=changed_repository).returncode == 8
    config = changed_repository / "asks.yaml"
    config.write_text("decision: {mode: ask}\n")
    asked = live("review", "--config", str(config), "-q", cwd=changed_repository)
    assert asked.returncode == 8, asked.stderr

    runs = json.loads(live("list", "-n", "2", "--json").stdout)["runs"]
    own = {run["id"] for run in runs}
    assert own <= waiting_for(live)
    assert live("decide", "--all", "apply_fix").returncode == 2
    told = live("decide", "--all", "skip")
    assert told.returncode == 0, told.stderr
    assert own <= {line.partition(":")[0] for line in told.stdout.splitlines()}
    assert own.isdisjoint(waiting_for(live))


def waiting_for(live: CommandLine) -> set[str]:
    """The runs of which a decision is open; other tests leave some that offer no `skip`."""
    return {row["run"] for row in json.loads(live("inbox", "--json").stdout)["decisions"]}
