"""The worked examples of docs/design/README.md: each is installed, and what follows from it is looked at."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from tests.extension.installation import HERE, ROOT, rows
from tests.fixtures.instance import CommandLine

PAGE = ROOT / "docs" / "design" / "README.md"
MODELS = """
participants: [ann, bob]
providers:
  ann: {type: scripted, script: replies.yaml}
  bob: {type: scripted, script: replies.yaml}
"""


@pytest.mark.parametrize("name", sorted(rows()))
def test_the_page_shows_the_row_that_is_added(name: str) -> None:
    row = rows()[name]
    example = textwrap.dedent(row.text).strip()
    assert f"in `{row.file}`:\n\n```\n{example}\n```\n" in PAGE.read_text(encoding="utf-8")


def test_the_page_names_the_files_that_are_added() -> None:
    linked = re.findall(r"\]\(\.\./\.\./(tests/extension/added/[^)]+)\)", PAGE.read_text())
    assert {name for name in linked if not (ROOT / name).exists()} == set()
    folders = {ROOT / name for name in linked}
    added = [
        path for path in (HERE / "added").rglob("*") if path.is_file() and path.suffix != ".pyc"
    ]
    forgotten = [
        path for path in added if not any(path == top or top in path.parents for top in folders)
    ]
    assert [path.relative_to(HERE).as_posix() for path in forgotten] == []


@pytest.fixture
def scripted(tmp_path: Path) -> Path:
    """A configuration of two who answer from a file."""
    (tmp_path / "replies.yaml").write_text(
        "- reply: {verdict: APPROVED}\n  when: {role: critique}\n"
    )
    config = tmp_path / "config.yaml"
    config.write_text(MODELS)
    return config


@pytest.mark.acceptance
def test_a_strategy_of_a_review_is_chosen_and_told(
    extended: CommandLine, change: Path, scripted: Path
) -> None:
    assert "One of review, mentor, red-team." in extended("review", "--help").stdout
    words = ("review", "--staged", "--strategy", "mentor", "--decide", "skip", "--json")
    answer = extended(*words, "--config", str(scripted), cwd=change)
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout)
    assert report["run"]["strategy"] == "mentor"
    steps = [step for stage in report["rounds"] for step in stage["steps"]]
    critique = next(step["key"] for step in steps if step["role"] == "critique")
    prompt = extended("show", "last", "--prompt", critique, cwd=change).stdout
    assert "You review a newcomer's change." in prompt


@pytest.mark.acceptance
def test_a_tool_of_the_clinical_critic_is_picked_by_its_card_and_told_in_both_languages(
    extended: CommandLine, tmp_path: Path
) -> None:
    chart = tmp_path / "chart.txt"
    chart.write_text(
        "History\nShe fell in the kitchen two days ago. Her mother had falls.\n\n"
        "Medications\nShe takes warfarin 5 mg daily for atrial fibrillation.\n"
    )
    answer = extended("case", str(chart), "--max-tools", "5", "--decide", "accept", "--json")
    report = json.loads(answer.stdout)
    (choice,) = (
        tool for tool in report["detail"]["router"][0]["tools"] if tool["tool"] == "lens_falls"
    )
    assert choice["run"], answer.stderr
    points = report["detail"]["lens_results"]["lens_falls"]["points"]
    assert [point["spans"][0]["line"] for point in points] == [2]
    assert "the patient fell and takes warfarin" in extended("show", "last").stdout
    assert "환자가 넘어졌고" in extended("show", "last", "--lang", "ko").stdout


@pytest.mark.acceptance
def test_a_command_is_in_help_and_runs(extended: CommandLine) -> None:
    assert "tally" in extended("--help").stdout
    answer = extended("tally")
    assert answer.returncode == 0, answer.stderr
    assert re.search(r"^(completed|waiting) \d+$", answer.stdout, re.MULTILINE) or not answer.stdout


@pytest.mark.acceptance
def test_a_preset_is_listed_and_sets_what_it_says(extended: CommandLine) -> None:
    assert "duel" in extended("config", "presets").stdout
    assert "max_rounds: 2" in extended("config", "show", "--preset", "duel").stdout


@pytest.mark.acceptance
def test_a_migration_is_what_the_database_needs(extended: CommandLine) -> None:
    assert extended("db", "upgrade").returncode == 0
    assert extended("db", "current").stdout == "database: 9999, this version: 9999\n"


@pytest.mark.acceptance
def test_a_notice_is_told_in_both_languages(extended: CommandLine, scripted: Path) -> None:
    scripted.with_name("replies.yaml").write_text("- fault: refusal\n")
    words = ("poll", "How long?", "--config", str(scripted), "--json")
    answer = extended(*words)
    told = json.loads(answer.stdout)["notices"]
    assert "poll_too_few" in [row["code"] for row in told], answer.stderr
    assert "0 answered, 1 are needed" in extended("show", "last").stdout
    assert "0명이 답했고 1명이 필요합니다" in extended("show", "last", "--lang", "ko").stdout
