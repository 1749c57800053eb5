"""A text with its places: every character stands in one piece, with the highlights that hold it."""

from __future__ import annotations

import time

from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator.core.pictures import AnnotatedText, Highlight
from shared.models.findings import Severity

MARKS = st.builds(
    lambda start, length, label: Highlight(start, start + length, f"F{label}", Severity.MINOR),
    st.integers(0, 30),
    st.integers(1, 20),
    st.integers(1, 4),
)


@given(st.text(alphabet="ab \n한", max_size=25), st.lists(MARKS, max_size=6))
def test_the_pieces_are_the_text_and_each_has_the_highlights_of_its_characters(text, marks):
    shown = AnnotatedText("Chart", "chart", text, tuple(marks))
    lines = list(shown.lines())
    assert "\n".join(line.text for line in lines) == text
    for line in lines:
        at = line.start
        for piece in line.pieces():
            for place in range(at, at + len(piece.text)):
                assert set(piece.highlights) == {m for m in marks if m.start <= place < m.end}
            at += len(piece.text)
        assert at == line.start + len(line.text)


@example("a\n", [Highlight(1, 2, "F1", Severity.MINOR)])
@given(st.text(alphabet="ab\n", min_size=1, max_size=25), st.lists(MARKS, max_size=6, unique=True))
def test_a_highlight_that_ends_in_the_text_is_named_once_for_its_end(text, marks):
    within = [m for m in marks if m.end <= len(text)]
    shown = AnnotatedText("Chart", "chart", text, tuple(within))
    named = [label for line in shown.lines() for piece in line.pieces() for label in piece.ended]
    assert len(named) <= len(within)
    assert set(named) == {m.label for m in within}


def test_a_line_of_a_megabyte_with_thousands_of_places_takes_no_time():
    marks = tuple(Highlight(n * 100, n * 100 + 50, f"F{n}", Severity.MINOR) for n in range(10_000))
    (line,) = AnnotatedText("Chart", "chart", 1_000_000 * "x", marks).lines()
    began = time.process_time()
    assert sum(len(piece.ended) for piece in line.pieces()) == 10_000
    assert time.process_time() - began < 2
