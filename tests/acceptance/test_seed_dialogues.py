"""The original designs' own examples through the command line and real workers, each to the design's own ending.

The forum's dialogue (seed 001) is replayed word for word, from a configuration file as the design has it; the states of
seed 000 are walked through in both directions; the presets of seed 003 debate with their perspectives and bounds.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from orchestrator.settings.preset_files import load_persona
from tests.fixtures.instance import CommandLine
from tests.orchestrator.workflows.test_forum_seed_dialogue import (
    CONCLUSION,
    OPENINGS,
    QUESTION,
    TEXTS,
)

pytestmark = pytest.mark.acceptance


def shown(live: CommandLine, run: str = "last") -> Any:
    return json.loads(live("show", run, "--json").stdout)


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
    return path


# ---- seed 001: the forum -----------------------------------------------------------------------------


def entry(key: str, text: str) -> dict[str, Any]:
    """A script's entry for a step by its key: `bid/2/Claude`, `selection/2`, `ballot/Claude`."""
    kind, *rest = key.split("/")
    role = "ballot" if kind == "opening" else kind
    when: dict[str, Any] = {"role": role}
    if kind == "opening":
        when["round"] = 0
    for part in rest:
        if part.isdecimal():
            when["round"] = int(part)
        else:
            when["participant"] = part
    return {"when": when, "reply": text}


def dialogue(folder: Path) -> Path:
    """The design's configuration file; the dialogue is what its three participants say."""
    script = [entry(key, text) for key, text in {**OPENINGS, **TEXTS}.items()]
    write(folder / "dialogue.yaml", script)
    names = ("Claude", "Gemini", "Codex")
    return write(
        folder / "config.yaml",
        {
            "orchestrator": {"ai": "Claude"},
            "participants": list(names),
            "settings": {"max_rounds": 10, "timeout": 300},
            "providers": {
                name: {"type": "scripted", "script": "dialogue.yaml", "family": name}
                for name in names
            },
        },
    )


def test_the_forum_of_the_ask_design_ends_with_the_design_s_conclusion(
    live: CommandLine, tmp_path: Path
):
    config = dialogue(tmp_path / ".dev")
    done = live("--debate", "--config", str(config), QUESTION, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout)
    assert (content["verdict"], content["convergence"]["ending"]) == ("ANSWERED", "converged")
    detail = content["detail"]
    assert detail["conclusion"] == CONCLUSION
    assert [one["selected"] for one in detail["rounds"]] == ["Gemini", "Claude", "Codex", None]
    assert {one["selected_by"] for one in detail["rounds"][:3]} == {"orchestrator"}
    assert content["warnings"] == [
        "standard input was empty: the question is asked without it",
        "scripted, no model was asked: Claude, Gemini, Codex",
    ]
    text = live("show", content["run"]["id"]).stdout
    for line in CONCLUSION.splitlines():
        assert line.lstrip("- ") in text


# ---- seed 000: the states of plan and review ----------------------------------------------------------

PLAN = [
    {
        "when": {"role": "plan", "round": 1},
        "reply": {"plan": "1. stop the shop\n2. copy the data\n3. start the shop"},
    },
    {"when": {"role": "plan"}, "reply": {"plan": "1. copy\n2. switch\n3. switch back if it fails"}},
    {
        "when": {"role": "challenge", "round": 1, "contains": "stop the shop"},
        "reply": {
            "verdict": "REVISE",
            "findings": [
                {"title": "No way back", "severity": "MAJOR", "quote": "2. copy the data"}
            ],
        },
    },
    {
        "when": {"role": "challenge", "contains": "stop the shop"},
        "reply": {
            "verdict": "REVISE",
            "stances": [{"finding": "F1", "position": "agree", "reason": "still missing"}],
        },
    },
    {"when": {"role": "challenge"}, "reply": {"verdict": "ACCEPT"}},
    {
        "when": {"role": "defense"},
        "reply": {
            "conceded_points": ["F1"],
            "stances": [{"finding": "F1", "position": "agree", "reason": "true"}],
        },
    },
    {"when": {"role": "synthesis"}, "reply": {"summary": "Describe the way back."}},
]


