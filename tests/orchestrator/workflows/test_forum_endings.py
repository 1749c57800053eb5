"""The forum with scripted participants: every way in which a discussion can end, and what is said about it."""

from typing import Any

import pytest

from orchestrator.core.findings.verdict import GateOutcome, gate
from orchestrator.core.replay.commands import Turn
from orchestrator.workflows.forum.options import ForumOptions
from shared.models.findings import Severity
from shared.models.outcomes import Ending, Verdict
from shared.models.steps import StepResult
from tests.support.forum_cast import (
    WORDS,
    Cast,
    agreement_of,
    ends_in,
    held,
    passing,
    rounds_of,
    votes,
)
from tests.support.notices import all_words
from tests.support.question_panel import fail, give, hold, member, say, submitted

# ---- agreement ----------------------------------------------------------------------------------


def test_an_end_that_all_vote_for_is_converged() -> None:
    outcome, run = held(Cast(selection=ends_in(3)))

    assert (outcome.verdict, outcome.ending) == (Verdict.ANSWERED, Ending.CONVERGED)
    assert outcome.summary == "One process."
    assert agreement_of(outcome)["independent"] == 3
    assert run.records["ending"].assessment.ending is Ending.CONVERGED


def test_an_end_over_the_heads_of_those_who_still_ask_names_them() -> None:
    outcome, _ = held(Cast(selection=ends_in(3)))

    unheard: Any = outcome.detail["unheard"]
    assert [one["participant"] for one in unheard] == ["claude", "gemini", "codex"]
    assert unheard[0]["reason"] == "claude has a point"
    assert "codex still wanted to speak when the orchestrator ended the discussion" in all_words(
        outcome.warnings
    )


def test_the_orchestrator_s_word_for_a_consensus_is_not_one() -> None:
    outcome, _ = held(Cast(selection=ends_in(3), ballot=votes(claude="disagree", codex="partial")))

    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.STALLED)
    assert outcome.summary == "One process."
    assert agreement_of(outcome)["dissenting"] == ["claude", "codex"]
    ballots: Any = outcome.detail["ballots"]
    assert ballots[0] == {
        "participant": "claude",
        "position": "disagree",
        "confidence": 0.9,
        "reason": "disagree, for a reason",
    }


def test_one_reservation_among_three_does_not_prevent_a_consensus_and_is_kept() -> None:
    outcome, _ = held(Cast(selection=ends_in(2), ballot=votes(gemini="partial")))

    assert outcome.ending is Ending.CONVERGED
    assert agreement_of(outcome)["dissenting"] == ["gemini"]


def test_copies_of_one_model_do_not_outvote_another() -> None:
    members = [member(f"copy{n}", family="one") for n in range(3)] + [member("other")]
    run = submitted("forum", ForumOptions(max_rounds=1), members=members)
    outcome, _ = hold(run, Cast(ballot=votes(other="disagree")))

    assert outcome.ending is Ending.EXHAUSTED
    assert agreement_of(outcome)["support"] == 0.5


def test_an_agreement_within_one_family_says_that_it_counts_as_one_vote() -> None:
    members = [member(f"copy{n}", family="one") for n in range(3)]
    outcome, _ = hold(submitted("forum", ForumOptions(max_rounds=1), members=members), Cast())

    assert outcome.ending is Ending.CONVERGED
    assert "all votes come from one family of models: they count as one vote" in all_words(
        outcome.warnings
    )


def test_without_a_ballot_a_conclusion_stands_and_nothing_converged() -> None:
    outcome, run = held(Cast(selection=ends_in(2)), ballot=False)

    assert (outcome.verdict, outcome.ending) == (Verdict.ANSWERED, None)
    assert not any(key.startswith("ballot/") for key in run.steps)
    assert gate((), outcome.ending, Severity.MAJOR).outcome is GateOutcome.INCONCLUSIVE


@pytest.mark.parametrize("silent", [("codex",), ("claude", "gemini", "codex")])
def test_a_missing_ballot_never_helps(silent: tuple[str, ...]) -> None:
    def ballot(step: Turn) -> StepResult:
        return fail() if step.participant.name in silent else give(step, position="agree")

    outcome, _ = held(Cast(selection=ends_in(2), ballot=ballot))

    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.DEGRADED)
    assert agreement_of(outcome)["missing"] == list(silent)


def test_a_ballot_that_is_nonsense_is_a_missing_one() -> None:
    outcome, _ = held(
        Cast(selection=ends_in(2), ballot=lambda step: say(step, "I would AGREE if I could."))
    )

    assert outcome.ending is Ending.DEGRADED
    assert "claude did not vote on the conclusion: unparseable" in " ".join(
        all_words(outcome.warnings)
    )


