"""Which side a reply to an argument takes, and what is an argument at all."""

from __future__ import annotations

import pytest

from benchmarks.consensus_examples import written_arguments
from orchestrator.core.consensus.detectors.acts import AGREE, DISAGREE, LONG_TURN, OTHER, act_of
from orchestrator.core.consensus.detectors.arguments import (
    LONGEST_READ,
    SIDES,
    argument_features,
    in_sentences,
    is_argument,
    names_option,
    side_of,
)

CLAIM = "These landlords on the north side raise the rent every spring and repair nothing."


@pytest.mark.parametrize(
    ("reply", "side"),
    [
        (
            "Yeah, ours did the same and then bragged about it in the paper. They never learn!",
            AGREE,
        ),
        ("Exactly. And they get away with it every time, it's so sad.", AGREE),
        (
            "You clearly never paid for a new roof. Why don't you read your contract first?",
            DISAGREE,
        ),
        ("No, that's just wrong. You don't know what you are talking about.", DISAGREE),
        ("Thanks for telling me. I'm not sure where that is, is it near the harbour?", OTHER),
        ("I'm so sorry to hear that. I hope you find something else soon.", OTHER),
    ],
)
def test_a_reply_takes_a_side_without_saying_agree_or_disagree(reply: str, side: str) -> None:
    assert act_of(reply, CLAIM).stance == side


@pytest.mark.parametrize(
    ("essay", "side"),
    [
        (
            "Thank you for this. I see the point about the cost, and it is well made. I still maintain that we "
            "should wait for the second measurement, since the first was taken on a holiday.",
            DISAGREE,
        ),
        (
            "I have read the two reports again, and I withdraw my objection: both of them show the same effect in "
            "every group, which was the only thing that I doubted before.",
            AGREE,
        ),
        (
            "I agree that the report is well written. However, I do not accept its conclusion, because none of the "
            "three groups was measured after the first week.",
            DISAGREE,
        ),
    ],
)
@pytest.mark.parametrize("repeated", [1, 3])
def test_what_a_turn_says_of_itself_outranks_every_other_sign(
    essay: str, side: str, repeated: int
) -> None:
    assert act_of(" ".join([essay] * repeated), "We should start at once.").stance == side


def test_a_side_is_no_assent() -> None:
    chorus = "They do it every year, and then they wonder why nobody believes them. "
    act = act_of(chorus * 8, CLAIM)
    assert len(chorus.split()) * 8 > LONG_TURN
    assert act.agree <= 0.25
    assert act.propose == 0


@pytest.mark.parametrize(
    ("text", "before", "argues"),
    [
        ("I would take B and 4, since the rule says so.", "What did you pick?", False),
        ("ok then lets do it", "sounds good to me", False),
        ("yes", "no", False),
        ("That is not how it works. Three companies have tried it.", "It always works.", True),
        ("word " * 41, "", True),
        ("I choose B. " + "It is the better one for us. " * 8, "Take A or C.", True),
    ],
)
def test_a_group_that_works_at_a_choice_does_not_argue(
    text: str, before: str, argues: bool
) -> None:
    assert is_argument(text, before) is argues


@pytest.mark.parametrize("text", ["take B and 4", "D is not needed", "the 7 has it", "A, C"])
def test_letters_and_numbers_that_stand_alone_are_options(text: str) -> None:
    assert names_option(text)


@pytest.mark.parametrize(
    "text",
    ["A man of 40 years", "3 miles a day", "99% of them", "I know", "it costs $5,000", "U.S. law"],
)
def test_amounts_and_articles_are_no_options(text: str) -> None:
    assert not names_option(text)


def test_a_line_of_chat_is_no_sentence() -> None:
    assert in_sentences("It works. It does. or does it")
    assert in_sentences('He said "no."')
    assert not in_sentences("lets go with that one")


def test_subjects_leave_no_trace_in_what_the_model_sees() -> None:
    bread = argument_features("You never baked any bread, did you?", "Their bread is dry.")
    boats = argument_features("You never built any boats, did you?", "Their boats are slow.")
    assert bread == boats


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    text = "This is not true. " * 400
    assert len(text) > LONGEST_READ
    assert argument_features(text, CLAIM) == argument_features(text[:LONGEST_READ], CLAIM)


def test_sides_are_shares_of_one() -> None:
    for reply, said, _ in written_arguments()[::20]:
        sides = side_of(reply, said)
        assert set(sides) == set(SIDES)
        assert sum(sides.values()) == pytest.approx(1)