def test_a_plan_is_debated_revised_debated_again_and_accepted(live: CommandLine, tmp_path: Path):
    write(tmp_path / "plan.yaml", PLAN)
    cast = ",".join(f"scripted:plan.yaml#{name}" for name in ("ada", "bob", "eve"))
    done = live("plan", "Move the shop.", "--participants", cast, "--decide", "later", cwd=tmp_path)
    assert done.returncode == 8, done.stderr
    run = json.loads(live("list", "-n", "1", "--json").stdout)["runs"][0]["id"]
    assert phase(live, run) == "WaitingForDebateDecision"
    revised = live("decide", run, "revise", "-m", "keep the old server")
    assert revised.returncode == 8, revised.stderr
    accepted = live("decide", run, "accept")
    assert accepted.returncode == 0, accepted.stderr
    content = shown(live, run)
    assert content["convergence"]["ending"] == "converged"
    assert content["verdict"] == "APPROVED"
    keys = live("show", run, "--rounds").stdout
    order = ["plan/1/", "challenge/1/", "defense/2/", "synthesis", "plan/2/", "plan2/challenge/1/"]
    places = [keys.index(key) for key in order]
    assert places == sorted(places), keys
    assert phase(live, run) == "Executing"


def phase(live: CommandLine, run: str) -> str:
    phases = [row for row in json.loads(live("list", "--json").stdout)["runs"] if row["id"] == run]
    return str(phases[0]["phase"])


REVIEW = """
- when: {role: critique, round: 1}
  reply:
    verdict: NEEDS_FIX
    findings:
      - title: unused import
        detail: nobody uses sys in this file, and whoever reads it looks for the reason
        severity: MAJOR
        place: {path: app.py, line: 1}
        quote: import sys
        patch: |
          --- a/app.py
          +++ b/app.py
          @@ -1,2 +1 @@
          -import sys
           import subprocess
- when: {role: critique}
  reply: {verdict: NEEDS_FIX, stances: [{finding: F1, position: agree, reason: still there}]}
- when: {role: rebuttal}
  reply: {stances: [{finding: F1, position: agree, reason: it is not used, quote: import sys}]}
- when: {role: synthesis}
  reply: {summary: Take the import out.}
- when: {role: fix}
  reply: {fixes: []}
"""


@pytest.mark.parametrize(("strategy", "choice"), [("review", "apply_fix"), ("red-team", "skip")])
def test_a_review_goes_through_the_states_of_the_design(
    live: CommandLine, changed_repository: Path, tmp_path: Path, strategy: str, choice: str
):
    script = tmp_path / "review.yaml"
    script.write_text(REVIEW)
    cast = ",".join(f"scripted:{script}#{name}" for name in ("ada", "bob", "eve"))
    done = live(
        "review", "--strategy", strategy, "--panel", f"{cast},author=eve", "--decide", "later",
        cwd=changed_repository,
    )  # fmt: skip
    assert done.returncode == 8, done.stderr
    run = json.loads(live("list", "-n", "1", "--json").stdout)["runs"][0]["id"]
    assert phase(live, run) == "WaitingForReviewDecision"
    assert shown(live, run)["convergence"]["ending"] == "converged"
    decided = live("decide", run, choice)
    # A fix that was applied is reviewed again; this panel's patch does not fit a second time.
    assert decided.returncode == 0, decided.stderr
    assert phase(live, run) == "Executing"
    assert bool(shown(live, run)["detail"]["applied"]) == (choice == "apply_fix")
    keys = live("show", run, "--rounds").stdout
    order = ["critique/1/", "rebuttal/2/", "critique/3/", "synthesis"]
    order += ["apply", "review2/critique/1/"] if choice == "apply_fix" else []
    places = [keys.index(key) for key in order]
    assert places == sorted(places), keys


# ---- seed 003: presets ----------------------------------------------------------------------------------

