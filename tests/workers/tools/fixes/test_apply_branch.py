"""Applying on a branch: exactly the approved patch, once, and nothing of the person's is touched."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest
from pydantic import JsonValue

from shared.errors import ToolError
from shared.models.subject import LineRange, Subject
from tests.workers.tools.changes import check, new_repo, stored
from tests.workers.tools.orders import Case, Reviewed, reviewed, show
from workers.tools.fixes.combination import shown_hash
from workers.tools.fixes.undo import undo
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool
from workers.tools.sandbox.sandbox import Countdown

BEFORE = {"a.py": "x = 1\ny = 2\n", "한글 폴더/나.py": "p = 1\n"}
AFTER = {"a.py": "x = 1\ny = 3\n", "한글 폴더/나.py": "p = 2\nq = 3\n"}
MENDED = {"a.py": "x = 1\ny = 30\n", "한글 폴더/나.py": "p = 20\nq = 3\n"}
BRANCH = "quorate/fix-run_01"


def case(tmp_path: Path, state: Reviewed = "commit", object_format: str = "sha1") -> Case:
    repo = new_repo(tmp_path / "저장소 하나", object_format=object_format)
    return reviewed(repo, BEFORE, AFTER, MENDED, state)


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_the_fix_is_a_commit_on_its_own_branch_and_nothing_else_moves(
    tmp_path: Path, object_format: str
) -> None:
    this = case(tmp_path, object_format=object_format)
    repo = this.repo
    repo.write({"a.py": "being edited\n", "untracked": "x"})
    before = repo.state()
    applied = this.apply()
    assert repo.state() == before
    assert (applied.branch, applied.base) == (BRANCH, before[1])
    assert applied.commit == repo.git("rev-parse", BRANCH)
    assert repo.git("rev-parse", f"{BRANCH}^") == before[1]
    for path, content in MENDED.items():
        assert show(repo, f"{BRANCH}:{path}") == content
    assert applied.files == tuple(sorted(MENDED))
    assert repo.git("log", "-1", "--format=%an <%ae>", BRANCH) == "홍길동 <hong@example.org>"
    trailers = repo.git("log", "-1", "--format=%(trailers:unfold)", BRANCH)
    assert "Generated-by: Quorate (test)" in trailers
    assert "Quorate-Effect: run_01/apply/1" in trailers
    assert repo.git("fsck", "--strict") == ""


def test_the_same_order_again_answers_the_same_and_changes_nothing(tmp_path: Path) -> None:
    this = case(tmp_path)
    first = this.apply()
    assert this.apply() == first
    assert this.repo.git("rev-list", "--count", BRANCH) == "3"
    this.repo.git("checkout", "-q", BRANCH)
    this.repo.commit({"a.py": "mine\n"}, "a person's work")
    assert this.apply() == first


def test_two_deliveries_at_once_make_one_commit(tmp_path: Path) -> None:
    this = case(tmp_path)
    replies = []
    threads = [threading.Thread(target=lambda: replies.append(this.apply())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 2
    assert replies[0] == replies[1]
    assert this.repo.git("rev-list", "--count", BRANCH) == "3"


def locked(this: Case, name: str, age_s: float) -> Path:
    """A lock that some git left behind."""
    lock = this.repo.root / ".git" / f"{name}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_bytes(b"")
    os.utime(lock, (time.time() - age_s,) * 2)
    return lock


def test_a_lock_that_a_killed_attempt_left_on_its_branch_is_taken_over(tmp_path: Path) -> None:
    this = case(tmp_path)
    lock = locked(this, f"refs/heads/{BRANCH}", age_s=14)
    applied = this.apply()
    assert applied.commit == this.repo.git("rev-parse", BRANCH)
    assert not lock.exists()
    lock = locked(this, f"refs/heads/{BRANCH}", age_s=14)
    undo(applied, this.documents, Countdown(60.0))
    assert not lock.exists()
    assert this.repo.git("branch", "--list", BRANCH) == ""


def test_a_lock_in_a_linked_worktree_s_repository_is_found(tmp_path: Path) -> None:
    this = case(tmp_path)
    linked = tmp_path / "linked"
    this.repo.git("worktree", "add", "-q", "--detach", str(linked))
    subject = Subject.model_validate_json(this.documents.get(this.subject))
    moved = subject.model_copy(
        update={"origin": subject.origin.model_copy(update={"repository": str(linked)})}
    )
    lock = locked(this, f"refs/heads/{BRANCH}", age_s=14)
    this.apply(subject=stored(this.documents, moved))
    assert not lock.exists()


@pytest.mark.parametrize(
    ("name", "age_s"), [(f"refs/heads/{BRANCH}", -60), ("refs/heads/other", 60), ("index", 60)]
)
def test_locks_of_others_are_never_removed(tmp_path: Path, name: str, age_s: float) -> None:
    this = case(tmp_path)
    lock = locked(this, name, age_s)
    if BRANCH in name:
        with pytest.raises(ToolError, match=r"cannot lock ref .*remove .*fix-run_01\.lock and try"):
            this.apply()
    else:
        this.apply()
    assert lock.exists()


def test_a_lock_of_all_references_is_named_with_what_to_do(tmp_path: Path) -> None:
    this = case(tmp_path)
    applied = this.apply()
    this.repo.git("pack-refs", "--all")
    lock = locked(this, "packed-refs", age_s=3600)
    with pytest.raises(ToolError, match=r"remove .*/packed-refs\.lock and try again"):
        undo(applied, this.documents, Countdown(60.0))
    assert lock.exists()
    assert applied.commit == this.repo.git("rev-parse", BRANCH)


def test_only_the_chosen_findings_are_mended(tmp_path: Path) -> None:
    this = case(tmp_path)
    applied = this.apply(only=["F2"])
    assert applied.files == ("한글 폴더/나.py",)
    assert show(this.repo, f"{BRANCH}:a.py") == AFTER["a.py"]


def test_an_approval_of_the_chosen_part_alone_is_enough(tmp_path: Path) -> None:
    this = case(tmp_path)
    part = "diff --git" + this.patch.split("diff --git")[2]
    assert this.apply(only=["F2"], approved=shown_hash(part)).files == ("한글 폴더/나.py",)


@pytest.mark.parametrize("approved", ["", "0" * 64])
def test_a_patch_that_was_not_approved_is_not_applied(tmp_path: Path, approved: str) -> None:
    this = case(tmp_path)
    choices: list[JsonValue] = [None, ["F1"]]
    for only in choices:
        with pytest.raises(ToolError, match="not the one that was approved"):
            this.apply(approved=approved, only=only)
    assert this.repo.git("branch", "--list", "quorate/*") == ""


def test_fixes_that_changed_after_the_approval_are_not_applied(tmp_path: Path) -> None:
    this = case(tmp_path)
    fixes = json.loads(json.dumps(this.fixes).replace("+y = 30", "+y = 31"))
    with pytest.raises(ToolError, match="not the one that was approved"):
        this.apply(fixes=fixes)


def test_a_choice_without_any_fix_is_an_error(tmp_path: Path) -> None:
    this = case(tmp_path)
    choices: list[JsonValue] = [[], ["F9"]]
    for only in choices:
        with pytest.raises(ToolError, match=r"None of the chosen|not the one"):
            this.apply(only=only)


@pytest.mark.parametrize("state", ["worktree", "index"])
def test_a_change_that_was_not_committed_goes_on_the_branch_with_its_fix(
    tmp_path: Path, state: Reviewed
) -> None:
    this = case(tmp_path, state)
    before = this.repo.state()
    applied = this.apply()
    assert this.repo.state() == before
    assert this.repo.git("rev-parse", f"{BRANCH}~2") == before[1]
    assert applied.base == this.repo.git("rev-parse", f"{BRANCH}^")
    for path, content in AFTER.items():
        assert show(this.repo, f"{BRANCH}^:{path}") == content
        assert show(this.repo, f"{BRANCH}:{path}") == MENDED[path]


def test_added_deleted_and_executable_files_of_the_working_tree_are_recorded(
    tmp_path: Path,
) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit({"run.sh": "old\n", "gone.txt": "x\n"})
    (repo.root / "run.sh").chmod(0o755)
    this = reviewed(
        repo,
        {"run.sh": "one\n", "gone.txt": "x\n"},
        {"run.sh": "two\n", "gone.txt": None, "new.txt": "n\n"},
        {"run.sh": "three\n"},
        "worktree",
    )
    this.apply()
    listed = repo.git("ls-tree", "-r", "--name-only", BRANCH).split()
    assert listed == ["new.txt", "run.sh"]
    assert repo.git("ls-tree", BRANCH, "run.sh").startswith("100755")
    assert show(repo, f"{BRANCH}:run.sh") == "three\n"


@pytest.mark.parametrize("state", ["worktree", "index"])
@pytest.mark.parametrize("edit", ["edited meanwhile\n", None])
def test_a_file_that_was_edited_since_the_review_is_on_the_branch_as_it_was_reviewed(
    tmp_path: Path, state: Reviewed, edit: str | None
) -> None:
    this = case(tmp_path, state)
    reviewed_text = (this.repo.root / "a.py").read_text()
    this.repo.write({"a.py": edit})
    if state == "index":
        this.repo.git("add", "--all", "a.py")
    this.apply()
    assert show(this.repo, f"{BRANCH}^:a.py") == reviewed_text
    assert show(this.repo, f"{BRANCH}:a.py") != reviewed_text
    file = this.repo.root / "a.py"
    assert (file.read_text() if file.exists() else None) == edit


@pytest.mark.parametrize("state", ["worktree", "index"])
def test_a_file_whose_secrets_were_masked_is_not_recorded_as_what_was_shown(
    tmp_path: Path, state: Reviewed
) -> None:
    repo = new_repo(tmp_path / "r")
    repo.commit({"a.py": "old\n", "key.py": "key = None\n"})
    shown = {"a.py": "new\n", "key.py": "key = '\u00abmasked:assigned-secret:1\u00bb'\n"}
    this = reviewed(
        repo, {"a.py": "old\n", "key.py": "key = None\n"}, shown, {"a.py": "x\n"}, state
    )
    repo.write({"key.py": "key = 'hunter2hunter2'\n"})  # what really stands there
    if state == "index":
        repo.git("add", "-A")
    this.apply()
    assert show(repo, f"{BRANCH}:key.py") == "key = None\n"
    assert show(repo, f"{BRANCH}:a.py") == "x\n"
    assert "reviewed: 1." in repo.git("log", "-1", "--format=%B", f"{BRANCH}^")


def test_somebody_elses_branch_is_left_alone(tmp_path: Path) -> None:
    this = case(tmp_path)
    this.repo.git("branch", BRANCH, "HEAD^")
    with pytest.raises(ToolError, match="holds other work"):
        this.apply()
    assert this.repo.git("rev-parse", BRANCH) == this.repo.git("rev-parse", "HEAD^")


def test_a_reviewed_commit_that_is_gone_is_said_to_be_gone(tmp_path: Path) -> None:
    this = case(tmp_path)
    subject = Subject.model_validate_json(this.documents.get(this.subject))
    origin = subject.origin.model_copy(update={"reviewed": "1" * 40})
    gone = subject.model_copy(update={"origin": origin})
    with pytest.raises(ToolError, match=r"is not in .* any more"):
        this.apply(subject=stored(this.documents, gone))


def test_the_fix_can_be_reviewed_and_fixed_again_on_the_same_branch(tmp_path: Path) -> None:
    this = case(tmp_path)
    first = this.apply(only=["F1"])
    assert first.subject is not None
    fix = Subject.model_validate_json(this.documents.get(first.subject))
    (file,) = fix.files
    assert (file.path, file.changed) == ("a.py", (LineRange(first=2, last=2),))
    assert this.documents.get(file.before or "") == AFTER["a.py"].encode()
    assert this.documents.get(file.after or "") == MENDED["a.py"].encode()
    assert (fix.origin.base, fix.origin.reviewed) == (first.base, first.commit)
    assert b"+y = 30" in this.documents.get(fix.diff)

    patch = (
        this.patch.split("diff --git")[1]
        .replace("+y = 30", "+y = 31")
        .replace("-y = 3\n", "-y = 30\n")
    )
    fixes: list[JsonValue] = [{"findings": ["F1"], "patch": f"diff --git{patch}", "source": "test"}]
    checked = check(this.documents, first.subject, f"diff --git{patch}")
    assert checked.fixes[0].problem is None
    second = this.apply(
        subject=first.subject,
        fixes=fixes,
        approved=shown_hash(checked.patch),
        effect="run_01/apply/2",
    )
    assert (second.branch, second.base) == (BRANCH, first.commit)
    assert show(this.repo, f"{BRANCH}:a.py") == "x = 1\ny = 31\n"
    assert this.apply(only=["F1"]) == first

    with pytest.raises(ToolError, match="changed since the fix"):
        undo(first, this.documents, Countdown(60.0))
    assert undo(second, this.documents, Countdown(60.0)).code == "undo_earlier"
    assert this.repo.git("rev-parse", BRANCH) == first.commit
    assert undo(second, this.documents, Countdown(60.0)).code == "undo_back"
    assert undo(first, this.documents, Countdown(60.0)).code == "undo_deleted"


def test_a_linked_worktree_and_a_bare_repository_get_their_branch(tmp_path: Path) -> None:
    this = case(tmp_path)
    this.repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "HEAD~1")
    this.repo.git("clone", "-q", "--bare", str(this.repo.root), str(tmp_path / "bare.git"))
    subject = Subject.model_validate_json(this.documents.get(this.subject))
    for place in ("linked", "bare.git"):
        origin = subject.origin.model_copy(update={"repository": str(tmp_path / place)})
        moved = stored(this.documents, subject.model_copy(update={"origin": origin}))
        assert this.apply(subject=moved, run=place, effect=place).branch == f"quorate/fix-{place}"
        with pytest.raises(ToolError):
            this.apply(subject=moved, mode="in_place", run=place, effect=place)
    assert this.repo.git("branch", "--list", "quorate/fix-linked") != ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"run": "../../x"},
        {"run": "a b"},
        {"run": "x.lock\n"},
        {"effect": "x\nSigned-off-by: me"},
        {"mode": "force"},
        {"only": ["F1\nX"]},
        {"run": None},
        {"extra": 1},
    ],
)
def test_a_malformed_order_is_refused(tmp_path: Path, wrong: dict[str, object]) -> None:
    from tests.workers.tools.orders import apply

    order = {"subject": "0" * 64, "fixes": [], "run": "r", "approved": "0", "effect": "e"} | wrong
    with pytest.raises(ToolError, match="malformed"):
        apply(order, MemoryDocuments())  # type: ignore[arg-type]


def test_a_bare_diff_has_nowhere_to_go(tmp_path: Path) -> None:
    this = case(tmp_path)
    subject = Subject.model_validate_json(this.documents.get(this.subject))
    for repository, why in (
        (None, "bare diff"),
        (str(tmp_path / "no"), "does not exist"),
        (str(tmp_path), "not a git"),
    ):
        origin = subject.origin.model_copy(update={"repository": repository})
        moved = stored(this.documents, subject.model_copy(update={"origin": origin}))
        with pytest.raises(ToolError, match=why):
            this.apply(subject=moved)


@pytest.mark.parametrize("mode", ["branch", "in_place"])
def test_a_worker_that_slept_does_not_bring_back_what_was_undone(tmp_path: Path, mode: str) -> None:
    """It was stopped in its work; somebody else did it, and a person took it back."""
    this = case(tmp_path, "worktree")
    before = this.repo.state()

    def wake() -> None:
        undo(this.apply(mode=mode), this.documents, Countdown(60.0))
        raise ToolError("somebody else is working on this step")

    with pytest.raises(ToolError, match="somebody else is working on this step"):
        run_tool("apply", this.order(mode=mode), ToolContext(this.documents, 60.0, wake))

    assert this.repo.state() == before
    assert {path: this.repo.read(path) for path in AFTER} == AFTER
    assert not list(this.repo.root.glob("**/.quorate-*"))


@pytest.mark.parametrize("packed", [False, True])
def test_a_branch_in_the_place_of_ours_is_named(tmp_path: Path, packed: bool) -> None:
    this = case(tmp_path)
    this.repo.git("branch", "quorate")
    if packed:
        this.repo.git("pack-refs", "--all")

    with pytest.raises(ToolError, match="keeps no branch beside quorate: rename that one and try"):
        this.apply()

    this.repo.git("branch", "-m", "quorate", "mine")
    assert this.apply().branch == BRANCH
