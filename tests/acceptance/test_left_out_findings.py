"""What is said of findings that are left out and of fixes that there are none of, by real commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, make_repository

pytestmark = pytest.mark.acceptance


def test_findings_that_a_baseline_or_the_rules_leave_out_are_counted_and_said(
    live: CommandLine, changed_repository: Path, tmp_path: Path
):
    found = live(
        "review", "--json", "-p", "ruff,bandit", "--decide", "skip", cwd=changed_repository
    )
    (tmp_path / "known.json").write_text(found.stdout)
    count = len(json.loads(found.stdout)["findings"])
    config = tmp_path / "q.yaml"
    again = ("-p", "ruff,bandit", "--config", str(config), "--decide", "skip")

    config.write_text("rules: {baseline: known.json}\n")
    known = live("review", *again, "--json", cwd=changed_repository)
    config.write_text("rules: {ignore: [B602]}\n")
    ignored = live("review", *again, cwd=changed_repository)

    content = json.loads(known.stdout)
    said = f"{count} findings of the baseline known.json left out"
    assert content["findings"] == []
    assert said in content["warnings"]
    for shape in ("text", "markdown"):
        assert said in live("show", content["run"]["id"], "--format", shape).stdout
    assert "1 finding left out: its rule is switched off by rules.ignore" in ignored.stdout


def test_a_fix_that_was_to_be_applied_and_does_not_exist_is_said(live: CommandLine, tmp_path: Path):
    repository = make_repository(tmp_path / "repository")
    (repository / "app.py").write_text(
        "import subprocess\n\nsubprocess.call(input(), shell=True)\n"
    )

    done = live("review", "-p", "bandit", "--decide", "apply_fix", "--json", cwd=repository)

    content = json.loads(done.stdout)
    assert content["findings"]
    assert "no patch came of it: there was nothing to apply" in content["warnings"]
