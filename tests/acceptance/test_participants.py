"""`quorate participants` and people as participants, with real servers and workers."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.fixtures.instance import CommandLine, make_repository
from tests.support.model_process import ModelServer

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(180)]


def until(condition: Callable[[], Any], timeout_s: float = 60.0) -> Any:
    ends_at = time.monotonic() + timeout_s
    while time.monotonic() < ends_at:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError("it did not happen in time")


def configuration(folder: Path, **whole: Any) -> str:
    file = folder / "quorate.yaml"
    file.write_text(yaml.safe_dump(whole), encoding="utf-8")
    return str(file)


def model(server: ModelServer, name: str, **more: Any) -> dict[str, Any]:
    return {"type": "openai", "model": name, "base_url": server.base_url, **more}


# ---- list, models, test, pause, resume, login -------------------------------------------------------


def test_the_list_names_the_panel_who_else_is_here_and_what_is_missing(
    quiet_home: CommandLine, tmp_path: Path
) -> None:
    config = configuration(
        tmp_path,
        providers={
            "far": {"type": "anthropic", "model": "claude-x"},
            "near": {"type": "ollama", "model": "qwen3"},
        },
        participants=["near", "ruff"],
    )
    more = {"GEMINI_API_KEY": "AIza-not-to-be-shown", "QUORATE_DISCOVER": "", "CI": "true"}
    done = quiet_home("participants", "list", "--config", config, "--json", environ=more)
    listed = json.loads(done.stdout)
    members = {one["name"]: one for one in listed["participants"]}
    assert members["near"]["in_panel"]
    assert members["near"]["external"] is False
    assert members["gemini"]["found"] == "key in GEMINI_API_KEY"
    assert members["gemini"]["external"] is True
    missing = {one["name"]: one["todo"] for one in listed["missing"]}
    assert "ANTHROPIC_API_KEY" in missing["far"]
    assert missing["gpt"] == "set OPENAI_API_KEY"
    assert listed["servers"] is False
    assert "AIza-not" not in done.stdout + done.stderr
    # Looking starts nothing.
    assert not (quiet_home.home / ".local").exists()
    text = quiet_home("participants", "--help").stdout
    assert all(name in text for name in ("list", "test", "models", "pause", "resume", "login"))


def test_the_models_have_their_prices(quiet_home: CommandLine) -> None:
    done = quiet_home("participants", "models", "--json")
    listed = {one["name"]: one for one in json.loads(done.stdout)["models"]}
    assert listed["claude"]["usd_per_million_input"] > 0
    assert not listed["claude"]["here"]


def test_a_trial_asks_each_model_once_through_the_workers(
    live: CommandLine, model_server: ModelServer, tmp_path: Path
) -> None:
    providers = {
        "good": model(model_server, "stub--text=ready--trial=1"),
        # Of another account: a refused key closes its account for everybody at once.
        "refused": {**model(model_server, "stub--fault=401--trial=2"), "account": "elsewhere"},
    }
    config = configuration(tmp_path, providers=providers)
    done = live("participants", "test", "--config", config, "--json")
    tried = {one["name"]: one for one in json.loads(done.stdout)["participants"]}
    assert done.returncode == 3
    assert tried["good"]["answered"], tried
    assert tried["refused"]["failure"]["kind"] == "credentials"
    assert len(model_server.calls("stub--text=ready--trial=1")) == 1
    done = live("participants", "test", "good", "--config", config)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "answered" in done.stdout


def test_a_trial_that_was_refused_costs_nothing_and_a_lost_answer_costs_what_nobody_knows(
    live: CommandLine, model_server: ModelServer, tmp_path: Path
) -> None:
    providers = {
        name: {**model(model_server, f"stub--fault={fault}--trial=3"), "account": name}
        for name, fault in (("refused", "400"), ("lost", "malformed"))
    }
    config = configuration(tmp_path, providers=providers)
    done = live("participants", "test", "--config", config)
    lines = {line.split()[0]: line.split() for line in done.stdout.splitlines()}
    # name, outcome, took, s, tokens, cost
    assert lines["refused"][4:6] == ["-", "-"], done.stdout
    assert lines["lost"][4:6] == ["-", "unknown"], done.stdout


def test_a_trial_without_a_model_says_so(quiet_home: CommandLine) -> None:
    done = quiet_home("participants", "test")
    assert done.returncode == 2
    assert "no model takes part" in done.stderr


def test_a_paused_participant_is_not_asked_until_it_is_resumed(
    live: CommandLine, model_server: ModelServer, tmp_path: Path
) -> None:
    name = "stub--paused=1"
    config = configuration(tmp_path, providers={"held": model(model_server, name)})
    unknown = live("participants", "pause", "hold", "--config", config)
    assert (unknown.returncode, "did you mean held?" in unknown.stderr) == (2, True)
    paused = live("participants", "pause", "held", "-m", "invoice unpaid", "--config", config)
    assert paused.returncode == 0, paused.stderr
    listed = json.loads(live("participants", "list", "--config", config, "--json").stdout)
    (held,) = [one for one in listed["participants"] if one["name"] == "held"]
    assert held["state"] == "paused (held): invoice unpaid"
    repository = make_repository(tmp_path / "repository")
    run = live(
        *("review", "--config", config, "--panel", "held,author=rules,chair=rules"),
        *("--rounds", "1", "--decide", "skip", "--no-wait"),
        cwd=repository,
    ).stdout.strip()
    until(lambda: step_of(live, run, "critique/1/held")["status"] == "pending")
    until(lambda: "⏳ held waits: an operator paused 'held'" in live("show", run).stdout)
    assert model_server.calls(name) == []
    assert live("participants", "resume", "held").returncode == 0
    until(lambda: model_server.calls(name))
    assert "was not paused" in live("participants", "resume", "held").stdout


def test_who_resumes_a_participant_is_told_whose_breaker_is_open(
    live: CommandLine, model_server: ModelServer, tmp_path: Path
) -> None:
    refused = {**model(model_server, "stub--fault=401--breaker=1"), "account": "shut-one"}
    config = configuration(tmp_path, providers={"refused": refused})
    assert live("participants", "test", "--config", config).returncode == 3
    told = live("participants", "resume", "refused")
    (command,) = [line for line in told.stderr.splitlines() if "#shut-one" in line]
    account = command.split()[-1].strip("`")
    assert f"{account} goes on" in live("participants", "resume", account).stdout
    assert account not in live("participants", "resume", "refused").stderr


def test_a_log_in_opens_the_browser_as_it_is_with_the_participants_profile(
    quiet_home: CommandLine, tmp_path: Path
) -> None:
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/arguments\n')
    program.chmod(0o755)
    web = {"type": "browser", "site": "claude", "program": str(program), "profile": "profile"}
    config = configuration(tmp_path, providers={"web": web})
    refused = quiet_home("participants", "login", "web", "--config", config)
    assert refused.returncode == 2
    assert "terms of use" in refused.stderr
    web["i_accept_the_sites_terms"] = True
    config = configuration(tmp_path, providers={"web": web})
    screenless = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    done = quiet_home("participants", "login", "web", "--config", config, environ=screenless)
    assert done.returncode == 5
    assert "screen" in done.stderr
    done = quiet_home("participants", "login", "web", "--config", config, environ={"DISPLAY": ":9"})
    assert done.returncode == 0, done.stderr
    assert "terms of use" in done.stderr
    arguments = (tmp_path / "arguments").read_text().splitlines()
    assert f"--user-data-dir={tmp_path / 'profile'}" in arguments
    assert arguments[-1] == "https://claude.ai/new"
    assert not any("remote-debugging" in one for one in arguments)
    assert quiet_home("participants", "login", "ruff", "--config", config).returncode == 2


# ---- a person as a participant -------------------------------------------------------------------


def step_of(live: CommandLine, run: str, key: str) -> dict[str, Any]:
    shown = json.loads(live("show", run, "--json").stdout)
    steps = [step for stage in shown["rounds"] for step in stage["steps"]]
    return next((step for step in steps if step["key"] == key), {"status": "not there"})


def inbox(live: CommandLine, run: str) -> list[dict[str, Any]]:
    turns = json.loads(live("inbox", "--json").stdout)["turns"]
    return [turn for turn in turns if turn["run"] == run]


@pytest.fixture
def asked(live: CommandLine, tmp_path: Path) -> str:
    """A run whose critics are a person and an analyser, and that waits for the person."""
    config = configuration(tmp_path, providers={"me": {"type": "person"}})
    repository = make_repository(tmp_path / "repository")
    done = live(
        *("review", "--config", config, "--panel", "me,ruff,author=rules,chair=rules"),
        *("--rounds", "1", "--decide", "skip", "--no-wait"),
        cwd=repository,
    )
    run = done.stdout.strip()
    assert run, done.stderr
    until(lambda: inbox(live, run))
    return run


def test_a_persons_turn_waits_in_the_inbox_and_holds_nothing(live: CommandLine, asked: str) -> None:
    (turn,) = inbox(live, asked)
    assert (turn["step"], turn["participant"]) == ("critique/1/me", "me")
    assert "APPROVED or NEEDS_FIX" in turn["form"]
    step = step_of(live, asked, "critique/1/me")
    assert (step["status"], step["attempts"]) == ("pending", 0)
    assert "subprocess.call" in live("show", asked, "--prompt", "critique/1/me").stdout
    assert "critique/1/me" in live("inbox").stdout
    live("cancel", asked)
    assert inbox(live, asked) == []
    late = live("answer", asked, "critique/1/me", "-m", "APPROVED")
    assert late.returncode == 6
    assert "does not wait" in late.stderr


def test_plain_words_with_a_verdict_are_a_critique(live: CommandLine, asked: str) -> None:
    vague = live("answer", asked, "-m", "I do not like it")
    assert vague.returncode == 2
    assert "APPROVED or NEEDS_FIX" in vague.stderr
    assert inbox(live, asked)
    done = live("answer", asked, "-m", "needs_fix: the shell gets what a caller sends")
    assert done.returncode == 0, done.stderr
    step = until(
        lambda: (found := step_of(live, asked, "critique/1/me"))["status"] == "done" and found
    )
    assert step["reply"]["verdict"] == "NEEDS_FIX"
    assert step["reply"]["summary"] == "the shell gets what a caller sends"
    assert step["cost_usd"] == 0
    assert live("answer", asked, "critique/1/me", "-m", "APPROVED").returncode == 6
    until(lambda: json.loads(live("show", asked, "--json").stdout)["run"]["status"] == "completed")


def test_findings_can_be_given_as_json(live: CommandLine, asked: str, tmp_path: Path) -> None:
    finding = {"title": "Shell injection", "severity": "CRITICAL", "path": "app.py", "line": 10}
    file = tmp_path / "answer.json"
    file.write_text(json.dumps({"verdict": "NEEDS_FIX", "findings": [{"severity": "LOUD"}]}))
    wrong = live("answer", asked, "critique/1/me", "--file", str(file))
    assert wrong.returncode == 2
    assert "findings.0" in wrong.stderr
    reply = {"verdict": "NEEDS_FIX", "summary": "one", "findings": [finding]}
    done = live("answer", asked, "critique/1/me", "--file", "-", stdin=json.dumps(reply))
    assert done.returncode == 0, done.stderr
    step = until(
        lambda: (found := step_of(live, asked, "critique/1/me"))["status"] == "done" and found
    )
    assert step["reply"]["findings"][0]["title"] == "Shell injection"
    events = live("show", asked, "--events").stdout
    assert "turn.answered" in events


def test_an_answer_to_nothing_is_refused(live: CommandLine, asked: str) -> None:
    assert live("answer", asked, "critique/1/ruff", "-m", "APPROVED").returncode == 2
    assert live("answer", asked).returncode == 2
    assert live("answer", asked, "-m", " ").returncode == 2
    assert live("answer", asked, "--file", "/nowhere/at/all").returncode == 2
    live("cancel", asked)


def test_a_person_who_does_not_answer_in_time_is_missing_and_the_run_goes_on(
    live: CommandLine, tmp_path: Path
) -> None:
    config = configuration(tmp_path, providers={"me": {"type": "person", "timeout": "4s"}})
    done = live(
        *("review", "--config", config, "--panel", "me,ruff,author=rules,chair=rules"),
        *("--rounds", "1", "--decide", "skip", "--json"),
        cwd=make_repository(tmp_path / "repository"),
    )
    report = json.loads(done.stdout)
    step = step_of(live, report["run"]["id"], "critique/1/me")
    assert step["failure"]["kind"] == "timeout"
    assert "me did not answer in time (within 4 s)" in step["failure"]["message"]
    assert report["run"]["status"] == "completed"
    assert report["run"]["verdict"] != "APPROVED"
    assert "turn.missed" in live("show", report["run"]["id"], "--events").stdout
    assert inbox(live, report["run"]["id"]) == []
    assert report["run"]["id"] not in live("inbox").stdout
