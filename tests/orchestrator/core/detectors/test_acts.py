"""What a turn does to the one before: agree, disagree, propose, or something else."""

from __future__ import annotations

import pytest

from orchestrator.core.consensus.detectors.acts import (
    AGREE,
    DISAGREE,
    LONG_TURN,
    OTHER,
    Act,
    act_of,
    features,
)

PROPOSAL = "I suggest that we keep the queue and drop the cache."


@pytest.mark.parametrize(
    "text",
    [
        "Yes, I agree with that.",
        "Sounds good to me",
        "agreed",
        "That makes sense",
        "네, 동의합니다.",
        "저도 그 의견에 찬성합니다.",
        "좋아요, 그렇게 하죠.",
    ],
)
def test_assent_is_heard(text: str) -> None:
    assert act_of(text, PROPOSAL).stance == AGREE


@pytest.mark.parametrize(
    "text",
    [
        "No, I disagree with that.",
        "I don't agree, that is wrong.",
        "That is not right, the queue loses jobs.",
        "아니요, 그건 틀렸습니다.",
        "동의하지 않습니다.",
        "저는 반대합니다.",
    ],
)
def test_dissent_is_heard(text: str) -> None:
    assert act_of(text, PROPOSAL).stance == DISAGREE


@pytest.mark.parametrize(
    "text",
    [
        "Hello everybody",
        "How long may we talk?",
        "Does anybody agree?",
        "안녕하세요.",
        "동의하시나요?",
        "",
        "```\nagree\n```",
        "> I agree with everything",
    ],
)
def test_greetings_questions_quotations_and_silence_take_no_side(text: str) -> None:
    assert act_of(text, PROPOSAL).stance == OTHER


@pytest.mark.parametrize(
    ("before", "text", "stance"),
    [
        ("That will not scale.", "Yes it will", DISAGREE),
        ("You don't have to lock it.", "yes you do", DISAGREE),
        ("Shall we take the second one?", "yes", AGREE),
    ],
)
def test_the_same_yes_means_what_the_turn_before_makes_of_it(
    before: str, text: str, stance: str
) -> None:
    assert act_of(text, before).stance == stance


def test_a_long_turn_that_agrees_is_never_sure() -> None:
    essay = (
        "Yes, I completely agree with your perspective. " + "The queue is the better choice. " * 15
    )
    assert len(essay.split()) > LONG_TURN
    act = act_of(essay, PROPOSAL)
    assert act.agree < 0.3
    assert act.disagree < 0.3
    assert act.stance == AGREE


def test_a_long_turn_that_stands_by_its_own_view_disagrees_however_polite_it_is() -> None:
    essay = (
        "I see your point and I agree that the queue is simple. However, I still believe that the log "
        "is the better choice. " + "It keeps every event in its order. " * 12
    )
    assert act_of(essay, PROPOSAL).stance == DISAGREE


def test_subjects_leave_no_trace_in_what_the_model_sees() -> None:
    one = features("I would go with 3 and B, like Alice", "Alice: 3", ("Alice",))
    other = features("I would go with 8 and D, like Robert", "Robert: 8", ("Robert",))
    assert one == other


def test_rare_disagreement_speaks_up_before_it_is_the_likeliest() -> None:
    assert Act(agree=0.1, disagree=0.4).stance == DISAGREE
    assert Act(agree=0.1, disagree=0.2).stance == OTHER
