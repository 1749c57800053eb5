"""What a person may type when a decision is put to them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.presentation.choices import LATER, chosen, keys_for, not_offered, prompt
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.questions import asked
from tests.support.reports import make_decision

REVIEW, PLAN = ("apply_fix", "skip"), ("revise", "accept")


def test_exactly_the_options_of_the_decision_are_offered():
    assert keys_for(REVIEW) == {"a": "apply_fix", "s": "skip", "l": LATER}
    assert keys_for(PLAN) == {"r": "revise", "a": "accept", "l": LATER}


def test_the_prompt_names_them_in_both_languages():
    assert prompt(keys_for(PLAN), ENGLISH) == "[r]evise, [a]ccept or [l]ater? "
    assert prompt(keys_for(PLAN), Translator("ko")) == "[r] 수정, [a] 수락, [l] 나중에? "
    assert prompt(keys_for(REVIEW), ENGLISH) == "[a]pply, [s]kip or [l]ater? "


def test_a_key_a_word_and_a_name_mean_the_same():
    keys = keys_for(PLAN)
    assert {chosen(typed, keys, ENGLISH) for typed in ("r", "R", "revise", " Rev ")} == {"revise"}
    assert chosen("apply_fix", keys, ENGLISH) is None
    assert chosen("s", keys, ENGLISH) is None


def test_nothing_typed_is_later():
    assert chosen("\n", keys_for(REVIEW), ENGLISH) == LATER


@given(st.lists(st.from_regex(r"[a-z_]{1,12}", fullmatch=True), unique=True, max_size=12))
def test_every_option_has_a_key_of_its_own(options: list[str]):
    options = [one for one in options if one != LATER and any(c.isalnum() for c in one)]
    keys = keys_for(options)
    assert sorted(keys.values()) == sorted([*options, LATER])
    assert all(len(key) == 1 or key.isdigit() for key in keys)


def test_a_question_of_ours_is_asked_in_the_readers_language():
    row = make_decision()
    assert asked(row, Translator("ko")) == "수정을 적용하시겠습니까, 건너뛰시겠습니까?"
    something = {**row.question, "kind": "else", "prompt": "Something else?"}
    foreign = replace(row, kind="else", question=something)
    assert asked(foreign, Translator("ko")) == "Something else?"


@pytest.mark.parametrize("typed", ["abort", "?", "yes", "ask", "skipp", "apply all", "적용"])
def test_what_only_begins_like_an_option_is_no_answer(typed: str) -> None:
    keys = keys_for(REVIEW)
    assert chosen(typed, keys, ENGLISH) is None
    told = "Type a (apply), s (skip), l (later). Nothing is changed before that."
    assert not_offered(keys, ENGLISH) == told


@pytest.mark.parametrize("typed", ["A", "apply", "app", "APPLY_FIX", "적용"])
def test_an_option_its_label_and_their_beginnings_are_answers(typed: str) -> None:
    assert (
        chosen(typed, keys_for(REVIEW), Translator("ko" if typed == "적용" else "en"))
        == "apply_fix"
    )
