"""Edits become unified diffs that git applies."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from workers.tools.analysers.edits import Edit, apply_edits, file_patch

TEXTS = [
    ("a\nb\nc\n", "a\nB\nc\n"),
    ("a\nb\nc", "a\nb\nC"),
    ("a\nb\n", "a\nb"),
    ("", "a\n"),
    ("a\n", ""),
    ("\n" * 30 + "x\n" + "\n" * 30, "\n" * 30 + "y\n" + "\n" * 30),
    ("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n"),
    (
        "".join(f"{n}\n" for n in range(500)),
        "".join(f"{n}\n" for n in range(500) if n not in (7, 480)),
    ),
    ("a\x0cb\u2028c\nd\n", "a\x0cb\u2028c\ne\n"),
]


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_git_applies_a_patch_to_the_same_result(number: int, tmp_path: Path) -> None:
    before, after = TEXTS[number]
    path = "폴더 이름/파일 a.txt"
    target = tmp_path / path
    target.parent.mkdir()
    target.write_bytes(before.encode())
    patch = file_patch(path, before, after)
    assert patch is not None
    command = ["git", "apply", "-"]
    subprocess.run(command, cwd=tmp_path, input=patch.encode(), check=True, capture_output=True)
    assert (target.read_bytes() if target.exists() else b"") == after.encode()


def test_equal_texts_have_no_patch_and_neither_have_names_that_git_quotes() -> None:
    assert file_patch("a.py", "x\n", "x\n") is None
    assert file_patch('a".py', "x\n", "y\n") is None


def test_a_small_change_in_a_large_file_gives_a_small_patch() -> None:
    lines = [f"line {n}\n" for n in range(20_000)]
    patch = file_patch("a", "".join(lines), "".join([*lines[:15_000], "new\n", *lines[15_000:]]))
    assert patch is not None
    assert len(patch.splitlines()) < 12
    assert "@@ -14998,6 +14998,7 @@" in patch


def test_edits_count_columns_in_characters() -> None:
    text = 'x = "한글😀"; import os; y\n'
    assert apply_edits(text, [Edit((1, 12), (1, 23), "")]) == 'x = "한글😀"; y\n'


def test_edits_may_come_in_any_order_but_not_overlap_or_lie_outside() -> None:
    edits = [Edit((2, 1), (2, 2), "B"), Edit((1, 1), (1, 2), "A")]
    assert apply_edits("a\r\nb\r\n", edits) == "A\r\nB\r\n"
    assert apply_edits("abc", [Edit((1, 1), (1, 3), ""), Edit((1, 2), (1, 3), "")]) is None
    for outside in (Edit((3, 1), (3, 1), ""), Edit((1, 9), (1, 9), ""), Edit((1, 3), (1, 1), "")):
        assert apply_edits("abc\n", [outside]) is None
