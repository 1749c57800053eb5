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
