"""Strategies and lenses are rows: one more is cast, asked and read with no other line changed."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from orchestrator.core.discussion.sections import feedback
from orchestrator.core.discussion.strategies import (
    RoundCast,
    Strategies,
    by_name,
    role_names,
    strategy_named,
)
from orchestrator.core.replay.commands import Turn
from orchestrator.workflows.plan import strategies as plans
from orchestrator.workflows.plan.logic import plan
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.review import strategies as reviews
from orchestrator.workflows.review.logic import review
from orchestrator.workflows.review.options import ReviewOptions
from shared.errors import ConfigurationError
from shared.models.replies import REPLY_MODELS
from shared.models.steps import StepResult
from tests.support.debates import decides, give, member, shown, submitted
from tests.support.plan_cast import PlanCast
from tests.support.review_panel import Submission, sha, submission
from tests.support.simulator import Simulation, Step

# ---- the rows ------------------------------------------------------------------------------------

COST = plans.lens("cost-analysis", system="critic.cost", reply="risk-analysis")
PLANS = by_name(
    replace(
        plans.STRATEGIES["perspectives"],
        name="three-lenses",
        opening=RoundCast.of(*plans.LENSES, COST),
    )
)
PLAN_PROMPTS = {"critic.cost": "You count money.", "cost-analysis": "What does it cost?"}
REVIEWS = by_name(*reviews.STRATEGIES.values(), reviews.strategy("terse", replies="review"))
REVIEW_PROMPTS = {
    f"{name}.terse": f"{name}, in one sentence"
    for name in ("critic", "author", "critique.first", "critique.later", "rebuttal")
}


def with_prompts(run: Submission, more: dict[str, str]) -> Submission:
    """The run with more prompt files."""
    templates = json.dumps({**json.loads(run.documents[run.spec.prompts]), **more}).encode()
    spec = run.spec.model_copy(update={"prompts": sha(templates)})
    return Submission(spec, {**run.documents, sha(templates): templates})


class Lenses(PlanCast):
    def cost_analysis(self, step: Turn) -> StepResult:
        return give(step, verdict="ACCEPT", mitigations=["rent the second server"])


def play(run: Submission, strategies: Strategies) -> Simulation:
    """A debate of a plan with these strategies, played to its end."""
    cast = Lenses()

    def act(step: Step) -> StepResult:
        assert isinstance(step, Turn)
        return cast(step)

    simulation = Simulation(
        lambda: plan(run.spec, run.materials, strategies), act, decides("accept")
    )
    simulation.run()
    return simulation


def test_a_further_lens_is_looked_through_and_its_text_is_shown_to_those_who_held_another():
    run = with_prompts(submitted(PlanOptions(strategy="three-lenses")), PLAN_PROMPTS)
    steps = play(run, PLANS).commands
    (asked,) = [step for key, step in steps.items() if key.startswith("cost-analysis/1/")]
    assert isinstance(asked, Turn)
    assert "You count money." in shown(asked)
    assert asked.reply_model == "risk-analysis"
    for key, step in steps.items():
        if key.startswith("cross-review/2/"):
            assert isinstance(step, Turn)
            is_own = step.participant == asked.participant
            assert ("rent the second server" in shown(step)) is not is_own


@pytest.mark.parametrize(("critics", "turns"), [(1, 3), (2, 3), (3, 3), (4, 4)])
def test_no_lens_is_left_out_however_few_critics_there_are(critics: int, turns: int):
    everybody = [member(name) for name in "abcd"[:critics]]
    speakers = PLANS["three-lenses"].cast(1).speakers(everybody, member("author"))
    assert len(speakers) == turns
    assert {speaker.role.name for speaker in speakers} == {
        "risk-analysis",
        "innovation-analysis",
        "cost-analysis",
    }
    assert {speaker.participant.name for speaker in speakers} == set("abcd"[:critics])


def test_a_further_strategy_of_a_review_is_asked_in_its_own_words_from_the_first_round_to_the_fix():
    run = with_prompts(submission(options=ReviewOptions(strategy="terse")), REVIEW_PROMPTS)
    progress = Simulation(
        lambda: review(run.spec, run.materials, REVIEWS),
        lambda step: give(step, verdict="APPROVED"),  # type: ignore[arg-type]
        decides("skip"),
    ).look()
    first = progress.schedule[0]
    assert isinstance(first, Turn)
    assert "critic, in one sentence" in shown(first)
    assert "critique.first, in one sentence" in shown(first)
    assert first.reply_model == "critique.review"
    assert REVIEWS["terse"].author_role.system == "author.terse"


@pytest.mark.parametrize(
    "strategies", [plans.STRATEGIES, reviews.STRATEGIES], ids=["plan", "review"]
)
def test_every_row_names_reply_models_and_somebody_who_answers_or_reviews(strategies: Strategies):
    for name, row in strategies.items():
        assert name == row.name
        assert all(role.reply in REPLY_MODELS for role in row.roles)
        assert any(role.answers or role.reads_other_lenses for role in row.roles)
        assert not any(role.answers for role in row.lenses), "the first round is the critics'"


def test_the_sections_of_every_strategy_are_always_there():
    merged = feedback(plans.STRATEGIES.values(), ())
    assert merged["opportunities"] == []
    assert merged["revised_plan"] is None
    assert "verdict" not in merged
    assert role_names(plans.STRATEGIES) == (
        *("challenge", "defense", "risk-analysis", "innovation-analysis", "cross-review"),
    )


def test_an_unknown_strategy_is_refused_with_the_known_ones():
    with pytest.raises(ConfigurationError, match="known: review, red-team"):
        strategy_named(reviews.STRATEGIES, "blue-team", "review")
