"""The plan workflow with scripted participants: who speaks when, what is shown, and how debates of a plan end."""

from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.core.replay.replay import replay
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import start_workflow
from shared.errors import ConfigurationError
from shared.models.outcomes import Ending, FailureKind, Verdict
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
from tests.support.notices import all_words
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
    assert (
        sum("did not answer in round 1 (0/3 did)" in one for one in all_words(outcome.warnings))
        == 3
    )


def test_one_silent_critic_of_three_is_named_and_keeps_agreement_away():
    class OneSilent(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            if step.participant.name == "cyd":
                return fail()
            return give(step, verdict="ACCEPT")

    outcome, _ = held(OneSilent(), rounds=1)
    assert outcome.ending is Ending.EXHAUSTED
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert any(one.startswith("cyd did not answer") for one in all_words(outcome.warnings))


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
    assert any("ruff follows rules" in one for one in all_words(outcome.warnings))


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


def test_the_planner_answers_what_all_critics_raise_too():
    class OneMore(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            if step.round > 1:
                return super().challenge(step)
            more = [{"title": "Too slow"}] if step.participant.name == "ada" else []
            return give(step, verdict="REVISE", findings=[NO_WAY_BACK, *more])

    _, run = held(OneMore())
    text = shown(run.commands["defense/2/author"])
    assert "F1 [" in text
    assert "F2 [" in text
    assert "Settled" not in text


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
