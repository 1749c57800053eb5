"""Replies in words instead of JSON, as the workers read them."""

import pytest

from shared.models.deliberation import Answer, Bid, Selection, Speech
from workers.turns.replies import ReplyProblem, parse


def test_a_model_that_answers_in_the_design_s_words_is_understood() -> None:
    assert parse("REQUEST", "bid") == Bid(action="REQUEST")
    assert parse("Both ask.\nSELECT: Gemini", "selection") == Selection(
        action="SELECT", speaker="Gemini", reason="Both ask."
    )
    assert parse("동의합니다.", "speech") == Speech(speech="동의합니다.")


def test_json_comes_before_words() -> None:
    text = 'PASS is what I thought first.\nPASS\n{"action": "request", "reason": "tests"}'

    assert parse(text, "bid") == Bid(action="REQUEST", reason="tests")


def test_an_answer_may_show_json_without_being_it() -> None:
    text = 'Use this configuration:\n\n```json\n{"port": 80, "host": "a"}\n```\nand {"x": 1'

    assert parse(text, "answer") == Answer(answer=text)


@pytest.mark.parametrize(
    ("text", "reply_model"),
    [
        ('{"answer": "cut off', "answer"),
        ('{"speech": ""}', "speech"),
        ('{"action": "MAYBE"}\nREQUEST', "bid"),
        ("I do not REQUEST", "bid"),
        ("I RECOMMEND: a monolith", "selection"),
        ('{"action": "END"}', "selection"),
        ("it is approved", "synthesis"),
    ],
)
def test_spoilt_json_and_idle_words_are_no_reply(text: str, reply_model: str) -> None:
    assert isinstance(parse(text, reply_model), ReplyProblem)


def test_what_no_store_can_hold_is_replaced_in_words_too() -> None:
    assert parse("one\x00two", "answer") == Answer(answer="one\ufffdtwo")
