"""What nobody judged is not approved: tools that abstain or fail, and a chart in which nothing was recognised."""

from typing import Any, ClassVar

import pytest

from orchestrator.core.cycle_names import cycle_at
from orchestrator.core.findings.verdict import GateOutcome, gate_of
from orchestrator.core.replay.commands import RoundRecord, ToolRun, Turn
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.findings import FindingStatus
from shared.models.outcomes import Ending, Verdict
from shared.models.steps import StepResult
from tests.support.case_cast import (
    THE_LENSES,
    Agreeing,
    CaseCast,
    hold_case,
    lens_point,
    reflection,
    reply,
    result_of,
    stances,
    submitted_case,
)
from tests.support.debates import fail, member

ADA, BOB, CID = member("ada"), member("bob"), member("cid")
PANEL = (ADA, BOB, CID, THE_LENSES)


class Abstaining(CaseCast):
    """Every lens says that it has no words for the chart's language."""

    def tool(self, step: ToolRun) -> StepResult:
        if step.role != "lens":
            return super().tool(step)
        why = {"code": "lens_consistency_other_language", "params": {"language": "fr"}}
        return reply(step, abstains=[why], looked=False)


class Failing(CaseCast):
    """No lens answers."""

    def tool(self, step: ToolRun) -> StepResult:
        return fail() if step.role == "lens" else super().tool(step)


class Blank(CaseCast):
    """Nothing is recognised in the chart."""

    def tool(self, step: ToolRun) -> StepResult:
        return reply(step, language="en") if step.tool == "chart.structure" else super().tool(step)


@pytest.mark.parametrize(
    ("cast", "why"),
    [
        (Abstaining, "case_not_judged"),
        (Failing, "case_not_judged"),
        (Blank, "case_nothing_recognised"),
    ],
)
def test_a_chart_that_nobody_could_judge_is_inconclusive_without_confidence(
    cast: type[CaseCast], why: str
):
    class Nothing(cast):  # type: ignore[misc, valid-type]
        lenses: ClassVar[Any] = {}

    run = submitted_case(CaseOptions(fail_on="CRITICAL"))
    outcome, _ = hold_case(run, Nothing())
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)
    confidence = result_of(outcome).confidence
    assert confidence is not None
    assert (confidence.value, confidence.basis) == (0.0, "nobody")
    assert outcome.summary is not None
    assert outcome.summary.code == why
    rule = WORKFLOWS["case"].gate_of(run.spec)
    told = gate_of(rule, outcome.findings, outcome.ending, outcome.result)
    assert told.outcome is GateOutcome.INCONCLUSIVE


def test_critics_that_read_a_chart_judge_it_although_no_tool_knows_its_language():
    outcome, _ = hold_case(submitted_case(critics=PANEL), Abstaining())
    assert (outcome.verdict, outcome.ending) == (Verdict.APPROVED, Ending.CONVERGED)


def test_an_abstention_from_everything_counts_as_no_answer_and_one_from_a_part_as_an_answer():
    class Partly(CaseCast):
        def tool(self, step: ToolRun) -> StepResult:
            if step.tool == "lens_severity_risk":
                return reply(step, abstains=[{"code": "lens_support_not_judged", "params": {}}])
            return super().tool(step)

    def unanswered(cast: CaseCast) -> int:
        outcome, run = hold_case(submitted_case(), cast)
        part = {each.name: each for each in reflection(run, 1).confidence.parts}["answers"]
        states = [entry.state for entry in result_of(outcome).trace if entry.step]
        assert part.total is not None
        assert part.count is not None
        assert states.count("abstained") == part.total - part.count
        return part.total - part.count

    assert unanswered(Partly()) == 0
    lenses = [
        key for key, step in hold_case(submitted_case())[1].commands.items() if step.role == "lens"
    ]
    assert unanswered(Abstaining()) == len(lenses)


def test_without_a_reader_the_confidence_says_that_it_is_one_in_what_was_computed():
    alone, _ = hold_case(submitted_case())
    read, _ = hold_case(submitted_case(critics=(ADA, THE_LENSES)), Agreeing())
    told = []
    for outcome in (alone, read):
        confidence = result_of(outcome).confidence
        assert confidence is not None
        assert outcome.summary is not None
        told.append((confidence.basis, outcome.summary.code))
    assert told == [("lenses", "case_summary_computed"), ("critics", "case_summary")]
    assert "no model read the chart" in ENGLISH.translate(alone.summary)


# ---- critics that say nothing of what lenses found -------------------------------------------------


class OneMajor(CaseCast):
    """A lens finds one grave thing; the critics write an empty critique."""

    lenses = {"lens_severity_risk": (lens_point("value_out_of_range", "BP 80/40"),)}  # noqa: RUF012

    def critique(self, step: Turn) -> StepResult:
        return reply(step, critique_points=[])


def test_what_a_lens_found_and_nobody_contests_stands_and_is_no_open_question():
    outcome, run = hold_case(submitted_case(critics=PANEL), OneMajor())
    assert [each.status for each in outcome.findings] == [FindingStatus.ACCEPTED]
    assert outcome.verdict is Verdict.NEEDS_FIX
    record = run.records["round/1"]
    assert isinstance(record, RoundRecord)
    assert record.assessment.open_findings == ()
    assert record.assessment.reason is not None
    assert record.assessment.reason.code == "case_nobody_denies"


def test_what_a_lens_found_and_a_critic_denies_is_open():
    class Denying(OneMajor):
        def critique(self, step: Turn) -> StepResult:
            denial = {**stances("disagree", "F1")[0], "reason": 'It is "BP 80/40" on purpose'}
            return reply(step, critique_points=[], stances=[denial])

    outcome, run = hold_case(submitted_case(critics=PANEL), Denying())
    record = run.records["round/1"]
    assert isinstance(record, RoundRecord)
    assert record.assessment.open_findings == ("F1",)
    assert [each.status for each in outcome.findings] == [FindingStatus.CONTESTED]


@pytest.mark.parametrize(("severity", "counted"), [("MAJOR", 3), ("MINOR", None)])
def test_silence_counts_against_what_lenses_found_where_it_is_grave(
    severity: str, counted: int | None
):
    class Found(OneMajor):
        lenses = {  # noqa: RUF012
            "lens_severity_risk": (lens_point("value_out_of_range", "BP 80/40", severity),)
        }

    _, run = hold_case(submitted_case(critics=PANEL), Found())
    part = {each.name: each for each in reflection(run, 1).confidence.parts}["agreement"]
    assert part.total == counted
    assert part.value == (0.0 if counted else None)


# ---- later iterations ------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "ko"])
def test_later_iterations_have_a_name_and_rounds_name_findings_as_the_run_does(language: str):
    _, run = hold_case(submitted_case(critics=PANEL), OneMajor())
    later = {cycle_at(key) for key in run.commands} - {("", 1)}
    assert later
    for cycle in later:
        assert str(cycle.number) in Translator(language).message(
            f"cycle_{cycle.kind}", n=cycle.number
        )
    rounds = [key for key, record in run.records.items() if isinstance(record, RoundRecord)]
    assert len(rounds) > 1
    assert not any(cycle_at(key).prefix for key in rounds)
