"""Queries that found too little are asked again in the analyst's words, and are weak only where that failed, too."""

from orchestrator.core.replay.commands import ToolRun, Turn
from orchestrator.workflows.case.options import CaseOptions
from shared.models.steps import StepResult
from tests.support.case_cast import (
    THE_LENSES,
    CaseCast,
    hold_case,
    reply,
    result_of,
    submitted_case,
)
from tests.support.debates import member

ANN = member("ann")


class Weak(CaseCast):
    """`sepsis` and `fever` find nothing; the analyst has other words for both, of which one finds something."""

    good = "septic shock"

    def evidence(self, step: ToolRun) -> StepResult:
        inputs = step.inputs().model_dump(mode="json")
        earlier, asked = inputs["earlier"], inputs["queries"]
        poor = ("sepsis", "fever", "raised temperature")
        return reply(
            step,
            queries=[*earlier["queries"], *asked],
            weak=[*earlier["weak"], *(each["text"] for each in asked if each["text"] in poor)],
        )

    def rewriting(self, step: Turn) -> StepResult:
        return reply(step, queries={"sepsis": self.good, "fever": "raised temperature"})


def test_a_query_that_was_answered_in_other_words_is_not_weak_any_more():
    options = CaseOptions(analyst=ANN)
    outcome, run = hold_case(submitted_case(options, critics=(ANN, THE_LENSES)), Weak())
    again = run.commands["evidence_3rd"]
    assert isinstance(again, ToolRun)
    asked = again.inputs().model_dump(mode="json")["queries"]
    assert {(each["text"], each["attempt"]) for each in asked} == {
        ("septic shock", 2),
        ("raised temperature", 2),
    }
    assert result_of(outcome).evidence.weak == ("fever",)


def test_without_an_analyst_weak_queries_stay_weak_and_that_is_told():
    outcome, _ = hold_case(submitted_case(), Weak())
    assert set(result_of(outcome).evidence.weak) == {"sepsis", "fever"}
    assert "case_queries_not_rewritten" in {
        each.why.code for each in result_of(outcome).abstentions
    }
