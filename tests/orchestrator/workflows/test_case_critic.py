"""The critic of a case: its router within budgets, and what its lenses and critics are worth together."""

from pathlib import Path

import pytest

from orchestrator.core.replay.commands import ToolRun, Turn
from orchestrator.settings.loading import load_configuration
from orchestrator.settings.options import workflow_options
from orchestrator.workflows.case.options import CaseOptions
from shared.models.findings import FindingStatus
from shared.models.steps import StepResult
from tests.support.case_cast import (
    THE_LENSES,
    Agreeing,
    CaseCast,
    by_tool,
    hold_case,
    reply,
    result_of,
    sha,
    submitted_case,
)
from tests.support.debates import member, shown

ADA, BOB, ANN = member("ada"), member("bob"), member("ann")
PAIR = (ADA, BOB, THE_LENSES)
SHOCK = "BP 80/40"


# ---- the router ---------------------------------------------------------------------------------


def test_the_heuristic_says_of_every_card_why_it_was_picked_or_not():
    _, run = hold_case(submitted_case())
    choices = by_tool(run)
    assert set(choices) >= {"lens_severity_risk", "behavior_topk_direct_compare"}
    assert choices["lens_severity_risk"].run
    assert choices["lens_severity_risk"].reason.code == "case_card_fits"
    assert not choices["behavior_topk_direct_compare"].run
    assert choices["behavior_topk_direct_compare"].reason.code == "case_card_unrelated"


def test_similar_cases_call_for_their_comparison():
    similar = [{"name": "similar/1", "text": sha("another")}]
    run = hold_case(submitted_case(case={"similar": similar}, texts=("another",)))[1]
    assert by_tool(run)["behavior_topk_direct_compare"].run


@pytest.mark.parametrize("most", [1, 2, 3])
def test_no_more_tools_run_in_an_iteration_than_the_budget_allows(most: int):
    _, run = hold_case(submitted_case(CaseOptions(max_tools=most, max_iterations=1)))
    lenses = [step for step in run.commands.values() if step.role == "lens"]
    assert len(lenses) == most
    reasons = [choice.reason.code for choice in by_tool(run).values()]
    assert reasons.count("case_card_budget") == 3 - most


def test_a_picked_tool_is_the_one_that_the_chart_calls_for_most():
    class Quiet(CaseCast):
        def tool(self, step: ToolRun) -> StepResult:
            if step.tool != "chart.structure":
                return super().tool(step)
            mention = {
                "span": {"start": 0, "end": 10, "line": 1, "text": "Subjective"},
                "kind": "drug",
                "concept": "metformin",
                "division": "subjective",
            }
            return reply(step, language="en", mentions=[mention])

    _, run = hold_case(submitted_case(CaseOptions(max_tools=1, max_iterations=1)), Quiet())
    assert by_tool(run)["lens_monitoring_response"].run


def test_the_analyst_picks_the_tools_where_it_is_the_router_and_gives_its_reasons():
    options = CaseOptions(router="llm", analyst=ANN)
    _, run = hold_case(submitted_case(options))
    choices = by_tool(run)
    assert [name for name, choice in choices.items() if choice.run] == ["lens_severity_risk"]
    assert choices["lens_severity_risk"].reason.params["text"] == "the pressure is low"
    assert choices["lens_monitoring_response"].reason.code == "case_card_unnamed"


def test_a_router_that_names_no_tool_gives_way_to_the_rules_and_that_is_told():
    class Nonsense(CaseCast):
        def routing(self, step: Turn) -> StepResult:
            return reply(step, tools=[{"tool": "ct_scan", "run": True}])

    outcome, run = hold_case(submitted_case(CaseOptions(router="llm", analyst=ANN)), Nonsense())
    assert run.records["router"].routing.by == "heuristic"  # type: ignore[attr-defined]
    assert "case_router_fell_back" in {each.code for each in outcome.warnings}


def test_without_an_analyst_the_llm_router_is_left_out_by_name():
    outcome, run = hold_case(submitted_case(CaseOptions(router="llm")))
    assert by_tool(run)["lens_severity_risk"].run
    assert "case_router_nobody" in {each.why.code for each in result_of(outcome).abstentions}


