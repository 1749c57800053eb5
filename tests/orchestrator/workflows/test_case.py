"""The clinical critic with tools and models that do as a test says: the graph, and what comes of it."""

from collections import Counter

from orchestrator.core.replay.commands import ToolRun, Turn
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.outcomes import Ending, Verdict
from shared.models.steps import StepResult
from tests.support.case_cast import (
    MENTIONS,
    THE_LENSES,
    CaseCast,
    hold_case,
    reply,
    submitted_case,
)
from tests.support.debates import fail, member


def test_the_nodes_follow_one_another_as_the_design_has_them():
    _, run = hold_case(submitted_case())
    assert run.phases[:6] == [
        "chart_structurer",
        "evidence",
        "diagnosis_treatment",
        "evidence_2nd",
        "intervention_checker",
        "critic",
    ]


def test_both_analyses_and_the_preprocessing_run_side_by_side():
    _, run = hold_case(submitted_case())
    assert ("diagnosis", "treatment") in run.stages
    assert ("preprocess.timeline", "preprocess.evidence", "preprocess.record_gaps") in run.stages


def test_a_chart_that_cannot_be_structured_is_inconclusive_and_says_so():
    class Unreadable(CaseCast):
        def tool(self, step):
            return fail() if step.tool == "chart.structure" else super().tool(step)

    outcome, run = hold_case(submitted_case(), Unreadable())
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)
    assert list(run.steps) == ["chart_structurer"]


def test_without_a_model_the_lenses_find_and_what_takes_judgement_is_left_out_by_name():
    outcome, _ = hold_case(submitted_case())
    assert (outcome.verdict, outcome.ending) == (Verdict.NEEDS_FIX, Ending.CONVERGED)
    assert [(each.severity, each.raised_by) for each in outcome.findings] == [
        ("CRITICAL", ("lenses",)),
        ("MAJOR", ("lenses",)),
    ]
    codes = {abstention["why"]["code"] for abstention in outcome.detail["abstentions"]}
    assert {"case_no_analyst", "case_no_critic", "case_no_verifier"} <= codes


def test_what_the_input_states_beside_its_text_and_the_text_denies_is_told():
    class Stated(CaseCast):
        def tool(self, step: ToolRun) -> StepResult:
            if step.tool != "chart.structure":
                return super().tool(step)
            patient = {"sex": "female", "birth_date": "1950-03-04"}
            return reply(step, language="en", patient=patient, mentions=MENTIONS)

    def told(**fields: str) -> list[str]:
        outcome, _ = hold_case(submitted_case(case=fields), Stated())
        return [each.code for each in outcome.warnings if each.code.endswith("_differs")]

    assert told(sex="male", birth_date="1951-03-04") == [
        "case_birth_date_differs",
        "case_sex_differs",
    ]
    assert told(sex="female", birth_date="1950") == []
    assert told() == []


def test_every_fact_that_a_case_writes_is_one_that_its_description_names():
    _, run = hold_case(submitted_case())
    assert {type(record) for record in run.records.values()} <= {*WORKFLOWS["case"].records}


def test_the_expected_calls_hold_those_that_a_run_makes():
    ann, ada = member("ann"), member("ada")
    options = CaseOptions(router="llm", analyst=ann, verifier=ann)
    run = submitted_case(options, critics=(ada, THE_LENSES))
    calls = WORKFLOWS["case"].calls_of(run.spec, 500)
    assert calls is not None
    _, simulated = hold_case(run)
    made = Counter(step.role for step in simulated.commands.values() if isinstance(step, Turn))
    assert made <= Counter(call.role for call in calls)
    assert Counter(call.role for call in calls if call.certain) <= made
    assert WORKFLOWS["case"].calls_of(submitted_case().spec, 500) == ()
