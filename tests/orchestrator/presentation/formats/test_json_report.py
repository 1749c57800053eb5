"""The JSON contract of docs/json.md."""

import json
import re
from pathlib import Path

import pytest

from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import Translator
from shared.models.findings import Severity
from shared.models.notices import as_column, notice
from shared.models.outcomes import Ending, RunStatus, Verdict
from tests.support.finished_runs import HELD
from tests.support.notices import all_words
from tests.support.reports import (
    make_assessment,
    make_decision,
    make_finding,
    make_report,
    make_step,
)
from tests.support.seen_runs import report_of

DOCS = Path(__file__).resolve().parents[4] / "docs" / "json.md"


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
        make_step("critique/1/ruff", tokens=7, input_tokens=5, output_tokens=2),
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
    first, failed = stages["critique/1"]["steps"]
    assert (first["tokens"], first["input_tokens"], first["output_tokens"]) == (7, 5, 2)
    assert failed["failure"]["kind"] == "timeout"
    documented = DOCS.read_text("utf-8")
    assert [key for key in first if f"`{key}`" not in documented] == []


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


@pytest.mark.parametrize("workflow", HELD)
def test_every_workflow_has_the_same_keys_and_its_own_detail(workflow: str) -> None:
    held = HELD[workflow]()
    whole = parsed(report_of(held.run, held.simulation, held.outcome))
    under_way = parsed(report_of(held.run, held.simulation, None, stages=2))
    review = parsed(make_report(verdict=Verdict.APPROVED))
    assert whole.keys() == under_way.keys() == review.keys()
    assert whole["detail"] == json.loads(dumps(Translator().in_words(held.outcome.detail)))
    assert whole["summary"] == held.outcome.summary
    assert whole["run"]["strategy"] == {"plan": "debate", "panel": "parallel"}.get(workflow)
    assert (under_way["detail"], under_way["summary"], under_way["verdict"]) == (None, None, None)


def test_a_round_of_any_discussion_carries_its_figures() -> None:
    for workflow, stage in (
        ("forum", "speech/2"),
        ("plan", "plan2/challenge/1"),
        ("panel", "argument/3"),
    ):
        held = HELD[workflow]()
        rounds = parsed(report_of(held.run, held.simulation, held.outcome))["rounds"]
        found = next(one for one in rounds if one["stage"] == stage)
        assert found["assessment"] is not None, stage


def test_findings_come_in_the_order_of_the_text_and_say_what_their_rank_rests_on():
    words = {"title": "Doubtful", "detail": "", "rule": None, "place": None}
    alone = make_finding("F1", raised_by=("ruff",), stances={}, **words)
    shared = make_finding("F2", severity=Severity.MINOR)
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(alone, shared))
    first, second = as_json(report)["findings"]
    assert [first["id"], first["rank"], first["weak"], first["like"]] == ["F2", 1, False, None]
    assert [second["id"], second["rank"], second["weak"], second["supporters"]] == [
        "F1",
        2,
        True,
        ["ruff"],
    ]
    assert first["score"] > second["score"] > 0


def test_who_spoke_in_somebodys_place_is_said_once():
    parts = [notice("note_out_of_service", who="claude", kind="credentials")]
    parts += [notice("note_spoken_by", who="spare"), notice("note_masked", n=1, kinds=["aws-key"])]
    note = as_column(notice("notes", parts=parts))
    steps = (
        make_step("critique/1/claude", note=note),
        make_step("critique/2/claude", note=note),
        make_step("critique/1/ruff", note="repaired"),
    )
    told = all_words(make_report(verdict=Verdict.APPROVED, steps=steps).warnings)
    assert told.count("claude could not be used: spare spoke in its place") == 1
    assert sum("spoke in its place" in text for text in told) == 1
