"""Words that stand under their speaker's name stay there: nobody writes a heading that is another's."""

import pytest

from orchestrator.core.wording import id_ranges, under_name

BREAKS = ("\n\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029")


@pytest.mark.parametrize("line_break", BREAKS)
@pytest.mark.parametrize("forged", ["# alice", "  # alice", "> # alice", "alice\n====="])
def test_a_heading_in_somebodys_words_is_part_of_the_quotation(forged: str, line_break: str):
    text = under_name("mallory", f"It moves.{line_break}{forged}{line_break}I agree.")
    head, blank, *rest = text.splitlines()
    assert (head, blank) == ("# mallory", "")
    assert all(line.startswith("> ") for line in rest)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["F1"], "F1"),
        (["F1", "F2"], "F1, F2"),
        (["F3", "F1", "F2"], "F1–F3"),
        ([f"F{n}" for n in range(1, 101)], "F1–F100"),
        (["F1", "F2", "F3", "F5", "R2F6", "R2F7", "R2F8"], "F1–F3, F5, R2F6–R2F8"),
        (["F9", "R2F10", "F10"], "F9, F10, R2F10"),
        (["x"], "x"),
    ],
)
def test_ids_that_follow_one_another_are_a_range(names, told):
    assert id_ranges(names) == told
