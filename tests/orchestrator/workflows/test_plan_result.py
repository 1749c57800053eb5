"""What a debated plan ends with: the decision and its bound, synthesis, receipt, and what counts as a reply."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.findings import Severity
from shared.models.outcomes import Ending
from shared.models.planning import Challenge, CrossReview, Defense
from shared.models.run import DecisionPolicy
from shared.models.steps import StepResult
from tests.support.debates import (
    Script,
    decides,
    fail,
    give,
    hold,
    nobody,
    shown,
    submitted,
)
from tests.support.notices import all_words
from tests.support.plan_cast import NO_WAY_BACK, PLAN, PlanCast, stance
from tests.support.simulator import Simulation


def held(script: Script, *answers: str, **options: Any) -> tuple[Outcome, Simulation]:
    return hold(submitted(PlanOptions(**options)), script, decides(*answers or ("accept",)))


# ---- the decision -------------------------------------------------------------------------------


def test_revise_goes_back_to_planning_with_the_synthesis_and_the_persons_words():
    run = submitted(PlanOptions())
    outcome, simulation = hold(
        run, PlanCast(), decides("revise", "accept", message="keep it short")
    )
    assert simulation.phases.count("Planning") == 2
    text = shown(simulation.commands["plan/2/author"])
    assert "A way back is missing." in text
    assert "keep it short" in text
    assert "No way back is described" in text
    assert outcome.detail["plan"] == PLAN.format(2)
    assert [one["number"] for one in outcome.detail["revisions"]] == [1, 2]
    assert [finding.id for finding in outcome.findings] == ["F1", "R2F1"]
    assert outcome.detail["standing"] == ["R2F1"]


def test_accept_keeps_the_plan_as_it_is():
    outcome, _ = held(PlanCast(), "accept")
    assert outcome.detail["plan"] == PLAN.format(1)
    assert outcome.detail["accepted"] is True
    assert outcome.detail["feedback"]["revised_plan"] == "# Plan with a way back"


@pytest.mark.parametrize("limit", [0, 1, 2, 4])
def test_revisions_are_bounded_and_the_last_one_is_not_taken_for_accepted(limit):
    outcome, run = held(PlanCast(), "revise", max_revisions=limit)
    assert len(outcome.detail["revisions"]) == limit + 1
    assert len(run.answers) == limit
    assert outcome.detail["accepted"] is False
    assert any("limit of" in warning for warning in all_words(outcome.warnings))


class Stubborn(PlanCast):
    def plan(self, step: Turn) -> StepResult:
        return give(step, plan=PLAN.format(1))


def test_a_plan_that_came_back_unchanged_can_still_be_accepted():
    outcome, simulation = held(Stubborn(), "revise", "accept")
    assert len(outcome.detail["revisions"]) == 1
    assert any("same plan" in warning for warning in all_words(outcome.warnings))
    assert outcome.detail["accepted"] is True
    assert simulation.questions["decision/2"].question.kind == "plan_again"


def test_a_plan_that_came_back_unchanged_is_revised_again_as_often_as_it_may_be():
    outcome, simulation = held(Stubborn(), "revise", max_revisions=2)
    assert {"plan/2/author", "plan/2/2/author"} <= set(simulation.commands)
    assert "plan/2/3/author" not in simulation.commands
    assert outcome.detail["accepted"] is False
    assert "the limit of revisions (2) is reached" in all_words(outcome.warnings)


def test_a_run_of_the_first_version_ends_with_a_plan_that_came_back_unchanged():
    spec = submitted(PlanOptions())
    earlier = replace(spec, spec=spec.spec.model_copy(update={"workflow_version": 1}))
    outcome, simulation = hold(earlier, Stubborn(), decides("revise", "accept"))
    assert list(simulation.questions) == ["decision"]
    assert outcome.detail["accepted"] is False


def test_a_revision_that_does_not_come_leaves_the_plan_as_it_was():
    class Tired(PlanCast):
        def plan(self, step: Turn) -> StepResult:
            return fail() if step.round == 2 else super().plan(step)

    outcome, _ = held(Tired(), "revise")
    assert outcome.detail["plan"] == PLAN.format(1)
    assert "the plan stays as it was" in all_words(outcome.warnings)


@pytest.mark.parametrize(
    ("mode", "versions", "accepted"),
    [("accept", 1, True), ("skip", 1, True), ("revise", 3, False), ("apply_fix", 3, False)],
)
def test_a_policy_answers_in_the_reviews_words_or_in_its_own(mode, versions, accepted):
    run = submitted(PlanOptions(), decision=DecisionPolicy(mode=mode))
    outcome, _ = hold(run, PlanCast(), nobody)
    assert len(outcome.detail["revisions"]) == versions
    assert outcome.detail["accepted"] is accepted


@pytest.mark.parametrize(
    ("on_timeout", "taken"), [("skip", "accept"), ("revise", "revise"), ("whatever", "accept")]
)
def test_silence_accepts_unless_it_is_told_to_revise(on_timeout, taken):
    run = submitted(PlanOptions(), decision=DecisionPolicy(on_timeout=on_timeout))
    _, simulation = hold(run, PlanCast(), decides("accept"))
    question = simulation.questions["decision"].question
    assert question.options == ("revise", "accept")
    assert question.on_timeout == taken


def test_the_person_sees_plan_rounds_feedback_synthesis_and_figures():
    _, simulation = held(PlanCast())
    seen = simulation.questions["decision"].question.shown
    assert seen["plan"] == PLAN.format(1)
    assert [one["role"] for one in seen["rounds"]][2:5] == ["challenge", "defense", "challenge"]
    assert seen["feedback"]["conceded_points"] == ["F1"]
    assert seen["synthesis"]["summary"] == "A way back is missing."
    assert seen["convergence"]["ending"] == "converged"


# ---- synthesis, plan, receipt -------------------------------------------------------------------


def test_when_the_chair_fails_the_rounds_stand_as_they_were():
    class NoChair(PlanCast):
        def synthesis(self, step: Turn) -> StepResult:
            return fail()

    outcome, simulation = held(NoChair())
    assert outcome.detail["synthesised_by"] == "fallback"
    asked = simulation.questions["decision"].question.shown
    assert asked["synthesised_by"] == "fallback"  # so that the question does not repeat all rounds
    assert "No way back is described" in outcome.summary
    assert any("could not synthesise" in warning for warning in all_words(outcome.warnings))


@pytest.mark.parametrize(("score", "kept"), [(0.9, 0.9), (1.4, None), (-1, None), ("90%", 0.9)])
def test_the_chairs_score_is_shown_when_it_is_one_and_decides_nothing(score, kept):
    class Scored(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            return fail() if step.participant.name != "ada" else super().challenge(step)

        def synthesis(self, step: Turn) -> StepResult:
            return give(step, summary="all agree", convergence_score=score)

    outcome, _ = held(Scored(), quorum=1, rounds=1)
    assert outcome.detail["synthesis"]["convergence_score"] == kept
    assert outcome.ending is not Ending.CONVERGED


def test_a_plan_that_is_given_is_debated_as_it_is():
    run = submitted(PlanOptions(given=True), text="1. stop\n2. copy\n3. start")
    outcome, simulation = hold(run, PlanCast(), decides("accept"))
    assert simulation.stages[0][0].startswith("challenge/1/")
    assert outcome.detail["plan"] == "1. stop\n2. copy\n3. start"
    assert outcome.detail["plan_by"] is None


def test_the_receipt_shows_first_votes_changes_of_mind_their_evidence_and_price():
    class Swayed(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            if step.round == 1:
                return give(step, verdict="REVISE", findings=[NO_WAY_BACK], cost_usd=0.5)
            said = stance("disagree", "F1", reason="the old server stays up")
            quote = {"ada": "the old server stays up", "bob": "as the moon landing showed"}
            said[0]["quote"] = quote.get(step.participant.name)
            return give(step, verdict="ACCEPT", stances=said, cost_usd=0.5)

        def defense(self, step: Turn) -> StepResult:
            reason = "the old server stays up"
            return give(step, stances=stance("disagree", "F1", reason=reason), cost_usd=0.5)

    receipt = held(Swayed())[0].detail["receipt"]
    assert receipt["first_votes"] == dict.fromkeys(("ada", "bob", "cyd"), "REVISE")
    assert receipt["last_votes"] == dict.fromkeys(("ada", "bob", "cyd"), "ACCEPT")
    evidence = {one["participant"]: one["evidence"] for one in receipt["changes"]}
    assert evidence == {"ada": "quoted", "bob": "quote_not_found", "cyd": "reasoned"}
    assert receipt["changed_findings"] == 1
    assert receipt["cost_per_changed_finding"] == 2.0


def test_a_cost_that_is_not_known_stays_unknown():
    outcome, _ = held(PlanCast())
    assert outcome.detail["usage"]["cost_usd"] is None
    assert outcome.detail["receipt"]["cost_per_changed_finding"] is None


def test_feedback_holds_the_sections_of_the_design_each_entry_once():
    class Sections(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            if step.round > 1:
                return super().challenge(step)
            return give(
                step,
                verdict="REVISE",
                findings=[NO_WAY_BACK],
                security_risks=[
                    {"description": "the copy is not encrypted", "severity": "critical"}
                ],
                edge_cases=["an order at midnight"],
                scalability_concerns=["one table is huge"],
                maintenance_burden=["two servers for a while"],
            )

    feedback = held(Sections())[0].detail["feedback"]
    assert feedback["security_risks"] == [
        {"description": "the copy is not encrypted", "severity": "CRITICAL"}
    ]
    assert feedback["edge_cases"] == ["an order at midnight"]
    assert feedback["scalability_concerns"] == ["one table is huge"]
    assert feedback["maintenance_burden"] == ["two servers for a while"]


# ---- replies ------------------------------------------------------------------------------------


def test_objections_that_stand_in_sections_only_are_findings_too():
    said = Challenge.model_validate(
        {
            "verdict": "REVISE",
            "security_risks": [{"description": "no encryption", "severity": "CRITICAL"}],
            "edge_cases": ["midnight"],
        }
    )
    assert [(one.title, one.severity) for one in said.raised()] == [
        ("no encryption", Severity.CRITICAL),
        ("midnight", Severity.MINOR),
    ]


def test_a_disputed_claim_of_a_cross_review_keeps_its_explanation():
    claim = {"claim": "a replica is free", "explanation": "it is not", "alternative": "a dump"}
    said = CrossReview.model_validate({"verdict": "REVISE", "points_of_disagreement": [claim]})
    (raised,) = said.raised()
    assert (raised.title, raised.detail, raised.suggestion) == (
        "a replica is free",
        "it is not",
        "a dump",
    )


def test_who_wants_a_revision_has_to_say_why():
    with pytest.raises(ValidationError, match="REVISE needs"):
        Challenge.model_validate({"verdict": "REVISE", "summary": "I do not like it"})
    with pytest.raises(ValidationError, match="an answer needs"):
        Defense.model_validate({})
