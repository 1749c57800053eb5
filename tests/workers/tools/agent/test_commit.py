"""An approved state becomes one commit on the run's branch; nothing else of the person's changes."""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path
from typing import Any

import pytest

from shared.errors import ToolError
from shared.models.agent import BranchCommit, CheckedPatch
from shared.models.review_replies import Applied
from shared.models.workspace import Workspace, WorkspaceFile
from tests.workers.tools.agent.workspaces import Project, new_project
from tests.workers.tools.fixes.test_hostile_repository import set_traps
from workers.tools.fixes.undo import undo
from workers.tools.sandbox.sandbox import Countdown

BRANCH = "quorate/agent-run_01"
FIRST = "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
SECOND = "diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+echo\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path / "p", {"app.py": "a = 1\n", "old.txt": "old\n"})


def changed(project: Project, state: Workspace, patch: str) -> CheckedPatch:
    reply = project.run("agent.patch", state, patch=patch)
    assert isinstance(reply, CheckedPatch)
    assert reply.after is not None
    return reply


def committed(
    project: Project, change: CheckedPatch, effect: str = "run_01/1", **inputs: Any
) -> BranchCommit:
    assert change.after is not None
    given = {
        "run": "run_01",
        "effect": effect,
        "approved": hashlib.sha256(change.whole.encode()).hexdigest(),
        "title": "Make a two",
        **inputs,
    }
    reply = project.run("agent.commit", change.after, **given)
    assert isinstance(reply, BranchCommit)
    return reply


def test_the_state_is_one_commit_and_the_person_s_files_stay(project: Project) -> None:
    project.repo.write({"app.py": "uncommitted\n", "new.txt": "untracked\n"})
    before = project.repo.state()
    head = project.repo.git("rev-parse", "HEAD")
    done = committed(project, changed(project, project.workspace_with({}), FIRST), message="Why.")
    assert project.repo.state() == before
    assert (done.branch, done.base, done.files) == (BRANCH, head, ("app.py",))
    assert project.repo.git("rev-parse", BRANCH) == done.commit
    assert project.repo.git("show", f"{BRANCH}:app.py") == "a = 2"
    assert project.repo.git("show", f"{BRANCH}:old.txt") == "old"
    assert project.repo.git("log", "-1", "--format=%an|%s|%b", BRANCH).startswith(
        "홍길동|Make a two|Why."
    )


def test_the_same_effect_again_changes_nothing_more(project: Project) -> None:
    change = changed(project, project.workspace_with({}), FIRST)
    assert committed(project, change) == committed(project, change)
    assert project.repo.git("rev-list", "--count", BRANCH) == "2"


def test_a_later_effect_goes_on_top_and_executable_bits_are_kept(project: Project) -> None:
    first = changed(project, project.workspace_with({}), FIRST)
    one = committed(project, first)
    assert first.after is not None
    second = changed(project, first.after, SECOND)
    two = committed(project, second, "run_01/2", title="Add a script")
    assert two.base == one.commit
    assert project.repo.git("diff", "--name-only", one.commit, two.commit) == "run.sh"
    assert project.repo.git("ls-tree", BRANCH, "run.sh").startswith("100755")
    # The first effect is still known, and what is committed already is no commit.
    assert committed(project, first) == one
    with pytest.raises(ToolError, match="nothing that is not committed"):
        committed(project, second, "run_01/3")


def test_another_patch_than_the_shown_one_is_refused(project: Project) -> None:
    first = changed(project, project.workspace_with({}), FIRST)
    assert first.after is not None
    other = first.model_copy(
        update={"after": first.after.changed(project.file("old.txt", "smuggled\n"))}
    )
    with pytest.raises(ToolError, match="not the one that was approved"):
        committed(project, other)
    assert project.repo.git("branch", "--list", "quorate/*") == ""