# ---- the bounds ---------------------------------------------------------------------------------


def test_after_the_last_round_a_conclusion_is_asked_for_and_voted_on() -> None:
    agreed, _ = held(Cast())
    apart, _ = held(Cast(ballot=votes(claude="disagree", gemini="disagree")))

    assert (agreed.ending, agreed.summary) == (Ending.CONVERGED, "One process, several modules.")
    assert agreed.detail["open_points"] == ["when to split"]
    assert apart.ending is Ending.EXHAUSTED
    assert apart.detail["stopped_by"] == "max_rounds"


def test_the_timeout_counts_on_the_recorded_clock_and_bounds_every_turn() -> None:
    def slow(step: Turn) -> StepResult:
        return say(step, WORDS[step.round - 1], elapsed_s=40.0 * step.round)

    outcome, run = held(Cast(speech=slow, ballot=votes(codex="disagree")), timeout_s=100.0)

    assert len(rounds_of(outcome)) == 3
    assert outcome.detail["stopped_by"] == "timeout"
    assert outcome.ending is Ending.EXHAUSTED
    limits = {
        key: step.participant.timeout_s
        for key, step in run.commands.items()
        if isinstance(step, Turn)
    }
    assert limits["bid/1/claude"] == 60.0
    assert limits["speech/2/gemini"] == 60.0
    assert limits["bid/3/claude"] == limits["speech/3/codex"] == 30.0
    assert limits["conclusion"] == limits["ballot/codex"] == 120.0


def test_all_passing_twice_ends_the_discussion_with_a_conclusion() -> None:
    def bid(step: Turn) -> StepResult:
        return give(step, action="REQUEST" if step.round == 1 else "PASS")

    outcome, run = held(Cast(bid=bid))

    assert outcome.detail["stopped_by"] == "all_passed"
    assert [one["reminded"] for one in rounds_of(outcome)] == [False, False, True]
    assert "selection/2" in run.steps, "the orchestrator may end it when all pass"
    assert "selection/3" not in run.steps, "all passed twice: code ends it"
    assert outcome.ending is Ending.CONVERGED


def test_somebody_who_comes_up_with_a_point_after_the_reminder_gets_the_floor() -> None:
    def bid(step: Turn) -> StepResult:
        asks = step.round == 1 or (step.round == 3 and step.participant.name == "codex")
        return give(step, action="REQUEST" if asks else "PASS")

    outcome, _ = held(Cast(bid=bid))

    assert rounds_of(outcome)[2]["selected"] == "codex"


def test_when_all_pass_the_orchestrator_may_call_on_somebody() -> None:
    def bid(step: Turn) -> StepResult:
        return give(step, action="REQUEST" if step.round == 1 else "PASS")

    def selection(step: Turn) -> StepResult:
        return give(step, action="SELECT", speaker="gemini")

    outcome, _ = held(Cast(bid=bid, selection=selection))

    assert [one["selected"] for one in rounds_of(outcome)] == ["gemini", None, None], (
        "but not on whoever spoke last"
    )

    outcome, _ = held(
        Cast(bid=bid, selection=lambda step: give(step, action="SELECT", speaker="Codex"))
    )
    assert rounds_of(outcome)[0]["selected"] == "codex"

    def other(step: Turn) -> StepResult:
        return give(step, action="SELECT", speaker="codex" if step.round > 1 else "gemini")

    outcome, _ = held(Cast(bid=bid, selection=other))
    assert [(one["selected"], one["why"]) for one in rounds_of(outcome)[:2]] == [
        ("gemini", "wished"),
        ("codex", "called_on"),
    ]


def test_nobody_ever_asking_is_no_agreement() -> None:
    outcome, run = held(Cast(bid=passing))

    assert (outcome.verdict, outcome.ending) == (Verdict.INCONCLUSIVE, Ending.EXHAUSTED)
    assert outcome.summary == "Nobody spoke."
    assert set(run.steps) == {
        f"{what}/{who}"
        for what in ("opening", "bid/1", "bid/2")
        for who in ("claude", "gemini", "codex")
    }


def test_a_discussion_cannot_be_ended_before_anybody_spoke() -> None:
    outcome, _ = held(Cast(selection=ends_in(1)))

    first = rounds_of(outcome)[0]
    assert (first["selected"], first["why"]) == ("claude", "too_early_to_end")
    assert "round 1: claude is given the floor by rule: nobody had spoken when" in " ".join(
        all_words(outcome.warnings)
    )
    assert outcome.detail["stopped_by"] == "concluded"
