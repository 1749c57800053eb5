"""Presets, perspectives, languages and prompts of one's own, through the real command line and workers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixtures.instance import CommandLine

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

SCRIPT: list[dict[str, Any]] = [
    {
        "when": {"role": "judgement"},
        "reply": {"verdict": "Yes", "confidence": 0.8, "reasoning": "r"},
    },
    {"when": {"role": "moderation"}, "reply": {"consensus_score": 0.9, "should_continue": False}},
    {"when": {"role": "ballot", "round": 0}, "reply": {"position": "Yes", "confidence": 0.9}},
    {"when": {"role": "ballot"}, "reply": {"choice": "P1", "confidence": 0.9, "reason": "r"}},
    {"reply": {"position": "Yes", "argument": "a", "confidence": 0.8}},
]


def place(tmp_path: Path, **more: Any) -> Path:
    """A directory with one scripted model, and a configuration that names it."""
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(SCRIPT), encoding="utf-8")
    demo = {"type": "scripted", "script": str(tmp_path / "s.yaml"), "family": "demo"}
    file = tmp_path / "quorate.yaml"
    file.write_text(yaml.safe_dump({"providers": {"demo": demo}, **more}), encoding="utf-8")
    return file


def ask_panel(live: CommandLine, config: Path, *words: str) -> tuple[dict[str, Any], str]:
    done = live(
        "panel", *words, "-p", "demo", "--config", str(config), "--json",
        cwd=config.parent, timeout_s=180,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_one_model_holds_a_presets_debate_in_the_language_of_the_question(
    live: CommandLine, tmp_path: Path
) -> None:
    found, told = ask_panel(
        live, place(tmp_path), "작업 큐로 Postgres를 쓸까?", "--preset", "decision"
    )
    parts = {one["name"]: one["part"] for one in found["participants"]}
    debaters = {"demo-pragmatist", "demo-strategist", "demo-risk_analyst"}
    assert {name for name, part in parts.items() if part == "critic"} == debaters
    assert {"demo-judge", "demo-moderator"} <= parts.keys()
    assert found["run"]["language"] == "ko"
    assert "경고: 모든 모델이 한 계열(demo)" in told
    assert found["detail"]["decided_by"] == "demo-judge"


def test_a_run_keeps_the_prompt_of_ones_own_that_it_was_submitted_with(
    live: CommandLine, tmp_path: Path
) -> None:
    own = tmp_path / "words/panel/en/judgement.md"
    own.parent.mkdir(parents=True)
    own.write_text("Judge in one word: $ids\n", encoding="utf-8")
    config = place(tmp_path, prompts="words")
    found, _ = ask_panel(live, config, "Postgres as a queue?", "--preset", "qa_accuracy")
    own.write_text("Another wording: $ids\n", encoding="utf-8")
    run = found["run"]["id"]
    shown = live("show", run, "--prompt", "judgement/demo-judge", cwd=tmp_path).stdout
    assert "Judge in one word: P1" in shown
    assert "Another wording" not in shown


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (("panel", "x", "--preset", "security", "-p", "demo"), 2, "is for the workflow review"),
        (
            ("panel", "x", "--preset", "broken.yaml", "-p", "demo"),
            2,
            "broken.yaml:2: debate.max_rounds",
        ),
        (("panel", "x", "-p", "ruff,demo"), 2, "ruff is rule-based and answers no questions"),
        (("forum", "x", "-p", "demo"), 2, "takes at least two participants"),
        (("ask", "x"), 4, "set ANTHROPIC_API_KEY"),
        (("ask", "x", "-p", "demo", "--config", "words.yaml"), 2, "$persona is missing"),
    ],
)
def test_a_cast_that_cannot_work_ends_at_once_and_starts_nothing(
    quiet_home: CommandLine, tmp_path: Path, words: tuple[str, ...], code: int, problem: str
) -> None:
    config = place(tmp_path)
    (tmp_path / "broken.yaml").write_text("workflow: panel\noptions: {max_rounds: 0}\n")
    own = tmp_path / "words/ask/en/persona.md"
    own.parent.mkdir(parents=True)
    own.write_text("Be somebody.\n")
    with_words = yaml.safe_load(config.read_text()) | {"prompts": "words"}
    (tmp_path / "words.yaml").write_text(yaml.safe_dump(with_words))
    named = () if "--config" in words else ("--config", str(config))
    environ = {"QUORATE_DISCOVER": "off"}
    done = quiet_home(*words, *named, cwd=tmp_path, environ=environ, timeout_s=60)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert problem in done.stderr
    assert not (quiet_home.home / ".local/share").exists()


def test_a_file_that_the_configuration_wants_and_nobody_can_write_is_refused_before_the_run(
    live: CommandLine, tmp_path: Path
) -> None:
    output = [{"format": "json", "path": "nowhere/result.json"}]
    config = place(tmp_path, output=output)
    refused = live("ask", "Is it so?", "-p", "demo", "--config", str(config), cwd=tmp_path)
    assert refused.returncode == 2
    assert f"there is no folder {tmp_path / 'nowhere'}" in refused.stderr
    assert "run r" not in refused.stderr
