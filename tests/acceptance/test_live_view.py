"""What somebody sees at a terminal while a run goes on: words as they come, the floor going round, a decision."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml

from shared.delivery.live import WATCHED_RUNS, WATCHED_S
from shared.settings import ServiceSettings
from tests.fixtures.instance import SCRIPTS, CommandLine
from tests.support.terminals import terminal
from tests.workers.providers.test_command import program

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

WORDS = " ".join(f"word{number:02}" for number in range(40))
HIDE_CURSOR, SHOW_CURSOR = "\x1b[?25l", "\x1b[?25h"


def scripted(folder: Path, members: Mapping[str, list[dict[str, Any]]], **whole: Any) -> str:
    """A configuration in which these participants answer from scripts; the last one leads."""
    for name, replies in members.items():
        text = yaml.safe_dump(replies, allow_unicode=True)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    *names, leader = members
    file = folder / "quorate.yaml"
    content = {
        "providers": {
            name: {"type": "scripted", "script": f"{name}.yaml", "family": name} for name in members
        },
        "participants": names,
        "orchestrator": {"ai": leader},
        **whole,
    }
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    return str(file)


def add_command(config: str, name: str, path: str) -> None:
    """One more participant: a program."""
    file = Path(config)
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    content["providers"][name] = {"type": "command", "command": [path], "family": name}
    content["participants"].append(name)
    file.write_text(yaml.safe_dump(content), encoding="utf-8")


def quorate(*arguments: str) -> list[str]:
    return [str(SCRIPTS / "quorate"), *arguments]


def answers(text: str, latency_s: float) -> list[dict[str, Any]]:
    return [{"when": {"role": "answer"}, "reply": {"answer": text}, "latency_s": latency_s}]


def test_answers_are_read_side_by_side_while_they_are_written(
    live: CommandLine, tmp_path: Path
) -> None:
    members = {"ada": answers(WORDS, 6.0), "bob": answers("짧은 답변입니다 🎤", 6.0), "lead": []}
    members["lead"] = [{"reply": "unused"}]
    config = scripted(tmp_path, members)
    seen = tmp_path / "seen"
    types = f"print('typed', flush=True)\nwhile not os.path.exists({str(seen)!r}): time.sleep(0.05)"
    add_command(config, "cyd", program(tmp_path, f"{types}\nprint('and more')"))
    command = quorate("ask", "--config", config, "--no-stdin", "What now?")
    with terminal(command, live.environ, tmp_path) as shown:
        before_the_end = shown.until(lambda text: "word05" in text)
        assert "ada answered" not in before_the_end
        assert "word39" not in before_the_end
        assert " │ " in before_the_end
        assert "cyd answered" not in shown.until(lambda text: "typed" in text)
        seen.touch()
        shown.type("\x1a")  # nobody can stop it here (it leads its session), so it goes on at once
        assert shown.end() == 0
    assert shown.raw.count(HIDE_CURSOR) == shown.raw.count(SHOW_CURSOR) == 2
    assert "── bob" in shown.text
    assert "짧은 답변입니다 🎤" in shown.text
    assert shown.raw.rfind(SHOW_CURSOR) > shown.raw.rfind(HIDE_CURSOR)


def test_an_interrupt_leaves_the_terminal_as_it_was_and_the_run_goes_on(
    live: CommandLine, tmp_path: Path
) -> None:
    config = scripted(tmp_path, {"ada": answers(WORDS, 8.0), "lead": [{"reply": "unused"}]})
    command = quorate("ask", "--config", config, "--no-stdin", "What now?")
    with terminal(command, live.environ, tmp_path) as shown:
        shown.until(lambda text: "word02" in text)
        shown.type("\x03")
        assert shown.end() == 130
    assert "The run goes on in the background" in shown.text
    assert shown.raw.rfind(SHOW_CURSOR) > shown.raw.rfind(HIDE_CURSOR)
    endpoints = ServiceSettings.from_environment(live.environ).endpoints
    with redis.Redis.from_url(endpoints.redis_url) as client:  # its next turns stream, too
        now, _ = client.time()
        assert max(until for _, until in client.zscan_iter(WATCHED_RUNS)) > now + WATCHED_S
    done = live("watch", "last", "--json", timeout_s=60)
    assert json.loads(done.stdout)["detail"]["answers"][0]["answer"] == WORDS


def test_a_forum_is_seen_as_the_design_drew_it(live: CommandLine, tmp_path: Path) -> None:
    asks = {"when": {"role": "bid", "round": 1}, "reply": {"action": "REQUEST", "reason": "비용"}}
    rests = {"when": {"role": "bid"}, "reply": {"action": "PASS"}}
    speech = {"when": {"role": "speech"}, "reply": {"speech": WORDS}, "latency_s": 4.0}
    ballot = {"when": {"role": "ballot"}, "reply": {"position": "agree", "confidence": 0.9}}
    choice = {"action": "SELECT", "speaker": "ada", "reason": "먼저"}
    leads = [
        {"when": {"role": "selection", "round": 1}, "reply": choice},
        {"when": {"role": "selection"}, "reply": {"action": "END", "conclusion": "하나로 충분"}},
    ]
    members = {"ada": [asks, rests, speech, ballot], "bob": [rests, ballot], "lead": leads}
    config = scripted(tmp_path, members, language="ko")
    command = quorate("forum", "--config", config, "--no-stdin", "어떻게 구성할까?")
    with terminal(command, live.environ, tmp_path) as shown:
        speaking = shown.until(lambda text: "[ada] 🎤" in text and "word05" in text)
        assert "word39" not in speaking
        assert shown.end() == 0
    lines = [one.strip() for one in shown.text.splitlines()]
    assert any(one.startswith("ask --forum") and one.endswith("진행: lead") for one in lines)
    assert "[나] 어떻게 구성할까?" in lines
    assert "ada: ✋  bob: 💤" in lines
    assert "→ ada 선택 — 먼저" in lines
    assert any(one.startswith("📋 합의: 하나로 충분") for one in lines)


def test_a_plan_is_revised_and_accepted_at_the_terminal(live: CommandLine, tmp_path: Path) -> None:
    objection = {"title": "No way back", "severity": "MAJOR", "detail": "none is described"}
    first = {"verdict": "REVISE", "findings": [objection]}
    again = {"verdict": "REVISE", "stances": [{"finding": "F1", "position": "agree"}]}
    critic = [
        {"when": {"role": "challenge", "round": 1}, "reply": first},
        {"when": {"role": "challenge"}, "reply": again},
    ]
    conceded = {"conceded_points": ["F1"], "stances": again["stances"]}
    lead = [
        {"when": {"role": "plan", "round": 1}, "reply": {"plan": "# Plan\n1. copy the data"}},
        {"when": {"role": "plan"}, "reply": {"plan": "# Shorter"}},
        {"when": {"role": "defense"}, "reply": conceded},
        {"when": {"role": "synthesis"}, "reply": {"summary": "A way back is missing."}},
    ]
    config = scripted(tmp_path, {"ada": critic, "bob": critic, "cyd": lead, "lead": lead})
    who = "ada,bob,author=cyd,chair=lead"
    command = quorate("plan", "--config", config, "--no-stdin", "-p", who, "Move the shop")
    with terminal(command, live.environ, tmp_path) as shown:
        asked = shown.until(lambda text: "[r]evise, [a]ccept or [l]ater? " in text)
        assert "1. copy the data" in asked
        assert "No way back" in asked
        shown.type("x\n")
        shown.type("r\n")
        shown.until(lambda text: "What should change?" in text)
        shown.type("shorter\n")
        shown.until(lambda text: "version 2 · by cyd" in text, 120)
        shown.type("a\n")
        shown.end(120)
    found = json.loads(live("show", "last", "--json").stdout)["detail"]
    decisions = [one["decision"] for one in found["revisions"]]
    assert [one["choice"] for one in decisions] == ["revise", "accept"]
    assert decisions[0]["message"] == "shorter"
    assert found["accepted"] is True


def test_what_was_read_at_the_question_is_not_told_again(
    live: CommandLine, changed_repository: Path
) -> None:
    command = quorate("review", "--participants", "ruff")
    with terminal(command, live.environ, changed_repository) as shown:
        asked = shown.until(lambda text: "[s]kip or [l]ater? " in text)
        assert "imported but unused" in asked
        shown.type("s\n")
        shown.end(120)
        answered = shown.text.partition("[l]ater? ")[2]
    assert "Decision: skip" in answered
    assert "imported but unused" not in answered
