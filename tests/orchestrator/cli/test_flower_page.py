"""Flower's page as a browser shows it: who failed, who spoke, and not a word of what was said."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine

pytestmark = [pytest.mark.acceptance, pytest.mark.needs_chromium]

SECRET = "MARKED-WORD"
SCRIPT = f"""
- when: {{participant: dora}}
  fault: bad_request
- reply: {{answer: "Four weeks, {SECRET}.", confidence: 0.7}}
"""
CAST = "participants: [ann, dora]\nask: {quorum: 1}\nproviders:\n" + "".join(
    f"  {name}: {{type: scripted, script: script.yaml}}\n" for name in ("ann", "dora")
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture
def flower(live: CommandLine) -> Iterator[str]:
    """The address of the session's Flower."""
    process = live.start("flower", "--port", "0")
    assert process.stderr is not None
    try:
        yield process.stderr.readline().partition("Flower: ")[2].strip()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def rendered(address: str, profile: Path) -> str:
    """The text of a page's table rows after its scripts have run."""
    browser = next(found for name in BROWSERS if (found := shutil.which(name)))
    options = ("--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}")
    command = [browser, *options, "--virtual-time-budget=5000", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout


def cells(page: str) -> list[list[str]]:
    """The table, row by row."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", page, re.DOTALL)
    return [
        [
            re.sub(r"<[^>]+>", "", cell).strip()
            for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def test_a_failed_turn_looks_failed_and_the_row_begins_with_role_and_participant(
    live: CommandLine, flower: str, tmp_path: Path
):
    (tmp_path / "script.yaml").write_text(SCRIPT)
    (tmp_path / "cast.yaml").write_text(CAST)
    page = ""
    deadline = time.monotonic() + 60
    while "dora" not in page and time.monotonic() < deadline:  # Flower looks after some seconds
        asked = live(
            "ask", f"How long, {SECRET}?", "--config", str(tmp_path / "cast.yaml"), "--no-stdin"
        )
        assert SECRET in asked.stdout
        page = rendered(f"{flower}/tasks", tmp_path / "profile")

    head, *rows = cells(page)
    assert head[:4] == ["Name", "kwargs", "State", "Exception"]
    turns = {row[1].partition(", 'round'")[0]: row[2:4] for row in rows if "turn" in row[0]}
    assert turns == {
        "{'participant': 'ann', 'role': 'answer'": ["SUCCESS", ""],
        "{'participant': 'dora', 'role': 'answer'": ["FAILURE", "bad_request"],
    }
    assert "quorate.run.advance" in {row[0] for row in rows}
    assert SECRET not in page
