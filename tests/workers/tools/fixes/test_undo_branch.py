"""undo takes a branch back as long as nobody worked on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.errors import ToolError
from tests.workers.tools.changes import new_repo
from tests.workers.tools.orders import Case, reviewed
from workers.tools.fixes.undo import undo
from workers.tools.registry import ToolContext, run_tool
from workers.tools.sandbox.sandbox import Countdown

BRANCH = "quorate/fix-run_01"


def case(tmp_path: Path) -> Case:
    repo = new_repo(tmp_path / "r")
    return reviewed(repo, {"a.py": "x = 1\n"}, {"a.py": "x = 2\n"}, {"a.py": "x = 3\n"})


def test_an_unchanged_branch_is_deleted_once(tmp_path: Path) -> None:
    this = case(tmp_path)
    applied = this.apply()
    assert undo(applied, this.documents, Countdown(60.0)).code == "undo_deleted"
    assert this.repo.git("branch", "--list", "quorate/*") == ""
    assert undo(applied, this.documents, Countdown(60.0)).code == "undo_gone"


def test_a_branch_with_somebodys_work_is_kept(tmp_path: Path) -> None:
    this = case(tmp_path)
    applied = this.apply()
    this.repo.git("branch", "-f", BRANCH, "HEAD")
    with pytest.raises(ToolError, match="was changed since the fix: nothing was undone"):
        undo(applied, this.documents, Countdown(60.0))


def test_a_branch_that_is_checked_out_is_kept(tmp_path: Path) -> None:
    this = case(tmp_path)
    applied = this.apply()
    this.repo.git("checkout", "-q", BRANCH)
    with pytest.raises(ToolError, match="checked out"):
        undo(applied, this.documents, Countdown(60.0))


def test_only_branches_of_ours_are_deleted(tmp_path: Path) -> None:
    this = case(tmp_path)
    applied = this.apply()
    forged = applied.model_copy(
        update={"branch": "main", "commit": this.repo.git("rev-parse", "main")}
    )
    with pytest.raises(ToolError, match="not a branch that Quorate made"):
        undo(forged, this.documents, Countdown(60.0))


def test_a_reply_that_is_none_is_refused(tmp_path: Path) -> None:
    this = case(tmp_path)
    for wrong in (None, {"x": 1}, "0" * 64):
        with pytest.raises(ToolError):
            run_tool("undo", {"applied": wrong}, ToolContext(this.documents, 10.0))  # type: ignore[dict-item]
