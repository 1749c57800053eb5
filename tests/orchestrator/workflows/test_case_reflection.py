"""The critic is run again while it can improve; replies that bring nothing approve nothing."""

from typing import Any, ClassVar

import pytest

from orchestrator.core.replay.commands import ToolRun, Turn
from orchestrator.workflows.case.options import CaseOptions
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.steps import StepResult
from tests.support.case_cast import (
    THE_LENSES,
    Agreeing,
    CaseCast,
    hold_case,
    reflection,
    reply,
    result_of,
    stances,
    submitted_case,
)
from tests.support.debates import fail, member, shown

ADA, BOB, ANN = member("ada"), member("bob"), member("ann")
PAIR = (ADA, BOB, THE_LENSES)
SHOCK = "BP 80/40"


# ---- reflection ---------------------------------------------------------------------------------


def invented(step: Turn) -> StepResult:
    points = [{"point": f"Point {n} of nobody", "quote": f"nothing {n}"} for n in range(6)]
    return reply(step, critique_points=points)


class Improving(Agreeing):
    """Invents at first; told so, it proves its point and takes positions."""

    def critique(self, step: Turn) -> StepResult:
        if not step.key.startswith("iteration2/"):
            return invented(step)
        point = {
            "point": "The fever has no work-up",
            "quote": "fever for 3 days",
            "action": "culture",
        }
        return reply(step, critique_points=[point], stances=stances("agree", "F1", "F2"))


def test_a_critique_that_improves_raises_the_confidence_and_ends_the_loop():
    options = CaseOptions(feedback_rounds=0)
    outcome, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Improving())
    first, second = reflection(run, 1), reflection(run, 2)
    assert first.confidence.value <= 0.8 < second.confidence.value
    assert (first.decision, second.decision) == ("again", "enough")
    assert {each.code for each in first.memory} == {"case_issue_unshown", "case_issue_unheard"}
    assert outcome.ending is Ending.CONVERGED
    text = shown(run.commands["iteration2/critique/1/ada"])
    assert "Point 0 of nobody" in text
    assert "iteration 2" in text
    assert result_of(outcome).iteration == 2


def test_only_the_critic_is_run_again():
    options = CaseOptions(feedback_rounds=0)
    _, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Improving())
    again = {step.role for key, step in run.commands.items() if key.startswith("iteration2/")}
    assert again <= {"critique", "lens"}


@pytest.mark.parametrize(
    ("restart", "node"), [("evidence", "evidence"), ("full", "chart_structurer")]
)
def test_an_iteration_can_begin_with_the_evidence_or_the_chart(restart: str, node: str):
    options = CaseOptions(feedback_rounds=0, restart=restart)
    outcome, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Improving())
    restarted = [key for key in run.steps if key.startswith(f"iteration2/{node}")]
    assert bool(restarted) or restart == "evidence"
    assert "iteration2/diagnosis" in run.steps
    assert outcome.ending is Ending.CONVERGED


def test_a_critique_that_only_repeats_the_first_is_refused_and_ends_the_loop():
    class Parrot(CaseCast):
        def critique(self, step: Turn) -> StepResult:
            return invented(step)

    options = CaseOptions(feedback_rounds=0, max_iterations=5)
    outcome, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Parrot())
    assert reflection(run, 2).decision == "repeats"
    assert outcome.ending is Ending.LOOPING
    ended = result_of(outcome).iterations[-1].ended
    assert ended is not None
    assert ended.code == "case_repeats"


TRUE = (
    ("Nobody looks for the source of the fever", "fever for 3 days"),
    ("The allergy has no reaction described", "allergic to penicillin"),
    ("Tachycardia is left without an electrocardiogram", "HR 128"),
)


def test_the_loop_ends_at_the_last_iteration_however_low_the_confidence_is():
    class Inventive(CaseCast):
        def critique(self, step: Turn) -> StepResult:
            point, quote = TRUE[step.round - 1]
            true = {"point": point, "quote": quote}
            false = [{"point": f"{n} {step.key}", "quote": "nowhere"} for n in range(9)]
            return reply(step, critique_points=[true, *false])

    options = CaseOptions(feedback_rounds=0, max_iterations=3)
    outcome, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Inventive())
    assert reflection(run, 3).decision == "exhausted"
    assert outcome.ending is Ending.EXHAUSTED


def test_a_confidence_above_the_threshold_ends_after_the_first_iteration():
    outcome, run = hold_case(submitted_case(critics=PAIR), Agreeing())
    assert reflection(run, 1).decision == "enough"
    assert (outcome.ending, outcome.verdict) == (Ending.CONVERGED, Verdict.NEEDS_FIX)


# ---- replies that bring nothing -----------------------------------------------------------------


@pytest.mark.parametrize("kind", [FailureKind.UNPARSEABLE, FailureKind.EMPTY, FailureKind.TIMEOUT])
def test_critics_that_all_fail_leave_the_lenses_points_and_approve_nothing(kind: FailureKind):
    class Silent(CaseCast):
        lenses: ClassVar[Any] = {}

        def critique(self, step: Turn) -> StepResult:
            return fail(kind)

    outcome, _ = hold_case(submitted_case(critics=PAIR), Silent())
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)
    missing = [each for each in outcome.warnings if each.code == "case_turn_missing"]
    assert {each.params["who"] for each in missing} == {"ada", "bob"}


def test_a_failed_lens_is_told_and_lowers_the_confidence():
    class Broken(CaseCast):
        def tool(self, step: ToolRun) -> StepResult:
            return fail() if step.tool == "lens_severity_risk" else super().tool(step)

    outcome, run = hold_case(submitted_case(), Broken())
    parts = {part.name: part for part in reflection(run, 1).confidence.parts}
    assert parts["answers"].count == (parts["answers"].total or 0) - 1
    assert "case_tool_failed" in {each.code for each in outcome.warnings}


def test_a_used_up_budget_ends_the_run():
    class Broke(CaseCast):
        def critique(self, step: Turn) -> StepResult:
            return fail(FailureKind.OVER_BUDGET)

    outcome, _ = hold_case(submitted_case(critics=PAIR), Broke())
    assert outcome.ending is Ending.OVER_BUDGET


def test_nothing_found_by_rules_alone_is_checks_passed_and_by_readers_an_approval():
    class Clean(CaseCast):
        lenses: ClassVar[Any] = {}

    assert hold_case(submitted_case(), Clean())[0].verdict is Verdict.CHECKS_PASSED
    outcome, _ = hold_case(submitted_case(critics=PAIR), Clean())
    assert outcome.verdict is Verdict.APPROVED


@pytest.mark.parametrize("order", range(6))
def test_the_order_in_which_steps_end_changes_nothing(order: int):
    options = CaseOptions(analyst=ANN, verifier=ANN)
    run = submitted_case(options, critics=PAIR)
    outcome, _ = hold_case(run, Improving(), order=order)
    expected, _ = hold_case(run, Improving(), order=99)
    assert outcome.findings == expected.findings
    assert outcome.detail == expected.detail
