"""A patch is shown exactly: by files, with numbers and colours, old beside new; nothing is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.lines import patch_rows
from orchestrator.web.pages.patch_view import MOST_BESIDE, PatchHunk, PatchView
from tests.support.hostile_texts import HOSTILE, active_parts, text_of

PATCH = """diff --git a/prices.py b/prices.py
index 3a8924f..79a363d 100644
--- a/prices.py
+++ b/prices.py
@@ -5,5 +5,6 @@ def total(prices, discount=None):
     result = sum(prices)
     if discount is None:
         return result
-    return result - result * eval(discount)
+    return result - result * float(discount)
+
 # end
"""


def hunk(patch: str) -> PatchHunk:
    return PatchView.of(patch).files[0].hunks[0]


def rows_of(view: PatchView) -> list[str]:
    """Every line that is shown, as the patch has it."""
    rows = list(view.verbatim)
    for file in view.files:
        rows += file.head
        for part in file.hunks:
            rows.append(part.header)
            rows += [
                ("" if row.kind == "note" else row.sign) + text_of(row.code) for row in part.rows
            ]
    return rows


def test_lines_have_the_numbers_of_both_states() -> None:
    numbers = [(row.kind, row.old, row.new) for row in hunk(PATCH).rows]
    assert numbers == [
        ("context", 5, 5),
        ("context", 6, 6),
        ("context", 7, 7),
        ("removed", 8, None),
        ("added", None, 8),
        ("added", None, 9),
        ("context", 9, 10),
    ]
    file = PatchView.of(PATCH).files[0]
    assert (file.name, file.added, file.removed) == ("prices.py", 2, 1)


def test_old_stands_beside_new() -> None:
    pairs = [(left and left.old, right and right.new) for left, right in hunk(PATCH).pairs]
    assert pairs == [(5, 5), (6, 6), (7, 7), (8, 8), (None, 9), (9, 10)]  # fmt: skip


def test_code_is_in_colours_and_what_changed_in_a_line_is_marked() -> None:
    patch = PATCH.replace("+\n", "").replace("-5,5 +5,6", "-5,5 +5,5")
    removed, added = (row.code for row in hunk(patch).rows if row.kind != "context")
    assert '<mark><span class="hl-nb">eval</span></mark>' in removed
    assert '<mark><span class="hl-nb">float</span></mark>' in added
    assert '<span class="hl-k">return</span>' in added


def test_a_text_that_is_no_patch_is_shown_as_it_is() -> None:
    view = PatchView.of("not a patch\n<b>at all</b>")
    assert view.files == ()
    assert view.verbatim == ("not a patch", "<b>at all</b>")
    assert not view.beside


def test_a_header_is_shown_as_it_was_written() -> None:
    for written in (
        PATCH.replace("@@ -5,5", "@@ -05,5"),
        "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-a\n+b\n",
    ):
        view = PatchView.of(written)
        assert view.files
        assert rows_of(view) == patch_rows(written)


def test_a_long_patch_is_shown_in_one_column() -> None:
    lines = "".join(f"+{n}\n" for n in range(MOST_BESIDE + 1))
    patch = f"--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,{MOST_BESIDE + 1} @@\n{lines}"
    view = PatchView.of(patch)
    assert view.files[0].added == MOST_BESIDE + 1
    assert not view.beside


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_in_a_patch_does_nothing_and_is_shown(text: str) -> None:
    line = text.replace("\n", " ")
    patch = f"--- a/x.html\n+++ b/x.html\n@@ -1 +1 @@\n-{line}\n+{line}!\n"
    view = PatchView.of(patch)
    assert rows_of(view) == patch_rows(patch)
    for row in (row for file in view.files for part in file.hunks for row in part.rows):
        assert active_parts(row.code) == []


LINES = st.lists(
    st.tuples(st.sampled_from(" +-"), st.text(st.characters(exclude_characters="\n"), max_size=20)),
    min_size=1,
    max_size=12,
)


@given(LINES, st.sampled_from(("a.py", "b.html", "c.unknown")))
def test_every_line_of_every_patch_is_shown(lines: list[tuple[str, str]], name: str) -> None:
    old = sum(tag != "+" for tag, _ in lines)
    new = sum(tag != "-" for tag, _ in lines)
    body = "".join(f"{tag}{text}\n" for tag, text in lines)
    patch = f"--- a/{name}\n+++ b/{name}\n@@ -1,{old} +1,{new} @@\n{body}"
    assert rows_of(PatchView.of(patch)) == patch_rows(patch)
