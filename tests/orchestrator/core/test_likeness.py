"""Two texts are the same letter by letter only when nothing that they say differs."""

import pytest

from orchestrator.core.findings.likeness import letters


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Yes.", "yes"),
        ("**Move it**, now!", "move it now"),
        ("“Keep” the server", "'Keep' the server"),
        ("re-use it", "reuse it"),
        ("Ｙｅｓ", "yes"),
        ("옮깁시다.", "옮깁 시다"),
        ("Yes\u200b", "Yes"),
    ],
)
def test_case_spacing_and_idle_punctuation_say_nothing(one: str, other: str):
    assert letters(one) == letters(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Write it in C++", "Write it in C#"),
        ("Use version 1.5", "Use version 15"),
        ("x < 5", "x > 5"),
        ("x != y", "x = y"),
        ("Set it to -5", "Set it to 5"),
        ("5 %", "5 €"),
        ("we should", "we should not"),
        ("कल", "काला"),
        ("???", "!!!"),
    ],
)
def test_a_sign_that_changes_what_is_said_keeps_them_apart(one: str, other: str):
    assert letters(one) != letters(other)
