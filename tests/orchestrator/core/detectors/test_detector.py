"""The detector `text`: consensus from plain turns, and the traps that look like it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import Recommendation
from shared.models.run import Thresholds

CONVERGED, CONFIRM, CONTINUE = (
    Recommendation.CONVERGED,
    Recommendation.CONFIRM,
    Recommendation.CONTINUE,
)
REFUSAL = "I do not agree, cannot accept, this is not correct."


def talk(*said: str) -> list[RoundTaken]:
    """A discussion, one turn a round: `name: what they said`."""
    rounds = []
    for number, line in enumerate(said, 1):
        who, _, text = line.partition(": ")
        rounds.append(RoundTaken(number, "debate", (Contribution(who, "debate", text),)))
    return rounds


def advice(*said: str) -> Recommendation:
    return assess_text(talk(*said)).recommendation


SETTLED = (
    "ann: I think that we should take A and 3",
    "bob: Why 3?",
    "ann: Because it can fail",
    "bob: ok that makes sense, A and 3",
    "ann: So A and 3?",
    "bob: yes, I agree",
)
SETTLED_KO = (
    "ann: 저는 A와 3을 고르겠습니다",
    "bob: 3은 왜 필요한가요?",
    "ann: 실패할 수 있으니까요",
    "bob: 그렇네요. A와 3으로 하죠",
    "ann: 네, A와 3으로 합시다",
    "bob: 네, 동의합니다",
)


@pytest.mark.parametrize("said", [SETTLED, SETTLED_KO], ids=["en", "ko"])
def test_the_same_answer_said_and_confirmed_converges(said: tuple[str, ...]) -> None:
    assert advice(*said) is CONVERGED


@pytest.mark.parametrize(
    "last",
    [
        "bob: No, I disagree. I take B",
        "bob: I would rather take B and 7",
        "bob: 아니요, 저는 B로 하겠습니다",
    ],
)
def test_a_last_word_that_differs_never_converges(last: str) -> None:
    assert advice(*SETTLED, last) is not CONVERGED


def test_a_third_who_holds_something_else_is_heard() -> None:
    assert advice("carol: only B for me", *SETTLED) is not CONVERGED


@pytest.mark.parametrize("text", [REFUSAL, "동의하지 않습니다. 옳지 않습니다."])
def test_repeated_refusal_is_no_agreement(text: str) -> None:
    figures = assess_text(talk(f"ann: {text}", f"bob: {text}", f"ann: {text}", f"bob: {text}"))
    assert figures.recommendation is CONTINUE
    assert figures.agreement_ratio < 0.3


def test_two_repeated_opposite_answers_are_no_agreement() -> None:
    assert advice("ann: I take A", "bob: I take B", "ann: I take A", "bob: I take B") is CONTINUE


def test_agreeing_words_without_an_answer_are_no_consensus() -> None:
    assert advice(*(f"{who}: I agree with you" for who in ("ann", "bob") * 3)) is CONTINUE


def test_essays_that_praise_each_other_are_no_consensus() -> None:
    essay = "Yes, I completely agree with your perspective that the second wording is right. " * 8
    assert advice(*(f"{who}: {essay}" for who in ("ann", "bob") * 3)) is CONTINUE


def test_essays_that_end_in_the_same_answer_can_converge() -> None:
    essay = (
        "The log keeps every event in its order and nothing is lost on the way to the reader. " * 5
    )
    said = [f"{who}: {essay}\nFinal answer: option B" for who in ("ann", "bob") * 2]
    assert advice(*said) is CONVERGED
    said[-1] = f"bob: {essay}\nFinal answer: option D"
    assert advice(*said) is not CONVERGED


def test_three_answers_in_lines_of_their_own_leave_no_doubt() -> None:
    said = [f"{who}: It keeps every event.\nAnswer: B" for who in ("ann", "bob", "carol") * 2]
    assert advice(*said) is CONVERGED
    assert advice(*said[:-1], "carol: It loses some.\nAnswer: A, not B") is not CONVERGED


def test_opposite_answers_in_nearly_the_same_words_are_no_agreement() -> None:
    said = ("ann: Answer: ship it today", "bob: Answer: ship it tomorrow")
    assert advice(*said, *said) is CONTINUE


def test_a_nod_counts_once_it_has_stayed_for_two_turns() -> None:
    said = ("ann: I take A and 3", "bob: hello", "ann: So A and 3", "bob: yes, I agree")
    assert advice(*said) is CONFIRM
    assert advice(*said, "bob: thanks everyone") is CONFIRM
    assert advice(*said, "bob: thanks everyone", "bob: bye") is CONVERGED


def test_nobody_who_spoke_twice_means_no_stability_and_no_consensus() -> None:
    figures = assess_text(talk("ann: I take A and 3", "bob: yes, A and 3, I agree"))
    assert figures.avg_stability is None
    assert figures.recommendation is not CONVERGED


def test_moving_to_another_answer_in_the_last_turn_asks_for_a_confirming_round() -> None:
    said = ("ann: I take A", "bob: I take B", "ann: yes, I agree, B", "bob: great, B, I agree")
    assert advice(*said) in (CONFIRM, CONVERGED)
    moved = assess_text(talk("ann: I take A", "bob: I take B", "bob: I take D", "ann: I take D"))
    assert moved.avg_stability == 0
    assert moved.recommendation is not CONVERGED


def test_thresholds_are_the_users() -> None:
    strict = Thresholds(agreement=0.99)
    assert assess_text(talk(*SETTLED), strict).recommendation is not CONVERGED


def test_no_round_and_no_text_are_no_agreement() -> None:
    assert assess_text([]).overall_score == 0
    silent = assess_text(talk("ann: ", "bob: ", "ann: ", "bob: "))
    assert (silent.agreement_ratio, silent.recommendation) == (0, CONTINUE)


LINES = st.sampled_from(
    [
        "I take A and 3",
        "A and 3, I agree",
        "yes, I agree",
        "I take B",
        "no, I disagree",
        "hello",
        "네, 동의합니다",
        "Final answer: A and 3",
        "",
    ]
)


@st.composite
def discussions(draw: st.DrawFn) -> list[RoundTaken]:
    members = ("ann", "bob", "carol")[: draw(st.integers(2, 3))]
    rounds = []
    for number in range(1, draw(st.integers(1, 5)) + 1):
        asked = members if draw(st.booleans()) else (draw(st.sampled_from(members)),)
        said = tuple(
            Contribution(who, "debate", draw(LINES), draw(st.integers(0, 9)) > 0) for who in asked
        )
        rounds.append(RoundTaken(number, "debate", said))
    return rounds


@settings(max_examples=200, deadline=None)
@given(discussions())
def test_a_missing_contribution_never_converges(rounds: list[RoundTaken]) -> None:
    for at, taken in enumerate(rounds):
        for member, said in enumerate(taken.contributions):
            gone = list(taken.contributions)
            gone[member] = replace(said, answered=False)
            without = [*rounds[:at], replace(taken, contributions=tuple(gone)), *rounds[at + 1 :]]
            assert assess_text(without).recommendation is not CONVERGED


@settings(max_examples=100, deadline=None)
@given(discussions(), st.randoms(use_true_random=False))
def test_the_order_in_which_a_round_is_listed_changes_nothing(
    rounds: list[RoundTaken], chance: object
) -> None:
    shuffled = [
        replace(taken, contributions=tuple(reversed(taken.contributions)))
        for taken in reversed(rounds)
    ]
    assert assess_text(shuffled) == assess_text(rounds)


@settings(max_examples=100, deadline=None)
@given(discussions())
def test_figures_stay_within_their_bounds(rounds: list[RoundTaken]) -> None:
    figures = assess_text(rounds)
    assert 0 <= figures.agreement_ratio <= 1
    assert 0 <= figures.overall_score <= 1
    assert figures.avg_stability is None or 0 <= figures.avg_stability <= 1
