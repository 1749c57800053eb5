"""Edits of lines against one base are put together or said to conflict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.git.patch import split_lines
from workers.tools.fixes.merging import LineEdit, conflicting, render

BASE = b"a\nb\nc\nd"


def edit(start: int, end: int, *lines: str) -> LineEdit:
    return LineEdit(start, end, tuple(line.encode() for line in lines))


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        (edit(0, 1), edit(1, 2), False),
        (edit(0, 2), edit(1, 3), True),
        (edit(0, 3), edit(1, 2, "x\n"), True),
        (edit(1, 1, "x\n"), edit(1, 1, "y\n"), True),
        (edit(1, 1, "x\n"), edit(1, 1, "x\n"), False),
        (edit(1, 2, "x\n"), edit(1, 2, "y\n"), True),
        (edit(1, 1, "x\n"), edit(1, 2, "y\n"), False),
        (edit(2, 2, "x\n"), edit(1, 3, "y\n"), True),
    ],
)
def test_edits_conflict_when_both_cannot_be_had(
    one: LineEdit, other: LineEdit, conflict: bool
) -> None:
    assert conflicting([one], [other]) is conflict
    assert conflicting([other], [one]) is conflict


def test_edits_that_touch_are_both_made_and_a_double_once() -> None:
    edits = [edit(1, 2, "B\n"), edit(0, 1), edit(1, 2, "B\n"), edit(3, 4, "D\n"), edit(1, 1, "+\n")]
    assert render(BASE, edits) == b"+\nB\nc\nD\n"


@given(st.binary(max_size=60).map(lambda data: data.replace(b"\r", b"\n")))
def test_splitting_loses_nothing(data: bytes) -> None:
    assert b"".join(split_lines(data)) == data
    assert render(data, []) == data
