"""Nothing that a model, a file or a person wrote may steer a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.lines import block, clean, exact, line, plain
from shared.models.letters import spelled_out


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


UNSEEN_CODES = (
    *(0xAD, 0x34F, 0x115F, 0x1160, 0x17B4, 0x180E, 0x200B, 0x200C, 0x200D, 0x2028, 0x2060, 0x2064),
    *(0x206A, 0x2800, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0x1D173, 0xE0041, 0xE0101),
    *(0xE01EF, 0xA0, 0x2003, 0x202F, 0x3000, 0xE000, 0xF0000, 0x180F, 0x2D7F, 0xFDD0, 0xFFFC),
    *(0x1107F, 0x16FE4, 0x1D159),
)


@pytest.mark.parametrize("code", UNSEEN_CODES, ids=hex)
def test_whatever_a_person_would_not_see_in_a_patch_is_spelled_out(code: int):
    shown = plain(exact(f"+def f(user{chr(code)}=None): ...\n"))
    assert shown == f"+def f(user<U+{code:04X}>=None): ...\n"


def test_every_character_that_unicode_ignores_by_default_is_spelled_out():
    ignored = {"Cf", "Cc", "Cs", "Co", "Zl", "Zp"}
    kept = {"\n", "\t"}
    for code in range(0x110000):
        character = chr(code)
        blank = character.isspace() and character != " "
        if (unicodedata.category(character) in ignored or blank) and character not in kept:
            assert spelled_out(f"a{character}b") == f"a<U+{code:04X}>b", hex(code)


def test_letters_that_look_like_others_are_spelled_out_where_they_hide_among_them():
    assert plain(exact("+is_\u0430dmin = True\n")) == "+is_<U+0430>dmin = True\n"
    assert plain(exact("+# \u0430\u0434\u043c\u0438\u043d 관리자 API를 é\n")).endswith(
        "관리자 API를 é\n"
    )


@pytest.mark.parametrize(
    "hidden",
    # Latin alpha and script g, Armenian, Cherokee, Coptic, Lisu, Canadian Syllabics
    ["\u0251dmin", "\u0261et", "\u0585pen", "lo\u0581in", "\u13aadmin", "\u2c9fpen", "\ua4eemin", "\u15afad"],
)  # fmt: skip
def test_a_letter_of_any_script_with_latin_forms_is_spelled_out_in_a_latin_word(hidden: str):
    letter = next(one for one in hidden if not one.isascii())
    assert spelled_out(hidden) == hidden.replace(letter, f"<U+{ord(letter):04X}>")


@pytest.mark.parametrize("word", ["가API를", "naïve", "Δx", "日本語text", "straße", "नमस्ते", "հայ"])
def test_words_of_other_scripts_and_with_accents_stay_as_they_are(word: str):
    assert spelled_out(word) == word


def test_blanks_at_the_end_of_a_line_are_spelled_out():
    assert plain(exact("-x = 1 \n+x = 1\n")) == "-x = 1<U+0020>\n+x = 1\n"


def test_an_empty_line_of_a_patchs_context_is_shown_as_it_is():
    assert plain(exact(" a\n \n+ \n b\n")) == " a\n \n+<U+0020>\n b\n"


def test_a_block_keeps_its_lines():
    assert plain(block("one\ntwo\n", indent="  ")) == "  one\n  two\n"
