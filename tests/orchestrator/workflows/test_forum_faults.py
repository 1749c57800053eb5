"""The forum when participants go round in circles, fall silent, answer nonsense or cannot be paid."""

from typing import Any

import pytest

from orchestrator.core.replay.commands import Turn
from orchestrator.workflows.forum.options import ForumOptions
from shared.models.outcomes import Ending, FailureKind, Verdict
from shared.models.steps import StepResult
from tests.support.forum_cast import (
    WORDS,
    Cast,
    held,
    rounds_of,
    unanswered,
    votes,
)
from tests.support.notices import all_words
from tests.support.question_panel import fail, give, hold, say, submitted

# ---- circles ------------------------------------------------------------------------------------


def turn_about(step: Turn) -> StepResult:
    return give(step, action="SELECT", speaker=("claude", "gemini")[step.round % 2])


def two_asking(step: Turn) -> StepResult:
    asks = step.participant.name in ("claude", "gemini")
    return give(step, action="REQUEST" if asks else "PASS")


def test_participants_that_only_repeat_themselves_end_as_looping() -> None:
    def speech(step: Turn) -> StepResult:
        return give(step, speech=WORDS[("claude", "gemini").index(step.participant.name)])

    outcome, _ = held(
        Cast(bid=two_asking, selection=turn_about, speech=speech, ballot=votes(claude="disagree")),
        max_rounds=10,
    )

    assert outcome.ending is Ending.LOOPING
    assert len(rounds_of(outcome)) == 4


def test_participants_that_go_there_and_back_end_as_oscillating() -> None:
    def speech(step: Turn) -> StepResult:
        mine = ("claude", "gemini").index(step.participant.name)
        return give(step, speech=WORDS[2 * mine + ((step.round - 1) // 2) % 2])

    outcome, _ = held(
        Cast(bid=two_asking, selection=turn_about, speech=speech, ballot=votes(claude="disagree")),
        max_rounds=10,
    )

    assert outcome.ending is Ending.OSCILLATING
    assert len(rounds_of(outcome)) == 6


def test_repeating_one_s_agreement_is_still_agreement() -> None:
    outcome, _ = held(
        Cast(bid=two_asking, selection=turn_about, speech=lambda s: give(s, speech=WORDS[0])),
        max_rounds=10,
    )

    assert outcome.detail["stopped_by"] == "looping"
    assert outcome.ending is Ending.CONVERGED


# ---- faults -------------------------------------------------------------------------------------


def test_a_dead_orchestrator_is_replaced_by_the_rule_and_there_is_no_conclusion() -> None:
    outcome, run = held(Cast(synthesis=unanswered))

    assert [one["selected"] for one in rounds_of(outcome)] == [
        "claude",
        "gemini",
        "codex",
        "claude",
    ]
    assert {one["selected_by"] for one in rounds_of(outcome)} == {"rule"}
    assert [key for key in run.steps if key.startswith("selection/")] == [
        "selection/1",
        "selection/2",
    ]
    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.EXHAUSTED)
    assert outcome.summary.startswith("# claude\n\n> A monolith")
    assert any(
        "ended without a conclusion: chair could not" in one for one in all_words(outcome.warnings)
    )
    assert any("from now on" in one for one in all_words(outcome.warnings))


def test_a_bidder_that_fails_passes_and_is_named() -> None:
    def bid(step: Turn) -> StepResult:
        return fail() if step.participant.name == "codex" else give(step, action="REQUEST")

    outcome, _ = held(Cast(bid=bid), max_rounds=2)

    assert rounds_of(outcome)[0]["bids"][2]["action"] == "PASS"
    assert (
        "codex did not answer the floor request in round 1 (2/3 did), which counts as a pass: "
        "timeout: it was timeout" in all_words(outcome.warnings)
    )


def test_nonsense_instead_of_a_bid_is_no_request() -> None:
    outcome, _ = held(Cast(bid=lambda step: say(step, "I do not REQUEST anything, or do I?")))

    assert outcome.ending is Ending.DEGRADED
    assert outcome.detail["stopped_by"] == "nobody_there"


def test_a_speaker_that_fails_leaves_a_gap_and_the_discussion_goes_on() -> None:
    def speech(step: Turn) -> StepResult:
        return fail() if step.round == 1 else give(step, speech=WORDS[step.round])

    outcome, _ = held(Cast(speech=speech))

    assert [one["speech"] is None for one in rounds_of(outcome)] == [True, False, False, False]
    assert any(
        "claude had the floor in round 1 and said nothing" in one
        for one in all_words(outcome.warnings)
    )
    assert outcome.ending is Ending.CONVERGED


def test_a_speaker_that_always_fails_does_not_keep_the_floor() -> None:
    def speech(step: Turn) -> StepResult:
        mute = step.participant.name == "claude"
        return fail() if mute else give(step, speech=WORDS[step.round])

    outcome, _ = held(Cast(speech=speech), max_rounds=6)

    assert [one["selected"] for one in rounds_of(outcome)] == ["claude", "gemini", "codex"] * 2


def test_when_no_speaker_brings_out_a_word_the_run_is_degraded() -> None:
    outcome, run = held(Cast(speech=unanswered))

    assert (outcome.ending, outcome.summary) == (Ending.DEGRADED, "Nobody spoke.")
    assert "conclusion" not in run.steps


@pytest.mark.parametrize(
    ("kind", "ending"),
    [(FailureKind.OVER_BUDGET, Ending.OVER_BUDGET), (FailureKind.DEADLINE, Ending.EXHAUSTED)],
)
@pytest.mark.parametrize("role", ["bid", "selection", "speech"])
def test_a_refused_turn_ends_the_run_without_asking_anybody_again(
    role: str, kind: FailureKind, ending: Ending
) -> None:
    whole = Cast()

    def script(step: Turn) -> StepResult:
        late = step.round >= 2 and step.role == role
        return fail(kind) if late else whole(step)

    def asking(step: Turn) -> StepResult:
        return script(step) if step.role != "selection" or step.round >= 2 else turn_about(step)

    outcome, run = held(asking)

    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, ending)
    assert "conclusion" not in run.steps
    assert not any(key.startswith("ballot/") for key in run.steps)


@pytest.mark.parametrize("role", ["synthesis", "ballot"])
def test_a_budget_that_ends_with_the_discussion_is_said(role: str) -> None:
    outcome, _ = held(Cast(**{role: lambda _: fail(FailureKind.OVER_BUDGET)}))

    assert outcome.ending is Ending.OVER_BUDGET


def test_a_forum_of_one_cannot_agree_with_itself() -> None:
    outcome, _ = hold(submitted("forum", ForumOptions(max_rounds=2), names=("claude",)), Cast())

    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)


def test_what_everybody_consumed_is_added_up() -> None:
    def speech(step: Turn) -> StepResult:
        return say(step, WORDS[step.round], tokens=100, cost_usd=0.25)

    def bid(step: Turn) -> StepResult:
        return say(step, "REQUEST", tokens=10, cost_usd=0.0)

    def ballot(step: Turn) -> StepResult:
        return say(step, "AGREE", tokens=1, cost_usd=0.0)

    cast = Cast(bid=bid, speech=speech, ballot=ballot, opening=ballot)
    outcome, _ = held(cast, max_rounds=3)

    usage: Any = outcome.detail["usage"]
    assert usage["by"]["claude"] == {"turns": 6, "failed": 0, "tokens": 132, "cost_usd": 0.25}
    assert usage["by"]["chair"]["cost_usd"] is None, "an answer without figures is an unknown cost"
    assert usage["cost_usd"] is None
