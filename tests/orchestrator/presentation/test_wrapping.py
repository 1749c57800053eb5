"""Text in the cells of a terminal, also with Korean and emoji."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from orchestrator.core.lines import Line, Span, Style, line, plain
from orchestrator.presentation.wrapping import cut, filled, folded, head, tail, width_of, wrapped

TEXTS = st.text(st.sampled_from("ab 한글 🎤✋💤\n\t-é。"), max_size=200)
# Signs of several characters: combining marks, Hangul in parts, joined emoji, flags, fillers without a width.
SIGNS = st.lists(
    st.sampled_from(
        "a| |글|e\u0301|\u1100|\u1161|\u11a8|\u3164|❤\ufe0f|1\ufe0f\u20e3|🇰🇷|👨\u200d👩\u200d👧|🏽|\u200d|\ufe0f".split(
            "|"
        )
    ),
    max_size=30,
).map("".join)


@given(TEXTS, st.integers(2, 40))
def test_no_line_is_wider_than_asked_for_and_no_word_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert all(cell_len(one) <= width for one in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(TEXTS, st.integers(2, 40), st.integers(0, 6))
def test_a_tail_and_a_head_have_room(text: str, width: int, height: int) -> None:
    for lines in (tail(text, width, height), head(text, width, height)):
        assert len(lines) <= height
        assert all(cell_len(one) <= width for one in lines)


def test_words_stay_whole_where_they_fit() -> None:
    assert wrapped("one two three", 8) == ["one two", "three"]
    assert wrapped("두 분 의견", 6) == ["두 분", "의견"]
    assert wrapped("한국어한국어", 5) == ["한국", "어한", "국어"]


@pytest.mark.parametrize("sign", ["word ", "한국어 ", "x"])
def test_lines_stand_still_while_a_text_grows(sign: str) -> None:
    text = sign * 3000
    ends = [tail(text[:length], 24, 10) for length in range(2500, 2800)]
    moved = sum(
        not set(earlier[1:-1]) <= set(later) for earlier, later in pairwise(ends)
    )  # a paragraph without end is begun anew now and then
    assert moved <= 2


def test_a_tail_is_the_end_and_a_head_the_beginning() -> None:
    text = "\n".join(f"line {number}" for number in range(100))
    assert tail(text, 20, 2) == ["line 98", "line 99"]
    assert head(text, 20, 2) == ["line 0", "line 1…"]


@given(st.lists(TEXTS, max_size=4), st.integers(0, 30))
def test_a_cut_line_fits(texts: list[str], width: int) -> None:
    assert width_of(cut(line(*texts), width)) <= width


@given(SIGNS, SIGNS, st.integers(1, 20), st.integers(0, 3))
def test_signs_of_several_characters_fit_wherever_they_are_cut(
    one: str, other: str, width: int, height: int
) -> None:
    assert width_of(cut(line(one, other), width)) <= width
    assert cell_len(filled(one, width)) == width
    for shown in (*wrapped(one, width), *head(one, width, height), *tail(one, width, height)):
        assert cell_len(shown) <= max(width, 2)


def test_a_cut_line_keeps_its_styles() -> None:
    shown = cut(line(Span("ab", Style.STRONG), "cdef"), 4)
    assert shown == (Span("ab", Style.STRONG), Span("cd"))


@given(st.lists(TEXTS, min_size=1, max_size=3), st.integers(8, 40))
def test_a_folded_line_keeps_every_word_and_fits(texts: list[str], width: int) -> None:
    one = line(*texts)
    parts = folded([one], width)
    assert all(width_of(part) <= width for part in parts)
    assert "".join(plain(parts).split()) == "".join(plain([one]).split())


@given(SIGNS, SIGNS, st.integers(8, 20))
def test_a_folded_line_of_signs_of_several_characters_fits(
    first: str, second: str, width: int
) -> None:
    shown = line(Span(first, Style.STRONG), second)
    parts = folded([shown], width)
    assert all(width_of(part) <= width for part in parts)
    # Signs that nobody sees are left out at the end of a row, and stand within one.
    assert seen(parts) == seen([shown])


def seen(lines: Iterable[Line]) -> str:
    return "".join(plain(lines).translate(dict.fromkeys(map(ord, "\u200d\ufe0f\u3164"))).split())


def test_what_is_folded_stands_as_far_in_as_its_line_began() -> None:
    assert plain(folded([line("    one two ", Span("three", Style.DIM))], 12)) == (
        "    one two\n    three\n"
    )
    assert folded([line("short")], 12) == [line("short")]


def test_an_address_is_never_broken_and_has_a_line_of_its_own() -> None:
    address = "https://bandit.readthedocs.io/en/1.9.1/plugins/b608_hardcoded_sql_expressions.html"
    rows = [plain([row]).strip() for row in folded([line(f"    see {address} for more")], 40)]

    assert rows == ["see", address, "for more"]
