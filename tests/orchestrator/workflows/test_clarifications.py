"""Positions against their own reasons, through whole runs: asked for once, and what comes of it."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.findings import Position
from shared.models.outcomes import Ending, Verdict
from shared.models.run import RulesVersion
from shared.models.steps import StepResult
from tests.orchestrator.workflows.test_review_endings import hold
from tests.support.notices import all_words
from tests.support.review_panel import submission
from tests.support.review_replies import (
    Script,
    Step,
    critique,
    failure,
    finding,
    finished,
    reply,
    stances,
)
from tests.support.simulator import Simulation

OPPOSITE = "This is wrong, the code is fine."
WHY = "Nobody checks the text before it is evaluated."


def panel(contradicting: str, again: StepResult | None = None) -> Script:
    """One critic raises a finding; the other agrees to it with a reason that may say the opposite."""

    def script(step: Step) -> StepResult:
        match step.role, step.round:
            case "critique", 1:
                return critique(step, [finding()] if step.participant.name == "critic1" else [])
            case "critique", _:
                own = WHY if step.participant.name == "critic1" else contradicting
                return critique(step, said=stances("agree", "F1", reason=f"{own} ({step.round})"))
            case "rebuttal", _:
                return reply(step.reply_model, stances=stances("abstain", "F1"))
            case "clarification", _:
                return again if again is not None else failure()
        return finished(step)

    return script


def asked(simulation: Simulation) -> list[str]:
    return [key for key in simulation.commands if key.startswith("clarification/")]


def review(script: Script, **fields: Any) -> tuple[Outcome, Simulation]:
    made = submission(options=ReviewOptions(**{"rounds": 3, **fields}))
    return hold(made, script)


def position(outcome: Outcome) -> Position:
    return outcome.findings[0].stances["critic2"]


def test_a_position_that_its_reason_supports_is_not_asked_for() -> None:
    outcome, simulation = review(panel(WHY))

    assert asked(simulation) == []
    assert position(outcome) is Position.AGREE


def test_a_position_that_its_reason_contradicts_is_asked_for_once_and_taken_as_stated_then() -> (
    None
):
    again = reply("clarification", stances=stances("disagree", "F1", reason=OPPOSITE))
    outcome, simulation = review(panel(OPPOSITE, again))

    assert asked(simulation) == ["clarification/3/critique/critic2"]
    turn = simulation.commands["clarification/3/critique/critic2"]
    assert isinstance(turn, Turn)
    shown = "\n".join(part.text or "" for part in turn.prompt().user)
    assert f"F1: agree — {OPPOSITE} (3)" in shown
    # A denial of a grave finding takes a quotation, which is another matter.
    assert position(outcome) is Position.ABSTAIN
    assert all_words(outcome.warnings).count("says the opposite") == 0


@pytest.mark.parametrize(
    "again",
    [None, reply("clarification", stances=stances("agree", "F1", reason=OPPOSITE)), reply("clarification")],
    ids=["silent", "the same again", "nothing"],
)  # fmt: skip
def test_what_stays_contradictory_is_an_abstention_and_the_result_says_so(
    again: StepResult | None,
) -> None:
    outcome, simulation = review(panel(OPPOSITE, again))

    assert len(asked(simulation)) == 1
    assert position(outcome) is Position.ABSTAIN
    assert outcome.ending is not Ending.CONVERGED
    assert outcome.verdict is not Verdict.APPROVED
    told = all_words(outcome.warnings)
    assert (
        "critic2 on F1: the reason says the opposite of the position, which does not count" in told
    )


def test_a_clarified_agreement_counts() -> None:
    again = reply("clarification", stances=stances("agree", "F1", reason=WHY))
    outcome, _ = review(panel(OPPOSITE, again))

    assert position(outcome) is Position.AGREE
    assert outcome.ending is Ending.CONVERGED


def test_a_clarification_that_speaks_of_something_else_changes_nothing_else() -> None:
    again = reply("clarification", stances=stances("withdraw", "F7", reason=WHY))
    outcome, _ = review(panel(OPPOSITE, again))

    assert position(outcome) is Position.ABSTAIN
    assert [each.id for each in outcome.findings] == ["F1"]


def test_runs_under_the_first_rules_ask_nobody() -> None:
    made = submission(options=ReviewOptions(rounds=3))
    spec = made.spec.model_copy(update={"rules_version": RulesVersion.ORIGINAL})
    outcome, simulation = hold(type(made)(spec, made.documents), panel(OPPOSITE))

    assert asked(simulation) == []
    assert position(outcome) is Position.AGREE


def test_what_it_costs_is_counted() -> None:
    again = reply("clarification", stances=stances("agree", "F1", reason=WHY))
    plain, _ = review(panel(WHY))
    clarified, _ = review(panel(OPPOSITE, again))

    def turns(outcome: Outcome) -> int:
        debate: Any = outcome.result
        return int(debate.receipt.debate.turns)

    assert turns(clarified) == turns(plain) + 1
