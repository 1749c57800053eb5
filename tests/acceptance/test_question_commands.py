"""`quorate "question"`, forum, plan and panel with real servers and workers, asked of scripted participants."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.instance import SCRIPTS, CommandLine

pytestmark = pytest.mark.acceptance

ASK = """
- when: {role: answer, participant: mute}
  fault: refusal
- when: {role: answer, contains: "파이프"}
  reply: {answer: "파이프를 읽었습니다."}
- when: {role: answer, contains: "print(41)"}
  reply: {answer: "It prints 41.", confidence: 0.9}
- when: {role: answer}
  reply: {answer: "A monolith, for now.", confidence: 0.8}
- when: {role: ranking}
  reply: {ranking: [A, B], reason: "A says why"}
- when: {role: synthesis}
  reply: {summary: "Everybody would begin with a monolith."}
"""
FORUM = """
- when: {role: ballot, round: 0}
  reply: {position: "one process", confidence: 0.6}
- when: {role: bid, round: 1}
  reply: {action: REQUEST, reason: "I have a point"}
- when: {role: bid}
  reply: PASS
- when: {role: selection, round: 1}
  reply: "SELECT: bob"
- when: {role: selection}
  reply: "END: One process, several modules."
- when: {role: speech}
  reply: {speech: "Modules give most of the freedom at a tenth of the price."}
- when: {role: ballot, participant: nay}
  reply: {position: disagree, confidence: 0.9, reason: "never"}
- when: {role: ballot}
  reply: {position: agree, confidence: 0.9, reason: "that is what I hold"}
"""
PLAN = """
- when: {role: plan, round: 1}
  reply: {plan: "1. stop the shop\\n2. copy the data\\n3. start the shop"}
- when: {role: plan, contains: "keep the old server"}
  reply: {plan: "1. copy the data\\n2. switch, and switch back when it fails"}
- when: {role: challenge, round: 1, contains: "stop the shop"}
  reply:
    verdict: REVISE
    findings: [{title: "No way back is described", severity: MAJOR, quote: "2. copy the data"}]
- when: {role: challenge, contains: "stop the shop"}
  reply: {verdict: REVISE, stances: [{finding: F1, position: agree, reason: "it is still missing"}]}
- when: {role: challenge}
  reply: {verdict: ACCEPT}
- when: {role: defense}
  reply: {stances: [{finding: F1, position: agree, reason: "true"}], conceded_points: [F1]}
- when: {role: synthesis}
  reply: {summary: "A way back decides it."}
"""
PANEL = """
- when: {role: ballot, round: 0}
  reply: {position: "Yes", confidence: 0.7}
- when: {role: argument, round: 1}
  reply: {position: "Yes.", argument: "two disks failed in March"}
- when: {role: argument}
  reply: {position: "Yes.", argument: "so it is", stances: [{finding: P1, position: agree, reason: "disks"}]}
- when: {role: moderation}
  reply: {consensus_score: 0.9, feedback: "all say yes"}
- when: {role: ballot}
  reply: {choice: P1, confidence: 0.9}
