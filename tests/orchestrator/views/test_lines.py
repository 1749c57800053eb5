"""Nothing that a model, a file or a person wrote may steer a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.views.lines import block, clean, exact, line, plain


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "31mred"),
        ("ab\bc\rd", "abcd"),
        ("user\u202etxt.exe", "usertxt.exe"),
        ("한글과 emoji ✋ stay", "한글과 emoji ✋ stay"),
        ("two\nlines\tand tab", "two lines    and tab"),
    ],
)
def test_a_span_shows_the_text_and_none_of_its_controls(hostile: str, shown: str):
    assert clean(hostile) == shown
    assert plain([line(hostile)]) == shown + "\n"


@given(st.text())
def test_no_text_leaves_a_control_character_in_a_line(text: str):
    categories = {unicodedata.category(character) for character in clean(text)}
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}


@given(st.text())
def test_no_text_leaves_a_control_character_in_a_patch(text: str):
    shown = plain(exact(text)).replace("\n", "").replace("\t", "")
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cs"}


def test_a_patch_spells_out_what_would_not_be_seen_instead_of_dropping_it():
    shown = plain(exact("+ok = True  # \u202e\n-\x1b[2J\n"))
    assert shown == "+ok = True  # <U+202E>\n-<U+001B>[2J\n"


def test_a_block_keeps_its_lines():
    assert plain(block("one\ntwo\n", indent="  ")) == "  one\n  two\n"
