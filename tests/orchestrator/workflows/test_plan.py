"""The plan workflow with scripted participants: how debates of a plan end, and what the person's answer does."""

from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.core.commands import Outcome, Turn
from orchestrator.core.replay import replay
from orchestrator.workflows import start_workflow
from shared.errors import ConfigurationError
from shared.models.findings import Severity
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.planning import Challenge, CrossReview, Defense
from shared.models.run import DecisionPolicy, PlanOptions
from shared.models.steps import StepResult
from tests.support.debates import (
    Script,
    decides,
    fail,
    give,
    hold,
    member,
    nobody,
    shown,
    submitted,
)
from tests.support.plan_cast import NO_WAY_BACK, PLAN, PlanCast, stance
from tests.support.simulator import Simulation


def held(script: Script, *answers: str, **options: Any) -> tuple[Outcome, Simulation]:
    return hold(submitted(PlanOptions(**options)), script, decides(*answers or ("accept",)))


def by_round(**rounds: str) -> Script:
    """All challenge alike; from the second challenge on they state these positions, r3="disagree" and so on."""

    class Positions(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            said = rounds.get(f"r{step.round}")
            if step.round == 1 or said is None:
                return super().challenge(step)
            return give(
                step, verdict="REVISE", stances=stance(said, "F1", reason=f"round {step.round}")
            )

        def defense(self, step: Turn) -> StepResult:
            reason = f"the shop is closed by then, for the {step.round}. time"
            return give(step, stances=stance("disagree", "F1", reason=reason))

    return Positions()


# ---- endings ------------------------------------------------------------------------------------


def test_a_conceded_objection_converges_and_the_plan_needs_a_fix():
    outcome, run = held(PlanCast())
    assert (outcome.ending, outcome.verdict) == (Ending.CONVERGED, Verdict.NEEDS_FIX)
    assert [finding.title for finding in outcome.findings] == ["No way back is described"]
    assert run.phases == [
        "Planning",
        "Debating",
        "Synthesizing",
        "WaitingForDebateDecision",
        "Executing",
    ]


def test_a_plan_without_objections_converges_and_is_approved():
    class Content(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            return give(step, verdict="ACCEPT", summary="good")

    outcome, _ = held(Content())
    assert (outcome.ending, outcome.verdict) == (Ending.CONVERGED, Verdict.APPROVED)


def test_both_sides_standing_firm_is_a_stalled_debate():
    outcome, _ = held(by_round(r3="agree", r5="agree"), rounds=8)
    assert outcome.ending is Ending.STALLED
    assert outcome.verdict is Verdict.NEEDS_FIX


def test_saying_the_same_again_is_a_looping_debate():
    class Parrots(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            other = {"title": "Nobody is told when the shop closes", "severity": "MINOR"}
            stances = [] if step.round == 1 else stance("abstain", "F1")
            return give(step, verdict="REVISE", findings=[other], stances=stances)

        def defense(self, step: Turn) -> StepResult:
            return give(step, defended_points=[{"point": "F1", "reason": "it is closed"}])

    outcome, _ = held(Parrots(), rounds=9)
    assert outcome.ending is Ending.LOOPING


def test_positions_that_go_there_and_back_are_an_oscillating_debate():
    outcome, _ = held(by_round(r3="disagree", r5="agree"), rounds=9)
    assert outcome.ending is Ending.OSCILLATING


@pytest.mark.parametrize(
    "kind", [FailureKind.TIMEOUT, FailureKind.UNPARSEABLE, FailureKind.EMPTY, FailureKind.REFUSAL]
)
def test_silent_or_unreadable_critics_are_a_degraded_debate_that_approves_nothing(kind):
    class Silent(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            return fail(kind)

    outcome, run = held(Silent())
    assert (outcome.ending, outcome.verdict) == (Ending.DEGRADED, Verdict.INCONCLUSIVE)
    assert "synthesis/chair" not in run.steps
    assert sum("did not answer in round 1 (0/3 did)" in one for one in outcome.warnings) == 3


def test_one_silent_critic_of_three_is_named_and_keeps_agreement_away():
    class OneSilent(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            if step.participant.name == "cyd":
                return fail()
            return give(step, verdict="ACCEPT")

    outcome, _ = held(OneSilent(), rounds=1)
    assert outcome.ending is Ending.EXHAUSTED
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert any(one.startswith("cyd did not answer") for one in outcome.warnings)


def test_a_silent_planner_degrades_the_debate():
    class Mute(PlanCast):
        def defense(self, step: Turn) -> StepResult:
            return fail()

    assert held(Mute())[0].ending is Ending.DEGRADED


def test_a_used_up_budget_ends_the_run_without_asking_anybody():
    class Broke(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            return fail(FailureKind.OVER_BUDGET)

    outcome, run = hold(submitted(PlanOptions()), Broke(), nobody)
    assert outcome.ending is Ending.OVER_BUDGET
    assert outcome.detail["accepted"] is False
    assert run.phases[-1] == "Executing"


def test_without_a_plan_there_is_nothing_to_debate():
    class NoPlanner(PlanCast):
        def plan(self, step: Turn) -> StepResult:
            return fail()

    outcome, run = hold(submitted(PlanOptions()), NoPlanner(), nobody)
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)
    assert run.phases == ["Planning"]
    assert outcome.detail["plan"] is None


def test_analysers_take_no_part_in_the_debate_of_a_plan():
    members = (member("ada"), member("ruff").model_copy(update={"provider": "analyser"}))
    outcome, run = hold(
        submitted(PlanOptions(rounds=1), members=members), PlanCast(), decides("accept")
    )
    assert "challenge/1/ruff" not in run.steps
    assert any("ruff follows rules" in one for one in outcome.warnings)


def test_an_unknown_strategy_is_refused_by_name():
    run = submitted(PlanOptions(strategy="delphi"))
    start = start_workflow(run.spec, run.materials)
    with pytest.raises(ConfigurationError, match="known: debate, perspectives"):
        replay(start, Simulation(start, lambda _: fail(), nobody).journal)


# ---- the debate ---------------------------------------------------------------------------------


def test_the_first_round_is_blind():
    _, run = held(PlanCast())
    for name in ("ada", "bob", "cyd"):
        text = shown(run.commands[f"challenge/1/{name}"])
        assert "No way back" not in text
        assert PLAN.format(1) in text


def test_later_rounds_show_objections_and_answers_without_names():
    _, run = held(PlanCast())
    text = shown(run.commands["challenge/3/ada"])
    assert "No way back is described" in text
    assert "planner: agree — the second step says so" in text
    assert "# Plan with a way back" in text
    assert not {"bob", "cyd", "ada"} & set(text.replace(",", " ").split())


def test_settled_objections_are_not_debated_again():
    class Two(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            if step.round == 1:
                return give(step, verdict="REVISE", findings=[NO_WAY_BACK, {"title": "Too slow"}])
            return give(step, verdict="REVISE", stances=stance("agree", "F1", "F2"))

        def defense(self, step: Turn) -> StepResult:
            own = [*stance("agree", "F1"), *stance("disagree", "F2")]
            return give(step, stances=own)

    _, run = held(Two())
    text = shown(run.commands["challenge/3/ada"])
    assert "Settled and not to be debated again: F1 accepted." in text
    assert "F2 [" in text
    assert "F1 [" not in text


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_cross_review_is_reached_whatever_the_limit(rounds):
    _, run = held(PlanCast(), strategy="perspectives", rounds=rounds)
    assert run.stages[1] == (
        "risk-analysis/1/ada",
        "innovation-analysis/1/bob",
        "risk-analysis/1/cyd",
    )
    assert run.stages[2] == tuple(f"cross-review/2/{name}" for name in ("ada", "bob", "cyd"))


def test_lenses_that_find_nothing_are_cross_reviewed_all_the_same():
    class Content(PlanCast):
        def risk_analysis(self, step: Turn) -> StepResult:
            return give(step, verdict="ACCEPT", mitigations=["a rehearsal"])

        def innovation_analysis(self, step: Turn) -> StepResult:
            return give(step, verdict="ACCEPT", opportunities=["move shop by shop"])

        def cross_review(self, step: Turn) -> StepResult:
            return give(step, verdict="ACCEPT", points_of_agreement=["it is short"])

    outcome, run = held(Content(), strategy="perspectives")
    assert "cross-review/2/ada" in run.steps
    assert outcome.ending is Ending.CONVERGED


def test_every_lens_reviews_the_other_one():
    _, run = held(PlanCast(), strategy="perspectives")
    risk, innovation = (shown(run.commands[f"cross-review/2/{name}"]) for name in ("ada", "bob"))
    assert "move shop by shop" in risk
    assert "<risk-analysis by" not in risk
    assert "<risk-analysis by" in innovation
    assert "move shop by shop" not in innovation


def test_a_critic_that_is_alone_holds_both_lenses():
    run = submitted(PlanOptions(strategy="perspectives"), names=("ada",))
    _, simulation = hold(run, PlanCast(), decides("accept"))
    assert simulation.stages[1] == ("risk-analysis/1/ada", "innovation-analysis/1/ada")


def test_perspectives_converge_once_a_further_round_confirms():
    outcome, _ = held(PlanCast(), strategy="perspectives", rounds=3)
    assert outcome.ending is Ending.CONVERGED
    outcome, _ = held(PlanCast(), strategy="perspectives", rounds=2)
    assert outcome.ending is Ending.EXHAUSTED


def test_both_detectors_are_computed():
    outcome, _ = held(PlanCast(), detector="lexical")
    figures = outcome.detail["assessments"][-1]
    assert figures["metrics"]["detector"] == "lexical"
    assert figures["second_opinion"]["detector"] == "stance"


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
    assert any("limit of" in warning for warning in outcome.warnings)


def test_a_planner_that_brings_back_the_same_plan_ends_the_run():
    class Stubborn(PlanCast):
        def plan(self, step: Turn) -> StepResult:
            return give(step, plan=PLAN.format(1))

    outcome, _ = held(Stubborn(), "revise")
    assert len(outcome.detail["revisions"]) == 1
    assert any("same plan" in warning for warning in outcome.warnings)
    assert outcome.detail["accepted"] is False


def test_a_revision_that_does_not_come_leaves_the_plan_as_it_was():
    class Tired(PlanCast):
        def plan(self, step: Turn) -> StepResult:
            return fail() if step.round == 2 else super().plan(step)

    outcome, _ = held(Tired(), "revise")
    assert outcome.detail["plan"] == PLAN.format(1)
    assert "the plan stays as it was" in outcome.warnings


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

    outcome, _ = held(NoChair())
    assert outcome.detail["synthesised_by"] == "fallback"
    assert "No way back is described" in outcome.summary
    assert any("could not synthesise" in warning for warning in outcome.warnings)


@pytest.mark.parametrize(("score", "kept"), [(0.9, 0.9), (1.4, None), (-1, None), ("0.9", None)])
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