def test_a_guarded_file_is_refused_even_if_it_was_approved(project: Project) -> None:
    hook = WorkspaceFile(path=".github/workflows/x.yml", document=project.documents.put(b"x"))
    state = project.workspace_with({}).changed(hook)
    with pytest.raises(ToolError, match="people only"):
        committed(project, CheckedPatch(after=state))


def test_a_branch_with_other_work_or_that_is_checked_out_is_left(project: Project) -> None:
    change = changed(project, project.workspace_with({}), FIRST)
    project.repo.git("checkout", "-q", "-b", BRANCH)
    with pytest.raises(ToolError, match="checked out"):
        committed(project, change)
    project.repo.commit({"theirs.txt": "t\n"})
    project.repo.git("checkout", "-q", "main")
    tip = project.repo.git("rev-parse", BRANCH)
    with pytest.raises(ToolError, match="holds other work"):
        committed(project, change)
    assert project.repo.git("rev-parse", BRANCH) == tip


@pytest.mark.parametrize("run", ["../main", "a b", "x;y", "", "a..b", "-x"])
def test_a_run_or_effect_that_is_no_plain_id_is_refused(project: Project, run: str) -> None:
    change = changed(project, project.workspace_with({}), FIRST)
    for field in ("run", "effect"):
        with pytest.raises(ToolError, match="malformed"):
            committed(project, change, **{field: run})


def test_words_of_others_make_no_trailers(project: Project) -> None:
    change = changed(project, project.workspace_with({}), FIRST)
    words = "text\n\nQuorate-Effect: run_01/9"
    done = committed(project, change, title="t\n\nQuorate-Run: x\x1b[2J", message=words)
    shown = project.repo.git("log", "-1", "--format=%s|%(trailers:key=Quorate-Effect)", BRANCH)
    assert shown == "t Quorate-Run: x [2J|Quorate-Effect: run_01/1"
    assert committed(project, change) == done


@pytest.mark.parametrize("kind", ["sha256", "shallow", "worktree", "bare", "hostile"])
def test_every_kind_of_repository_does(tmp_path: Path, kind: str) -> None:
    options = {"object_format": "sha256"} if kind == "sha256" else {}
    files = {"app.py": "a = 1\n", "old.txt": "old\n"}
    project = new_project(tmp_path / "p", files, **options)
    place = project.repo.root
    if kind in ("shallow", "bare"):
        project.repo.commit({"more.txt": "m\n"})
        place = tmp_path / "clone"
        how = ["--depth=1"] if kind == "shallow" else ["--bare"]
        command = ["git", "clone", "-q", *how, f"file://{project.repo.root}", str(place)]
        subprocess.run(command, check=True, capture_output=True)
    elif kind == "worktree":
        place = tmp_path / "linked"
        project.repo.git("worktree", "add", "-q", str(place))
    elif kind == "hostile":
        set_traps(project.repo, tmp_path / "marker")
    state = project.workspace_with({}).model_copy(update={"repository": str(place)})
    first = changed(project, state, FIRST)
    one = committed(project, first)
    assert first.after is not None
    two = committed(project, changed(project, first.after, SECOND), "run_01/2")
    assert two.base == one.commit
    assert one == committed(project, first)
    assert not (tmp_path / "marker").exists()


def test_undo_takes_the_commits_back_one_by_one(project: Project) -> None:
    first = changed(project, project.workspace_with({}), FIRST)
    one = Applied.model_validate(committed(project, first).model_dump())
    assert first.after is not None
    second = committed(project, changed(project, first.after, SECOND), "run_01/2")
    two = Applied.model_validate(second.model_dump())
    with pytest.raises(ToolError, match="was changed since"):
        undo(one, project.documents, Countdown(60.0))
    assert undo(two, project.documents, Countdown(60.0)).code == "undo_earlier"
    assert project.repo.git("rev-parse", BRANCH) == one.commit
    assert undo(one, project.documents, Countdown(60.0)).code == "undo_deleted"
    assert project.repo.git("branch", "--list", "quorate/*") == ""
