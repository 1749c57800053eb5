"""The benchmark of reversed fixes: which commits count as fixes, what is reviewed, and what it says of the answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.reversed_fixes import Answer, ReversedFix, committed, is_fix, planted, summary
from tests.fixtures.instance import git


@pytest.mark.parametrize(
    ("subject", "fix"),
    [
        ("Fix off-by-one in paging", True),
        ("fixes #12: crash on an empty list", True),
        ("Fix typo in README", False),
        ("Prefix all routes", False),
        ("Add a pager", False),
    ],
)
def test_a_fix_is_what_its_subject_calls_one(subject: str, fix: bool) -> None:
    assert is_fix(subject) is fix


def test_a_planted_bug_is_put_back_from_the_fixed_body() -> None:
    row = {"task_id": "t/1", "prompt": "def f():\n", "canonical_solution": "    return 1\n"}
    (case,) = planted([json.dumps({**row, "buggy_solution": "    return 2\n"})])
    assert case.before == {"task.py": b"def f():\n    return 1\n"}
    assert case.after == {"task.py": b"def f():\n    return 2\n"}


def test_of_a_repository_the_newest_fixes_of_sources_are_taken_back(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    for name, text, subject in (
        ("a.py", "x = 1\n", "Begin"),
        ("a.py", "x = 2\n", "Fix the number"),
        ("notes.txt", "n\n", "Fix the notes"),
        ("b.py", "y = 1\n", "Fix a missing file"),
    ):
        (tmp_path / name).write_text(text)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", subject)
    newest, older = committed(tmp_path, 5)
    assert (newest.before, newest.after) == ({"b.py": b"y = 1\n"}, {"b.py": None})
    assert (older.before, older.after) == ({"a.py": b"x = 2\n"}, {"a.py": b"x = 1\n"})


def test_every_approved_one_is_named_and_counted() -> None:
    case = ReversedFix("here", "abc Fix it", {}, {})
    lines = summary(
        [Answer(case, "APPROVED", "passed", 0), Answer(case, "CHECKS_PASSED", "passed", 0)]
    )
    assert lines[-2:] == ["APPROVED: here abc Fix it", "1 of 2 reversed fixes APPROVED"]
