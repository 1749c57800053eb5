"""Which answer a turn states, and who holds which after a discussion."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from orchestrator.core.consensus.detectors.acts import Act
from orchestrator.core.consensus.detectors.answers import (
    EVERYTHING,
    FollowedAnswer,
    likeness_of,
    stated_answer,
)
from orchestrator.core.consensus.detectors.floor import AnswerTurn, HeldAnswer, follow_floor
from orchestrator.core.consensus.detectors.options import known_options

YES, NO, SAYS, PROPOSES = Act(agree=0.9), Act(disagree=0.8), Act(), Act(propose=0.9)


def follow(rounds: Sequence[Sequence[AnswerTurn]]) -> dict[str, HeldAnswer]:
    """What everybody holds after these rounds."""
    return follow_floor(rounds, ()).answers


def options(*names: str) -> FollowedAnswer:
    return FollowedAnswer(frozenset(names))


def stated(text: str, act: Act = SAYS) -> FollowedAnswer | None:
    return stated_answer(text, act, known_options([text, "options A B 3 7"]))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("I would take A and 7", options("A", "7")),
        ("a and 7 for me", options("A", "7")),
        ("just 3", options("3")),
        ("저는 A와 7을 고르겠습니다", options("A", "7")),
        ('I vote for "blue green"', options("blue green")),
        ("Answer: B", options("B")),
        ("제 답: B", options("B")),
        ("Answer: A, not B", options("A")),
        ("I would take A over B", options("A")),
        ("결론: B 말고 A", options("A")),
    ],
)
def test_short_turns_state_options_and_names(text: str, answer: FollowedAnswer) -> None:
    found = stated(text)
    assert found is not None
    assert found.options == answer.options


@pytest.mark.parametrize(
    "text",
    [
        "I have a question",
        "we do not need 3",
        "anything except B",
        "3은 빼고요",
        "good morning",
        "Answer: undecided",
    ],
)
def test_articles_what_is_taken_out_and_no_answer_state_nothing(text: str) -> None:
    assert stated(text) is None


def test_disagreeing_with_an_option_does_not_choose_it() -> None:
    assert stated("B is no answer at all to me", NO) is None


def test_a_long_turn_states_an_answer_in_a_line_of_its_own_only() -> None:
    argued = "Both A and B have their merits, and 3 would be cheap. " * 8
    assert stated(argued) is None
    for line, option in (("Final answer: 3", "3"), ("**최종 결론:** B", "B")):
        found = stated(f"{argued}\n{line}")
        assert found is not None
        assert found.options == {option}


def test_a_proposal_without_options_is_its_words() -> None:
    assert stated("We should keep the queue", PROPOSES) == FollowedAnswer(
        frozenset(), "We should keep the queue", proposed=True
    )
    assert stated("take all of them", PROPOSES) == options(EVERYTHING)


@pytest.mark.parametrize(
    ("text", "act", "answer"),
    [
        ("Why 3?", SAYS, {"A", "3"}),
        ("3 could have either", SAYS, {"A", "3"}),
        ("just 3", PROPOSES, {"3"}),
        ("Answer: 3", SAYS, {"3"}),
        ("B could have either", SAYS, {"A", "3"}),
        ("A and B", SAYS, {"A", "B"}),
    ],
)
def test_whoever_talks_about_one_of_their_options_still_holds_them_all(
    text: str, act: Act, answer: set[str]
) -> None:
    assert (
        held([AnswerTurn("ann", "I take A and 3", SAYS)], [AnswerTurn("ann", text, act)])["ann"]
        == answer
    )


def test_naming_another_option_without_choosing_it_is_no_steady_answer() -> None:
    rounds = [
        [AnswerTurn("ann", "I take A and 3", SAYS)],
        [AnswerTurn("ann", "what about B", SAYS)],
    ]
    assert follow(rounds)["ann"].moved
    assert not follow([*rounds, [AnswerTurn("ann", "well", SAYS)]])["ann"].moved


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (options("A", "3"), options("3", "A"), 1.0),
        (options("A", "3"), options("A", "7"), 1 / 3),
        (options("A"), FollowedAnswer(frozenset(), "keep the queue"), 0.0),
        (
            FollowedAnswer(frozenset(), "캐시는 동기 방식으로 운영해야 합니다"),
            FollowedAnswer(frozenset(), "캐시는 동기 방식으로 운영하지 않아야 합니다"),
            0.0,
        ),
    ],
)
def test_answers_are_alike_by_what_they_share(
    one: FollowedAnswer, other: FollowedAnswer, alike: float
) -> None:
    assert likeness_of(one, other) == pytest.approx(alike)
    assert likeness_of(other, one) == pytest.approx(alike)


def held(*rounds: list[AnswerTurn]) -> dict[str, frozenset[str]]:
    return {who: one.answer.options for who, one in follow(rounds).items()}


def test_who_agrees_takes_over_the_last_answer_of_somebody_else() -> None:
    said = held([AnswerTurn("ann", "I take A and 3", SAYS)], [AnswerTurn("bob", "yes", YES)])
    assert said == {"ann": {"A", "3"}, "bob": {"A", "3"}}


def test_who_names_somebody_takes_over_theirs() -> None:
    said = held(
        [AnswerTurn("ann", "I take A", SAYS)],
        [AnswerTurn("bob", "I take B", SAYS)],
        [AnswerTurn("carol", "I agree with ann", YES)],
    )
    assert said["carol"] == {"A"}


def test_two_who_give_way_to_each_other_at_once_do_not_agree() -> None:
    said = held(
        [AnswerTurn("ann", "I take A", SAYS), AnswerTurn("bob", "I take B", SAYS)],
        [AnswerTurn("ann", "agreed", YES), AnswerTurn("bob", "agreed", YES)],
    )
    assert said == {"ann": {"B"}, "bob": {"A"}}


def test_agreeing_with_nothing_holds_nothing() -> None:
    assert held([AnswerTurn("ann", "hello", SAYS)], [AnswerTurn("bob", "yes", YES)]) == {}


def test_the_last_turn_tells_whether_somebody_moved_or_joined() -> None:
    rounds = [
        [AnswerTurn("ann", "I take A", SAYS)],
        [AnswerTurn("bob", "I take B", SAYS)],
        [AnswerTurn("ann", "fine, yes", YES)],
    ]
    now = follow(rounds)
    assert (now["ann"].moved, now["ann"].joined) == (True, True)
    assert (now["bob"].moved, now["bob"].joined) == (False, False)
    later = follow([*rounds, [AnswerTurn("ann", "B is it", SAYS)]])
    assert not later["ann"].moved
