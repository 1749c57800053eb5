"""The graph's state becomes what the critic's tools look at, and what they answer comes back into the result."""

from orchestrator.core.replay.commands import ToolRun
from orchestrator.workflows.case.mappings import (
    agent_state_to_clean_updates,
    clean_state_to_agent_state,
)
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.case.state import GraphState, Preprocessing
from shared.models.case import (
    CaseEvidence,
    CoverageItem,
    EvidenceQuery,
    EvidenceSpans,
    InterventionCoverage,
    LensResult,
    RecordGap,
    RecordGaps,
    Score,
    StructuredChart,
    Timeline,
    TimelineEvent,
)
from shared.models.notices import notice
from shared.models.steps import StepResult
from tests.support.case_cast import CaseCast, hold_case, reply, result_of, submitted_case
from tests.support.case_reports import chart_span

HASH = "a" * 64
SPAN = chart_span("confusion")
CLEAN = GraphState(
    StructuredChart(language="ko"),
    evidence=CaseEvidence(queries=(EvidenceQuery(text="sepsis"),)),
    coverage=InterventionCoverage(items=(CoverageItem(concept="asthma", status="open"),)),
    preprocessing=Preprocessing(
        timeline=Timeline(events=(TimelineEvent(span=SPAN, kind="onset"),)),
        evidence=EvidenceSpans(spans=(SPAN,)),
        gaps=RecordGaps(gaps=(RecordGap(what="age", message=notice("x")),)),
    ),
)


def test_the_critics_tools_look_at_the_case_and_at_all_that_was_read_out_of_its_chart():
    agent = clean_state_to_agent_state(CLEAN, HASH, 5)
    assert (agent.subject, agent.neighbours) == (HASH, 5)
    assert (agent.chart, agent.coverage) == (CLEAN.chart, CLEAN.coverage)
    done = CLEAN.preprocessing
    assert (agent.timeline, agent.evidence, agent.gaps) == (
        done.timeline,
        done.evidence,
        done.gaps,
    )


def test_an_agent_state_can_be_stored_and_read_again():
    agent = clean_state_to_agent_state(CLEAN, HASH, 3)
    assert type(agent).model_validate_json(agent.model_dump_json()) == agent


def test_comparisons_with_other_cases_come_back_apart_from_lenses():
    lens, behavior = LensResult(scores=(Score(name="news2", points=3),)), LensResult()
    updates = agent_state_to_clean_updates({"behavior_x": behavior, "lens_x": lens})
    assert updates.lens_results == {"lens_x": lens}
    assert updates.behavior_results == {"behavior_x": behavior}


def test_a_run_gives_its_tools_the_one_and_has_the_other_in_its_result():
    class Scoring(CaseCast):
        def tool(self, step: ToolRun) -> StepResult:
            if step.role == "lens":
                return reply(step, scores=[{"name": step.tool, "points": 1}])
            return super().tool(step)

    run_of = submitted_case(CaseOptions(neighbours=7))
    outcome, run = hold_case(run_of, Scoring())
    tools = {key: step for key, step in run.commands.items() if step.role == "lens"}
    for step in tools.values():
        assert isinstance(step, ToolRun)
        given = step.inputs().model_dump(mode="json")
        assert (given["subject"], given["neighbours"]) == (run_of.spec.subject, 7)
    result = result_of(outcome)
    assert tools
    assert tools.keys() == {*result.lens_results, *result.behavior_results}
    assert all(name.startswith("behavior_") for name in result.behavior_results)
