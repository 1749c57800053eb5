"""What the chart calls for and no tool looked at lowers the confidence, is named, and is looked at next."""

from typing import Any, ClassVar

from orchestrator.core.replay.commands import Turn
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.case.result import ConfidencePart
from shared.models.outcomes import Ending, Verdict
from shared.models.steps import StepResult
from tests.support.case_cast import (
    MEASURED,
    CaseCast,
    by_tool,
    hold_case,
    lens_point,
    reflection,
    reply,
    result_of,
    span,
    submitted_case,
)
from tests.support.debates import fail, member
from tests.support.simulator import Simulation

ANN = member("ann")
SEVERITY, MONITORING = "lens_severity_risk", "lens_monitoring_response"


def tools_part(run: Simulation, iteration: int = 1) -> ConfidencePart:
    return {part.name: part for part in reflection(run, iteration).confidence.parts}["tools"]


class Clean(CaseCast):
    lenses: ClassVar[Any] = {}


class DrugChart(CaseCast):
    """Of drugs mostly; one value is far outside its range."""

    lenses: ClassVar[Any] = {SEVERITY: (lens_point("critical_value", "BP 80/40", "CRITICAL"),)}

    def tool(self, step: Any) -> StepResult:
        if step.tool != "chart.structure":
            return super().tool(step)
        drugs = [
            {"span": span(words), "kind": "drug", "concept": words, "division": "subjective"}
            for words in ("Amoxicillin", "fever", "Sepsis", "Kim")
        ]
        return reply(step, language="en", mentions=drugs, measurements=MEASURED)


def test_a_tool_for_what_is_grave_runs_before_those_that_more_of_the_chart_speaks_for():
    _, run = hold_case(submitted_case(CaseOptions(max_tools=1, max_iterations=1)), DrugChart())
    choice = by_tool(run)[SEVERITY]
    assert choice.run
    assert "far outside" in ENGLISH.translate(choice.reason)


def test_a_confidence_is_not_full_while_what_the_chart_calls_for_was_not_looked_at():
    options = CaseOptions(max_tools=1, max_iterations=1)
    outcome, run = hold_case(submitted_case(options), Clean())
    assert reflection(run, 1).confidence.value <= 0.8
    assert (tools_part(run).count, tools_part(run).total) == (1, 3)
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.EXHAUSTED)
    unlooked = [
        each for each in result_of(outcome).abstentions if each.why.code == "case_tool_unrun"
    ]
    assert len(unlooked) == 2
    assert all("--max-tools" in ENGLISH.translate(each.why) for each in unlooked)


def test_further_iterations_look_at_what_the_first_had_no_room_for():
    outcome, run = hold_case(submitted_case(CaseOptions(max_tools=1)), Clean())
    assert [tools_part(run, number).count for number in (1, 2, 3)] == [1, 2, 3]
    assert outcome.ending is Ending.CONVERGED
    assert "case_tool_unrun" not in {each.why.code for each in result_of(outcome).abstentions}


def test_what_a_router_passes_over_is_filled_up_by_rules_in_the_next_iteration():
    options = CaseOptions(router="llm", analyst=ANN)
    _, run = hold_case(submitted_case(options), Clean())
    assert [name for name, choice in by_tool(run).items() if choice.run] == [SEVERITY]
    later = by_tool(run, "iteration2/router")
    assert later[MONITORING].run
    assert later[MONITORING].reason.code == "case_card_fits"


def test_a_tool_that_failed_has_not_looked():
    class Broken(Clean):
        def tool(self, step: Any) -> StepResult:
            return fail() if step.tool == SEVERITY else super().tool(step)

    outcome, run = hold_case(submitted_case(), Broken())
    assert tools_part(run).count == 2
    assert outcome.verdict is Verdict.INCONCLUSIVE


def test_a_chart_that_calls_for_no_tool_has_nothing_to_measure_them_by():
    class Reading(Clean):
        def tool(self, step: Any) -> StepResult:
            return (
                reply(step, language="en") if step.tool == "chart.structure" else super().tool(step)
            )

        def critique(self, step: Turn) -> StepResult:
            return reply(step, analysis="nothing to add")

    _, run = hold_case(submitted_case(critics=(ANN,)), Reading())
    assert tools_part(run).value is None
    assert reflection(run, 1).confidence.value > 0.8