DEBATE = [
    {"when": {"role": "ballot", "round": 0}, "reply": {"position": "Yes", "confidence": 0.7}},
    {
        "when": {"role": "argument", "round": 1},
        "reply": {"position": "Yes.", "argument": "two disks failed in March"},
    },
    {
        "when": {"role": "argument"},
        "reply": {
            "position": "Yes.",
            "argument": "and nothing speaks against it",
            "stances": [{"finding": "P1", "position": "agree", "reason": "disks"}],
        },
    },
    {"when": {"role": "moderation"}, "reply": {"consensus_score": 0.8, "feedback": "all say yes"}},
    {"when": {"role": "ballot"}, "reply": {"choice": "P1", "confidence": 0.9}},
    {
        "when": {"role": "judgement"},
        "reply": {
            "verdict": "Yes, it should.",
            "choice": "P1",
            "confidence": 0.8,
            "reasoning": "disks fail",
            "consensus_points": ["the disks are old"],
        },
    },
]
PRESETS = {
    "code_review": (("security", "performance", "maintainability"), 2, 0.7),
    "qa_accuracy": (("analytical", "creative", "critical"), 3, 0.85),
    "decision": (("pragmatist", "strategist", "risk_analyst"), 3, 0.75),
}


def apart(preset: str) -> list[dict[str, Any]]:
    """Everybody answers otherwise in every round and holds none of the positions in the end."""
    debaters, rounds, _ = PRESETS[preset]
    answers = [
        {
            "when": {"role": "argument", "round": number, "contains": load_persona(name, "en")},
            "reply": {"position": f"Answer {number} of {name}", "argument": f"{name} in {number}"},
        }
        for number in range(1, rounds + 1)
        for name in debaters
    ]
    nobody = {"when": {"role": "ballot", "round": rounds}, "reply": {"choice": "NONE"}}
    return [*answers, nobody, *DEBATE]


@pytest.fixture(scope="module")
def debated(live: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> dict[Any, Any]:
    """What every preset's debate among ada, bob and cyd comes to, all at once; jay judges and mod moderates."""
    scripts = {(preset, "together"): DEBATE for preset in PRESETS}
    scripts |= {(preset, "apart"): apart(preset) for preset in PRESETS}
    started = {}
    for (preset, kind), script in scripts.items():
        folder = tmp_path_factory.mktemp("preset")
        write(folder / "debate.yaml", script)
        models = {
            name: {"type": "scripted", "script": "debate.yaml", "family": name}
            for name in ("ada", "bob", "cyd", "jay", "mod")
        }
        config = write(folder / "quorate.yaml", {"providers": models})
        started[preset, kind] = live.start(
            "panel", "--preset", preset, "--config", str(config), "-p", "ada,bob,cyd",
            "--judge", "jay", "--moderator", "mod", "Should the shop move?", "--json", cwd=folder,
        )  # fmt: skip
    told = {row: process.communicate(timeout=120) for row, process in started.items()}
    assert all(process.returncode == 0 for process in started.values()), told
    return {row: json.loads(stdout) for row, (stdout, _) in told.items()}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_debates_with_its_perspectives_and_threshold(debated: Any, preset: str):
    debaters, _, threshold = PRESETS[preset]
    content = debated[preset, "together"]
    assert (content["verdict"], content["convergence"]["ending"]) == ("ANSWERED", "converged")
    result = content["detail"]
    assert result["verdict"] == "Yes, it should."
    assert (result["confidence"], result["reasoning"]) == (0.8, "disks fail")
    assert [one["text"] for one in result["consensus_points"]] == ["Yes", "the disks are old"]
    assert result["dissenting_opinions"] == []
    assert (result["total_tokens"], result["total_cost"]) == (0, 0.0)
    assert result["agreement"]["positions"]["P1"]["threshold"] == threshold
    spoken = [one["participant"] for one in result["rounds"][0]["statements"]]
    names = zip(("ada", "bob", "cyd"), debaters, strict=True)
    assert spoken == [f"{model}-{debater}" for model, debater in names]


@pytest.mark.parametrize("preset", PRESETS)
def test_debaters_who_never_come_together_use_all_its_rounds_and_the_judge_decides(
    debated: Any, preset: str
):
    content = debated[preset, "apart"]
    assert (content["verdict"], content["convergence"]["ending"]) == ("ANSWERED", "exhausted")
    result = content["detail"]
    assert len(result["rounds"]) == PRESETS[preset][1]
    assert result["decided_by"] == "jay"
    assert len([one for one in result["dissenting_opinions"] if one["by"] == "vote"]) == 3
