"""The live picture leaves nothing behind: reported lines stay above it, and only what has changed is written."""

from __future__ import annotations

import os
from contextlib import redirect_stderr

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.live.live_display import LiveDisplay, LiveRegion
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.terminal import Terminal
from tests.support.screens import Screen

FAMILY = "\U0001f469‍\U0001f469‍\U0001f467"  # two cells for some terminals, six for others
TEXTS = st.lists(
    st.sampled_from(["a", "word " * 4, "한국어 🎤", "─" * 20, "", "x" * 20]), max_size=6
)


def lines(texts: list[str]) -> list[Line]:
    return [line(Span(text, Style.STRONG)) for text in texts]


def seen(screen: Screen) -> list[str]:
    return without_end([one.replace("\0", "") for one in screen.shown])


def without_end(texts: list[str]) -> list[str]:
    """Without blanks at the ends of lines, and without blank lines at the end."""
    return "\n".join(text.rstrip() for text in texts).rstrip("\n").split("\n")


@settings(max_examples=60)
@given(steps=st.lists(st.tuples(st.booleans(), TEXTS), max_size=12), colour=st.booleans())
def test_the_screen_holds_what_was_told_and_the_latest_picture(
    steps: list[tuple[bool, list[str]]], colour: bool
) -> None:
    screen, region = Screen(20, 40), LiveRegion(colour=colour)
    told: list[str] = []
    picture: list[str] = []
    for is_told, texts in steps:
        if is_told and texts:
            screen.write(region.above(lines(texts), 20))
            told += texts
        elif not is_told:
            screen.write(region.change(lines(texts), 20))
            picture = texts
        assert seen(screen) == without_end([*told, *picture])
        assert screen.modes["?7"]
    screen.write(region.erased(20))
    assert seen(screen) == without_end(told)


def test_a_sign_that_the_terminal_shows_wider_leaves_no_rubbish() -> None:
    screen, region = Screen(20, 10), LiveRegion(colour=False)
    for number in range(5):
        texts = ["a" * 18 + FAMILY, f"{number} s"]
        screen.write(region.change(lines(texts), 20))
    assert len(screen.lines) == 2
    assert screen.shown[1] == "4 s"


def test_only_changed_lines_are_written() -> None:
    region = LiveRegion(colour=False)
    first = [f"line {number}" for number in range(30)]
    region.change(lines(first), 80)
    assert region.change(lines(first), 80) == ""
    changed = region.change(lines([*first[:-1], "other"]), 80)
    assert "other" in changed
    assert "line" not in changed
    assert len(changed) < 150


def test_a_narrower_window_wraps_what_was_drawn_and_it_is_drawn_anew() -> None:
    region = LiveRegion(colour=False)
    region.change(lines(["x" * 20, "y" * 20, "z"]), 20)
    screen = Screen(10, 40)
    screen.write("x" * 20 + "\r\n" + "y" * 20 + "\r\nz\r")  # as a terminal shows it now
    assert len(screen.lines) == 5
    screen.write(region.change(lines(["x" * 10, "y" * 10, "z"]), 10))
    assert screen.shown == ["x" * 10, "y" * 10, "z"]
    screen.write(region.change(lines(["x" * 10, "y" * 10, "9"]), 10))
    assert screen.shown == ["x" * 10, "y" * 10, "9"]


def test_a_terminal_that_was_closed_is_a_reader_that_has_gone() -> None:
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "w") as terminal, redirect_stderr(terminal):
        os.close(ours)
        with pytest.raises(BrokenPipeError), LiveDisplay(Terminal.of({}), ENGLISH):
            pass
