"""Applying and reverting, on random changes."""

from __future__ import annotations

import difflib

from hypothesis import given
from hypothesis import strategies as st

from shared.git.hunks import apply_hunks, changed_ranges, new_file_patch, revert_hunks
from shared.git.names import quote
from shared.git.patch import parse_patch, split_lines

TEXTS = st.lists(
    st.sampled_from(["a", "b", "", "-x", "+y", "--- z", "@@ -1 +1 @@", "가\r"]), max_size=30
)


@given(TEXTS, TEXTS)
def test_a_patch_leads_from_one_state_to_the_other_and_back(old: list[str], new: list[str]) -> None:
    before, after = ("".join(f"{line}\n" for line in lines).encode() for lines in (old, new))
    lines = difflib.diff_bytes(
        difflib.unified_diff, split_lines(before), split_lines(after), b"a/x", b"b/x"
    )
    diff = b"".join(lines)
    if not diff:
        assert before == after
        return
    (patch,) = parse_patch(diff)
    assert apply_hunks(before, patch.hunks) == after
    assert revert_hunks(after, patch.hunks) == before
    added = {n for r in changed_ranges(patch.hunks) for n in range(r.first, r.last + 1)}
    assert len(added) == sum(line.tag == b"+" for hunk in patch.hunks for line in hunk.lines)


@given(st.binary(max_size=200).filter(lambda b: b"\0" not in b), st.text(min_size=1, max_size=20))
def test_a_new_file_keeps_its_name_and_bytes(content: bytes, name: str) -> None:
    path = name.replace("\0", "0").encode("utf-8", "replace")
    (patch,) = parse_patch(new_file_patch(path, content))
    assert (patch.old, patch.new) == (None, path)
    assert apply_hunks(b"", patch.hunks) == content
    assert parse_patch(
        b"--- %b\n+++ %b\n@@ -1 +1 @@\n-a\n+b\n" % (quote(b"a/" + path), quote(b"b/" + path))
    )


def test_lines_that_are_elsewhere_are_not_searched() -> None:
    (patch,) = parse_patch(b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
    assert apply_hunks(b"0\na\n", patch.hunks) is None
    assert revert_hunks(b"a\n", patch.hunks) is None