- when: {role: judgement}
  reply: {verdict: "Yes, it should.", choice: P1, confidence: 0.8, reasoning: "age"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, script in (("ask", ASK), ("forum", FORUM), ("plan", PLAN), ("panel", PANEL)):
        (tmp_path / f"{name}.yaml").write_text(script)
    return tmp_path


def cast(script: str, *names: str) -> tuple[str, str]:
    return "--participants", ",".join(f"scripted:{script}.yaml#{name}" for name in names)


def content_of(done: subprocess.CompletedProcess[str], code: int = 0) -> Mapping[str, Any]:
    assert done.returncode == code, done.stderr
    content = json.loads(done.stdout)
    assert content["run"]["exit_code"] == code
    assert isinstance(content, dict)
    return content


def newest(live: CommandLine) -> Mapping[str, Any]:
    return content_of_run(live, "last")


def content_of_run(live: CommandLine, run: str) -> Mapping[str, Any]:
    content = json.loads(live("show", run, "--json").stdout)
    assert isinstance(content, dict)
    return content


# ---- ask ----------------------------------------------------------------------------------------


def test_a_question_without_a_command_is_answered_by_everybody(live: CommandLine, folder: Path):
    done = live("Is a monolith right?", *cast("ask", "ada", "bob"), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("A monolith, for now.") == 2
    assert "ada" in done.stdout
    assert "run r" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


def test_quiet_gives_the_result_and_nothing_else(live: CommandLine, folder: Path):
    done = live("-q", *cast("ask", "ada"), "Is a monolith right?", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "⚠ scripted, no model was asked: ada\n")
    assert "A monolith, for now." in done.stdout


def test_a_file_a_pipe_and_contexts_all_reach_the_participants(live: CommandLine, folder: Path):
    (folder / "q.md").write_text("What does it print?")
    (folder / "app.py").write_text("print(41)")
    more = (*cast("ask", "ada"), "--json")
    done = live("--file", "q.md", "--context", "app.py", *more, cwd=folder)
    assert "It prints 41." in json.dumps(content_of(done))
    prompt = live("show", "last", "--prompt", "answer/ada").stdout
    assert "file app.py>>>" in prompt
    piped = live(*more, cwd=folder, stdin="파이프에서 무엇이 왔나요?\n")
    content = content_of(piped)
    assert content["run"]["title"] == "파이프에서 무엇이 왔나요?"
    assert content["run"]["language"] == "ko"


def test_what_is_piped_beside_a_question_is_material_and_no_instruction(
    live: CommandLine, folder: Path
):
    done = live("Summarise this.", *cast("ask", "ada"), "-q", cwd=folder, stdin="print(41)\n")
    assert "It prints 41." in done.stdout, done.stderr
    prompt = live("show", "last", "--prompt", "answer/ada").stdout
    assert "file stdin>>>\nprint(41)" in prompt
    # With a dash it is part of the question.
    live("-", "Summarise this.", *cast("ask", "ada"), "-q", cwd=folder, stdin="print(41)\n")
    prompt = live("show", "last", "--prompt", "answer/ada").stdout
    assert "Summarise this.\n\nprint(41)" in prompt


def test_an_inherited_pipe_that_says_nothing_does_not_stop_a_question(
    live: CommandLine, folder: Path
):
    read, write = os.pipe()
    try:
        done = subprocess.run(
            [str(SCRIPTS / "quorate"), "why so?", *cast("ask", "ada")],
            cwd=folder,
            env=dict(live.environ),
            stdin=read,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(read)
        os.close(write)
    assert done.returncode == 0, done.stderr
    assert "standard input is open but sent nothing" in done.stderr


def test_ranking_and_synthesis_come_when_they_are_wanted(live: CommandLine, folder: Path):
    options = ("--ranking", "--synthesis", "--json")
    done = live("Is it right?", *cast("ask", "ada", "bob", "cyd"), *options, cwd=folder)
    content = content_of(done)
    roles = [step["role"] for stage in content["rounds"] for step in stage["steps"]]
    assert roles.count("ranking") == 3
    assert content["synthesis"]["summary"] == "Everybody would begin with a monolith."


def test_too_few_answers_are_inconclusive_and_the_others_are_shown(live: CommandLine, folder: Path):
    done = live("Is it right?", *cast("ask", "ada", "mute"), cwd=folder)
    assert done.returncode == 3, done.stderr
    assert "A monolith, for now." in done.stdout
    assert "mute" in done.stdout


def test_the_original_configuration_file_is_valid_as_it_is(live: CommandLine, folder: Path):
    (folder / ".dev").mkdir()
    (folder / ".dev" / "config.yaml").write_text(
        "orchestrator:\n  ai: claude\nparticipants:\n  - claude\n  - gemini\n  - codex\n"
        "settings:\n  max_rounds: 10\n  timeout: 300\n"
    )
    keys = dict.fromkeys(("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_API_KEY"), "k")
    keys |= {"QUORATE_DISCOVER": "", "CI": "1"}
    estimated = {}
    for typed in ((), ("-d",), ("--config", ".dev/config.yaml", "-d")):
        done = live(*typed, "why so?", "--estimate", "--json", cwd=folder, environ=keys)
        assert done.returncode == 0, done.stderr
        estimated[typed] = json.loads(done.stdout)
    assert estimated[()]["estimate"]["calls"] == {"low": 3, "high": 3}
    assert estimated["-d",]["workflow"] == "forum"
    named = estimated["--config", ".dev/config.yaml", "-d"]
    assert estimated["-d",]["estimate"]["calls"] == named["estimate"]["calls"]


def test_a_result_file_and_a_run_that_is_left_alone(live: CommandLine, folder: Path):
    answer = folder / "answer.md"
    live("why so?", *cast("ask", "ada"), "-q", "-o", str(answer), cwd=folder)
    assert "A monolith, for now." in answer.read_text()
    done = live("why so?", *cast("ask", "ada"), "--no-wait", cwd=folder)
    run = done.stdout.strip()
    assert (done.returncode, len(run)) == (0, 10)
    assert live("watch", run, "-q").returncode == 0


def test_a_secret_in_a_context_is_reported(live: CommandLine, folder: Path):
    (folder / "log.txt").write_text("token ghp_" + "a1B2" * 9)
    done = live("why?", "--context", "log.txt", *cast("ask", "ada"), cwd=folder)
    assert "1 secret was found" in done.stderr, done.stderr


def test_a_run_that_nothing_may_leave_asks_nobody_elsewhere(live: CommandLine, folder: Path):
    keys = {"ANTHROPIC_API_KEY": "k", "QUORATE_DISCOVER": "", "CI": "1"}
    done = live("why so?", "--no-external", "-p", "claude", cwd=folder, environ=keys)
    assert done.returncode == 2
    assert "external" in done.stderr


# ---- forum --------------------------------------------------------------------------------------


@pytest.mark.parametrize("typed", [("forum",), ("ask", "--debate"), ("-d",), ("debate",)])
def test_a_forum_that_agrees_is_code_zero_under_all_its_names(
    live: CommandLine, folder: Path, typed: tuple[str, ...]
):
    members = cast("forum", "ada", "bob", "cyd")
    done = live(*typed, "How should it be built?", *members, "--json", cwd=folder)
    content = content_of(done)
    assert (content["run"]["workflow"], content["run"]["ending"]) == ("forum", "converged")
    assert "One process, several modules." in done.stdout


def test_a_forum_that_does_not_agree_is_inconclusive(live: CommandLine, folder: Path):
    members = cast("forum", "ada", "bob", "nay")
    done = live("-d", "How should it be built?", *members, "--max-rounds", "4", cwd=folder)
    assert done.returncode == 3, done.stdout
    assert "One process, several modules." in done.stdout


def test_the_orchestrator_may_be_somebody_else(live: CommandLine, folder: Path):
    members = cast("forum", "ada", "bob")
    leader = ("--orchestrator", "scripted:forum.yaml#chair")
    content = content_of(live("-d", "why so?", *members, *leader, "--json", cwd=folder))
    parts = {one["name"] for one in content["participants"]}
    assert parts == {"ada", "bob", "chair"}


# ---- plan ---------------------------------------------------------------------------------------


def test_a_plan_is_revised_and_then_accepted(live: CommandLine, folder: Path):
    members = cast("plan", "ada", "bob", "cyd")
    asks = ("--decide", "ask")
    done = live("plan", "Move the shop to the new server", *members, *asks, cwd=folder)
    assert done.returncode == 8, done.stderr
    assert "revise|accept" in done.stdout
    run = newest(live)["run"]["id"]
    assert run in live("inbox").stdout
    assert live("decide", run, "apply_fix").returncode == 2
    assert live("decide", run, "revise", "--only", "F1").returncode == 2
    revised = live("decide", run, "revise", "-m", "keep the old server for a week")
    assert revised.returncode == 8, revised.stderr
    assert "switch back when it fails" in revised.stdout
    content = content_of(live("decide", run, "accept", "--json"))
    assert content["verdict"] == "APPROVED"
    assert content["decision"]["answer"]["choice"] == "accept"
    assert live("decide", run, "revise").returncode == 6


@pytest.mark.parametrize(("decide", "versions"), [("accept", 1), ("revise", 2)])
def test_a_decision_may_be_taken_beforehand(
    live: CommandLine, folder: Path, decide: str, versions: int
):
    (folder / "PLAN.md").write_text("1. stop the shop\n2. copy the data\n")
    typed = ("--given", "--file", "PLAN.md", "--decide", decide, "--max-revisions", "1")
    script = PLAN.replace('contains: "keep the old server"', "round: 2")
    (folder / "plan.yaml").write_text(script)
    done = live("plan", *typed, *cast("plan", "ada", "bob", "cyd"), "--json", cwd=folder)
    content = content_of(done)
    written = [stage["stage"] for stage in content["rounds"] if "plan/" in stage["stage"]]
    assert len(written) == versions - 1


# ---- panel --------------------------------------------------------------------------------------


def test_a_panel_debates_and_a_judge_decides(live: CommandLine, folder: Path):
    judges = ("--judge", "scripted:panel.yaml#judge", "--moderator", "scripted:panel.yaml#mod")
    done = live(
        "panel", "Should the shop move?", *cast("panel", "ada", "bob", "cyd"), *judges, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert "Yes, it should." in done.stdout
    content = newest(live)
    roles = {step["role"] for stage in content["rounds"] for step in stage["steps"]}
    assert roles == {"ballot", "argument", "moderation", "judgement"}


@pytest.mark.parametrize("strategy", ["parallel", "quick", "delphi"])
def test_a_panel_is_held_in_every_strategy(live: CommandLine, folder: Path, strategy: str):
    typed = ("--strategy", strategy, "--rounds", "2", "--judge", "scripted:panel.yaml#judge")
    done = live("panel", "why so?", *typed, *cast("panel", "ada", "bob"), "--json", cwd=folder)
    content = json.loads(done.stdout)
    assert content["run"]["strategy"] == strategy
    assert "Yes, it should." in done.stdout


def test_a_preset_brings_its_perspectives(live: CommandLine, folder: Path):
    (folder / "c.yaml").write_text(
        'providers: {demo: {type: openai, model: m, base_url: "http://127.0.0.1:9/v1"}}\n'
    )
    typed = ("--preset", "decision", "--config", "c.yaml", "--estimate")
    done = live("panel", "Should the shop move?", *typed, cwd=folder)
    assert done.returncode == 0, done.stderr
    for name in ("demo-pragmatist", "demo-strategist", "demo-risk_analyst"):
        assert name in done.stderr