@pytest.mark.parametrize(("switch", "router"), [("1", "llm"), ("0", "heuristic"), ("llm", "llm")])
def test_the_variable_of_the_design_switches_the_router(switch: str, router: str):
    assert CaseOptions.model_validate({"router": switch}).router == router


def test_the_variable_reaches_the_options_of_a_run(tmp_path: Path):
    environ = {"HOME": str(tmp_path), "CARE_CRITIC_ROUTER_LLM": "1"}
    settings = load_configuration(tmp_path, environ, workflow="case").settings
    assert workflow_options("case", settings).router == "llm"


# ---- critics ------------------------------------------------------------------------------------


def test_all_critics_speak_at_once_and_see_the_lenses_points_with_their_names():
    _, run = hold_case(submitted_case(critics=PAIR), Agreeing())
    assert ("critique/1/ada", "critique/1/bob") in run.stages
    text = shown(run.commands["critique/1/ada"])
    assert "F1 [CRITICAL]" in text
    assert "result of lens_severity_risk" in text
    assert "E2" in text


def test_points_of_several_critics_about_one_place_are_one_finding():
    class Alike(CaseCast):
        def critique(self, step: Turn) -> StepResult:
            point = {"point": "Her heart rate of 128 is not explained", "spans": ["E2"]}
            return reply(step, critique_points=[{**point, "severity": "MAJOR", "quote": "HR 128"}])

    outcome, _ = hold_case(submitted_case(CaseOptions(max_iterations=1), critics=PAIR), Alike())
    own = [each for each in outcome.findings if "ada" in each.raised_by]
    assert [(each.raised_by, each.status) for each in own] == [
        (("ada", "bob"), FindingStatus.ACCEPTED)
    ]
    assert own[0].quote == "HR 128"


@pytest.mark.parametrize(
    "astray",
    [{"quote": "BP 60/30"}, {"spans": ["E99"]}, {"spans": ["E2", "E99"]}],
)
def test_a_point_whose_quotation_or_span_does_not_exist_counts_for_nothing_and_is_told(astray):
    class Inventing(CaseCast):
        def critique(self, step: Turn) -> StepResult:
            point = {"point": "The patient died", "severity": "CRITICAL", **astray}
            return reply(step, critique_points=[point])

    run = submitted_case(CaseOptions(max_iterations=1), critics=(ADA, THE_LENSES))
    outcome, _ = hold_case(run, Inventing())
    (invented,) = [each for each in outcome.findings if each.title == "The patient died"]
    assert invented.severity == "INFO"
    assert invented.caveat is not None
    assert invented.id not in {entry.finding for entry in result_of(outcome).critique}


def test_a_quotation_is_found_whatever_its_spacing_and_case():
    class Loose(CaseCast):
        def critique(self, step: Turn) -> StepResult:
            point = {"point": "Fever", "quote": "has  had a FEVER\nfor 3 days"}
            return reply(step, critique_points=[point])

    run = submitted_case(CaseOptions(max_iterations=1), critics=(ADA, THE_LENSES))
    outcome, _ = hold_case(run, Loose())
    (entry,) = [each for each in result_of(outcome).critique if each.by == ("ada",)]
    assert entry.spans[0].text == "has had a fever for 3 days"
    assert entry.spans[0].line == 2


def test_a_denied_point_of_a_lens_is_contested_and_one_that_nobody_denies_stands():
    class Denying(CaseCast):
        def critique(self, step: Turn) -> StepResult:
            denial = {
                "finding": "F2",
                "position": "disagree",
                "reason": "she tolerated it before",
                "quote": "Amoxicillin 500 mg three times a day",
            }
            return reply(step, stances=[denial])

    run = submitted_case(CaseOptions(max_iterations=1), critics=(ADA, THE_LENSES))
    outcome, _ = hold_case(run, Denying())
    assert [each.status for each in outcome.findings] == [
        FindingStatus.ACCEPTED,
        FindingStatus.CONTESTED,
    ]


def test_the_lens_point_is_told_by_its_notice_and_the_critique_names_its_place():
    outcome, _ = hold_case(submitted_case())
    first = result_of(outcome).critique[0]
    assert outcome.findings[0].message is not None
    assert (first.issue.code, first.citation) == ("value_out_of_range", f'chart:5 "{SHOCK}"')
    assert (first.priority, first.lens) == ("high", "lens_severity_risk")
