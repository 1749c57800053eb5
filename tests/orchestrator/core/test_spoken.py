"""What a person writes becomes the reply that was asked for, or a sentence that says what is missing."""

from __future__ import annotations

import json

import pytest

from orchestrator.core.discussion.spoken import form_of, reply_of
from shared.errors import UserError
from shared.models.deliberation import SpokenReply
from shared.models.replies import REPLY_MODELS


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("APPROVED", {"verdict": "APPROVED", "summary": ""}),
        ("needs_fix: the eval", {"verdict": "NEEDS_FIX", "summary": "the eval"}),
        ("NEEDS_FIX\n\nTwo\nlines", {"verdict": "NEEDS_FIX", "summary": "Two\nlines"}),
        ('{"verdict": "APPROVED"}', {"verdict": "APPROVED"}),
        ('```json\n{"verdict": "APPROVED"}\n```', {"verdict": "APPROVED"}),
    ],
)
def test_a_critique_is_words_after_a_verdict_or_json(text: str, reply: dict[str, str]) -> None:
    assert json.loads(reply_of(text, "critique.review")) == reply


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("```\n\n```", "empty"),
        ("It looks good to me", "begin the answer with your verdict"),
        ("APPROVEDLY", "begin the answer with your verdict"),
        ("not APPROVED", "begin the answer with your verdict"),
        ('{"verdict": "MAYBE"}', "verdict"),
        ('{"verdict": ', "begins like JSON"),
        ('{"opinion": "good"}', "none of the fields"),
        ('{"summary": "no verdict"}', "verdict"),
    ],
)
def test_a_verdict_is_never_guessed(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        reply_of(text, "critique.review")


@pytest.mark.parametrize(
    ("reply_model", "right", "wrong", "said"),
    [
        ("bid", "PASS", "perhaps", "REQUEST or PASS"),
        ("selection", "SELECT: Ada", "Ada", "SELECT: NAME"),
        ("ballot", "동의 - 그렇습니다", "well", "AGREE, PARTIAL"),
        ("ranking", "1. B\n2. A", "B is best", "best first"),
    ],
)
def test_words_that_a_worker_could_not_read_are_refused_with_the_form(
    reply_model: str, right: str, wrong: str, said: str
) -> None:
    assert reply_of(right, reply_model) == right
    with pytest.raises(UserError, match=said):
        reply_of(wrong, reply_model)


def test_a_synthesis_is_words() -> None:
    assert json.loads(reply_of("We agree.", "synthesis")) == {"summary": "We agree."}


def test_a_turn_that_may_be_answered_in_words_is_stored_as_it_was_written() -> None:
    spoken = [name for name, model in REPLY_MODELS.items() if issubclass(model, SpokenReply)]
    assert spoken
    assert reply_of(" Because it is. ", spoken[0]) == "Because it is."


@pytest.mark.parametrize("reply_model", REPLY_MODELS)
def test_every_reply_model_has_a_form_for_people(reply_model: str) -> None:
    assert form_of(reply_model).endswith(".")
