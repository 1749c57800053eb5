"""The examples of the documentation, as a reader would type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine

pytestmark = pytest.mark.acceptance

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.parametrize(
    ("config", "question", "language", "conclusion"),
    [
        ("config.yaml", "How should we structure this service?", "en", "A modular monolith"),
        ("config.ko.yaml", "이 서비스 아키텍처 어떻게 구성할까?", "ko", "모듈러 모놀리스 채택"),
    ],
)
def test_the_discussion_without_a_key_ends_in_agreement(
    live: CommandLine, config: str, question: str, language: str, conclusion: str
) -> None:
    done = live("-d", "--config", str(EXAMPLES / config), question, "--json")

    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert (content["run"]["ending"], content["run"]["language"]) == ("converged", language)
    assert content["detail"]["conclusion"].startswith(conclusion)
    speakers = [one["selected"] for one in content["detail"]["rounds"] if one["selected"]]
    assert [name.lower() for name in speakers] == ["gemini", "claude", "codex"]


def test_the_same_panel_answers_one_by_one_and_is_labelled_as_scripted(live: CommandLine) -> None:
    question = "How should we structure this service?"
    done = live("--config", str(EXAMPLES / "config.yaml"), question, "--ranking", "--synthesis")

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("monolith") >= 3
    assert "claude (scripted" in done.stderr


def test_the_review_without_a_key_shows_a_dissent_and_says_that_it_is_scripted(
    live: CommandLine,
) -> None:
    change = str(EXAMPLES / "prices.diff")
    done = live("review", "--config", str(EXAMPLES / "review.yaml"), "--diff", change, "--json")

    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert content["verdict"] == "NEEDS_FIX"
    by_status = {finding["status"]: finding for finding in content["findings"]}
    assert by_status["accepted"]["raised_by"] == ["claude", "gemini"]
    assert by_status["contested"]["stances"] == {
        "claude": "disagree",
        "codex": "disagree",
        "gemini": "agree",
    }
    assert {row["kind"] for row in content["coverage"]["readers"]} == {"scripted"}


def test_the_script_of_the_review_has_nothing_to_say_of_another_change(
    live: CommandLine, tmp_path: Path
) -> None:
    change = tmp_path / "other.diff"
    change.write_text("--- a/calc.py\n+++ b/calc.py\n@@ -1 +1 @@\n-SUM = 1\n+SUM = 2\n")
    config = str(EXAMPLES / "review.yaml")
    done = live("review", "--config", config, "--diff", str(change), "--json")

    assert done.returncode == 3, done.stderr
    content = json.loads(done.stdout)
    assert (content["verdict"], content["findings"]) == ("INCONCLUSIVE", [])
