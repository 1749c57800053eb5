"""The JSON contract of docs/json.md."""

import json
import re
from pathlib import Path

from orchestrator.views.json_report import as_json, dumps
from shared.models.outcomes import Ending, RunStatus, Verdict
from tests.support.reports import (
    make_assessment,
    make_decision,
    make_finding,
    make_report,
    make_step,
)

DOCS = Path(__file__).resolve().parents[3] / "docs" / "json.md"


def parsed(report):
    return json.loads(dumps(as_json(report)))


def test_the_contract_holds_for_a_finished_run():
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(),))
    content = parsed(report)
    assert content["schema_version"] == 1
    assert content["run"]["id"] == "rabc"
    assert content["run"]["exit_code"] == 0
    assert content["verdict"] == "NEEDS_FIX"
    assert content["convergence"]["overall_score"] == 0.82
    assert content["convergence"]["recommendation"] == "converged"
    assert content["findings"][0]["support"] == 2
    assert [one["name"] for one in content["participants"]][:3] == ["ruff", "bandit", "claude"]


def test_a_run_under_way_has_the_same_keys_as_a_finished_one():
    running = as_json(make_report(RunStatus.RUNNING, ending=None))
    finished = as_json(make_report(verdict=Verdict.APPROVED))
    assert running.keys() == finished.keys()
    assert running["verdict"] is None
    assert running["convergence"] is None


def test_every_top_level_key_is_documented():
    documented = set(re.findall(r"(?m)^\| `(\w+)` \|", DOCS.read_text("utf-8")))
    assert as_json(make_report(verdict=Verdict.APPROVED)).keys() <= documented


def test_a_round_carries_its_steps_and_its_figures():
    steps = (
        make_step("critique/1/ruff"),
        make_step("critique/1/bandit", "failed"),
        make_step("rebuttal/2/rules"),
        make_step("synthesis/rules"),
        make_step("review2/critique/1/ruff"),
    )
    recorded = (make_assessment(None, 1), make_assessment(Ending.CONVERGED, 2))
    stages = {
        one["stage"]: one
        for one in parsed(make_report(steps=steps, assessments=recorded))["rounds"]
    }
    assert list(stages) == [
        "critique/1",
        "rebuttal/2",
        "synthesis",
        "review2/critique/1",
    ]
    assert stages["critique/1"]["assessment"]["round"] == 1
    assert stages["rebuttal/2"]["assessment"]["ending"] == "converged"
    assert stages["review2/critique/1"]["assessment"] is None
    assert stages["critique/1"]["steps"][1]["failure"]["kind"] == "timeout"


def test_an_open_decision_carries_what_binds_the_answer():
    report = make_report(RunStatus.WAITING, decisions=(make_decision(),))
    content = parsed(report)
    assert content["decision"]["state"] == "open"
    assert content["decision"]["shown_sha256"] == "2" * 64
    assert content["fixes"]["patch"].startswith("diff --git")


def test_json_holds_no_raw_control_character_and_still_means_the_same():
    hostile = {"title": "\x9b31m \x7f \u202e 한글 \ud800"}
    text = dumps(hostile)
    assert not re.search("[\x7f-\x9f\u202e\ud800]", text)
    assert "한글" in text
    assert json.loads(text) == hostile
