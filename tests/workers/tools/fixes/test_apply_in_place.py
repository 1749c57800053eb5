"""Applying in the working tree: every file in one step, nothing when anything changed, and undone again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.errors import ToolError
from shared.models.notices import Notice, notice
from shared.models.review_replies import Applied, Undone
from shared.models.subject import Subject
from tests.workers.tools.changes import new_repo
from tests.workers.tools.orders import Case, Reviewed, apply, reviewed
from workers.tools.fixes.in_place import all_or_none, apply_in_place, swap_all
from workers.tools.fixes.worktree import read_entry, stage_file, swap_file
from workers.tools.registry import ToolContext, run_tool

BEFORE = {"a.py": "x = 1\n", "나/b.py": "p = 1\n", "c.txt": "1"}
AFTER = {"a.py": "x = 2\n", "나/b.py": "p = 2\r\nq = 3\r\n", "c.txt": "2"}
MENDED = {"a.py": "x = 20\n", "나/b.py": "p = 20\r\nq = 3\r\n", "c.txt": "20"}


def case(tmp_path: Path, state: Reviewed = "worktree") -> Case:
    return reviewed(new_repo(tmp_path / "저장소"), BEFORE, AFTER, MENDED, state)


def contents(this: Case) -> dict[str, str]:
    return {path: (this.repo.root / path).read_bytes().decode() for path in MENDED}


def undo(this: Case, applied: Applied) -> Notice:
    reply = run_tool(
        "undo", {"applied": applied.model_dump(mode="json")}, ToolContext(this.documents, 60.0)
    )
    assert isinstance(reply, Undone)
    assert reply.notice is not None
    return reply.notice


@pytest.mark.parametrize("state", ["commit", "worktree", "index"])
def test_the_files_are_fixed_and_nothing_else_changes(tmp_path: Path, state: Reviewed) -> None:
    this = case(tmp_path, state)
    (this.repo.root / "a.py").chmod(0o755)
    this.repo.write({"other.txt": "mine"})
    index = (this.repo.root / ".git/index").read_bytes()
    head = this.repo.git("rev-parse", "HEAD")
    applied = this.apply(mode="in_place")
    assert contents(this) == MENDED
    assert (applied.branch, applied.commit, applied.files) == (None, None, tuple(sorted(MENDED)))
    assert (this.repo.root / ".git/index").read_bytes() == index
    assert this.repo.git("rev-parse", "HEAD") == head
    assert (this.repo.root / "a.py").stat().st_mode & 0o777 == 0o755
    assert this.repo.read("other.txt") == "mine"
    assert applied.subject is not None
    fix = Subject.model_validate_json(this.documents.get(applied.subject))
    assert (fix.origin.reviewed, len(fix.files)) == ("worktree", 3)


def test_applying_twice_is_applying_once_and_undoing_twice_too(tmp_path: Path) -> None:
    this = case(tmp_path)
    first = this.apply(mode="in_place")
    assert this.apply(mode="in_place") == first
    assert undo(this, first) == notice("undo_files", n=3)
    assert contents(this) == AFTER
    assert undo(this, first) == notice("undo_files_back")


def test_a_file_that_changed_since_the_review_stops_everything(tmp_path: Path) -> None:
    this = case(tmp_path)
    this.repo.write({"c.txt": "edited"})
    with pytest.raises(ToolError, match=r"c\.txt changed since the review: nothing was applied"):
        this.apply(mode="in_place")
    assert contents(this) == AFTER | {"c.txt": "edited"}


def test_a_file_that_changed_since_the_fix_stops_the_undo(tmp_path: Path) -> None:
    this = case(tmp_path)
    applied = this.apply(mode="in_place")
    this.repo.write({"c.txt": "edited"})
    with pytest.raises(ToolError, match=r"c\.txt changed since the fix: nothing was undone"):
        undo(this, applied)
    assert contents(this) == MENDED | {"c.txt": "edited"}


def test_what_a_killed_attempt_began_is_finished(tmp_path: Path) -> None:
    this = case(tmp_path)
    this.repo.write({"a.py": MENDED["a.py"]})
    applied = this.apply(mode="in_place")
    assert contents(this) == MENDED
    this.repo.write({"a.py": AFTER["a.py"]})
    undo(this, applied)
    assert contents(this) == AFTER


OLD = "2\n" + "".join(f"line {n}\n" for n in range(500))
NEW = OLD.replace("2\n", "3\n", 1)
APPLY_IN_A_PROCESS = """
import json, sys
from pathlib import Path
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool
documents = MemoryDocuments()
for file in Path(sys.argv[1]).iterdir():
    documents.put(file.read_bytes())
run_tool("apply", json.loads(sys.argv[2]), ToolContext(documents, 60.0))
"""


def test_a_kill_in_the_middle_leaves_whole_files_and_the_next_attempt_finishes(
    tmp_path: Path,
) -> None:
    import json

    names = [f"d{n % 5}/f{n:03}.txt" for n in range(150)]
    this = reviewed(
        new_repo(tmp_path / "r"),
        dict.fromkeys(names, "1\n"),
        dict.fromkeys(names, OLD),
        dict.fromkeys(names, NEW),
        "worktree",
    )
    store = tmp_path / "documents"
    store.mkdir()
    for number, data in enumerate(this.documents._data.values()):
        (store / str(number)).write_bytes(data)
    order = json.dumps(this.order(mode="in_place"))
    process = subprocess.Popen(
        [sys.executable, "-c", APPLY_IN_A_PROCESS, str(store), order],
        cwd=Path(__file__).parents[4],
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    last = this.repo.root / sorted(names)[20]
    until = time.monotonic() + 60
    while last.read_bytes()[:1] == b"2" and time.monotonic() < until and process.poll() is None:
        pass
    process.send_signal(signal.SIGKILL)
    process.wait()
    states = {(this.repo.root / name).read_bytes() for name in names}
    assert states == {OLD.encode(), NEW.encode()}, "killed too early or too late"
    this.apply(mode="in_place")
    assert {(this.repo.root / name).read_bytes() for name in names} == {NEW.encode()}
    assert not list(this.repo.root.rglob("*.tmp"))


@pytest.mark.parametrize("what", ["file", "directory"])
def test_a_link_that_leads_outside_is_not_followed(tmp_path: Path, what: str) -> None:
    this = case(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.py").write_bytes(AFTER["나/b.py"].encode())
    target = this.repo.root / "나"
    (target / "b.py").unlink()
    if what == "directory":
        target.rmdir()
        target.symlink_to(outside)
    else:
        (target / "b.py").symlink_to(outside / "b.py")
    with pytest.raises(ToolError, match=r"나/b\.py"):
        this.apply(mode="in_place")
    applied = this.apply(mode="branch")
    assert this.repo.git("ls-tree", str(applied.branch), "나/b.py").startswith("100644 blob")
    assert (outside / "b.py").read_bytes() == AFTER["나/b.py"].encode()
    assert this.repo.read("a.py") == AFTER["a.py"]


def test_reading_and_replacing_refuse_everything_but_a_plain_file_as_expected(
    tmp_path: Path,
) -> None:
    (tmp_path / "f").write_bytes(b"1")
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert read_entry(tmp_path, "none/x") is None
    assert read_entry(tmp_path, "x") is None
    for path in ("d", "pipe", "f/x", "../f", ".git/x"):
        with pytest.raises(ToolError):
            read_entry(tmp_path, path)
    with pytest.raises(ToolError, match="changed since"):
        apply_in_place(tmp_path, {"f": b"0"}, {"f": b"2"}, token="t", what="no")
    with pytest.raises(ToolError, match="gone"):
        stage_file(tmp_path, "no/f", b"2", expected=b"0", token="t")
    stage_file(tmp_path, "f", b"left by a killed attempt", expected=b"1", token="t")
    apply_in_place(tmp_path, {"f": b"1"}, {"f": b"2"}, token="t", what="no")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "f", "pipe"]
    assert (tmp_path / "f").read_bytes() == b"2"


TWO = {"a": b"1", "z/b": b"1"}
FIXED = {"a": b"2", "z/b": b"2"}


def two_files(root: Path) -> None:
    (root / "z").mkdir()
    for path, data in TWO.items():
        (root / path).write_bytes(data)


def everything(root: Path) -> dict[str, bytes]:
    return {str(f.relative_to(root)): f.read_bytes() for f in root.rglob("*") if f.is_file()}


def stage(root: Path) -> None:
    for path, data in TWO.items():
        stage_file(root, path, FIXED[path], expected=data, token="t")


def half_way(root: Path, happens: Callable[[], object]) -> None:
    """Something happens between the writing of the new contents and their turn."""
    with all_or_none(root, TWO, FIXED, token="t", what="nothing was applied"):
        stage(root)
        happens()
        swap_all(root, list(TWO), TWO, token="t")


def test_a_file_that_changes_half_way_takes_back_the_others(tmp_path: Path) -> None:
    two_files(tmp_path)
    with pytest.raises(ToolError, match=r"^z/b changed since the review\. Nothing was applied\.$"):
        half_way(tmp_path, lambda: (tmp_path / "z/b").write_bytes(b"mine"))
    assert everything(tmp_path) == {"a": b"1", "z/b": b"mine"}


@pytest.mark.parametrize("what", ["file", "folder", "link"])
def test_what_vanishes_half_way_takes_back_the_others(tmp_path: Path, what: str) -> None:
    two_files(tmp_path)

    def vanish() -> None:
        if what == "file":
            (tmp_path / "z/b").unlink()
        else:
            shutil.rmtree(tmp_path / "z")
        if what == "link":
            (tmp_path / "z").symlink_to(tmp_path.parent)

    with pytest.raises(ToolError, match=r"z/b .*\. Nothing was applied\.$"):
        half_way(tmp_path, vanish)
    assert everything(tmp_path) == {"a": b"1"}


def test_what_cannot_be_taken_back_is_named(tmp_path: Path) -> None:
    two_files(tmp_path)

    def happens() -> None:
        swap_file(tmp_path, "a", expected=b"1", token="t")
        for backup in tmp_path.glob("*.old.tmp"):
            backup.unlink()

    with pytest.raises(ToolError, match=r"^a changed.* could not be put back .*git diff`: a\.$"):
        half_way(tmp_path, happens)
    assert everything(tmp_path) == {"a": b"2", "z/b": b"1"}


def test_the_second_attempt_takes_back_what_the_killed_one_did_when_it_cannot_finish(
    tmp_path: Path,
) -> None:
    two_files(tmp_path)
    stage(tmp_path)
    swap_file(tmp_path, "a", expected=b"1", token="t")  # killed here
    (tmp_path / "z/b").write_bytes(b"mine")
    with pytest.raises(ToolError, match="z/b changed since the review: nothing was applied"):
        apply_in_place(tmp_path, TWO, FIXED, token="t", what="nothing was applied")
    assert everything(tmp_path) == {"a": b"1", "z/b": b"mine"}


def test_somebody_who_writes_into_the_file_meanwhile_keeps_their_words(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    stage_file(tmp_path, "a", b"2", expected=b"1", token="t")
    with (tmp_path / "a").open("r+b") as editor:
        editor.write(b"mine")
    with pytest.raises(ToolError, match="changed since"):
        swap_file(tmp_path, "a", expected=b"1", token="t")
    assert (tmp_path / "a").read_bytes() == b"mine"


FULL = """
import resource, sys
from pathlib import Path
from shared.errors import ToolError
from workers.tools.fixes.in_place import apply_in_place
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
before, after = {"a.py": b"1", "b.py": b"1"}, {"a.py": b"2", "b.py": b"2" * 5000}
try:
    apply_in_place(Path(sys.argv[1]), before, after, token="t", what="nothing was applied")
except ToolError as error:
    print(error)
"""


def test_a_file_that_does_not_fit_changes_no_other_and_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_bytes(b"1")
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)],
        cwd=Path(__file__).parents[4],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "b.py cannot be written: File too large. Nothing was applied.\n"
    assert everything(tmp_path) == {"a.py": b"1", "b.py": b"1"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_changes_nothing(tmp_path: Path) -> None:
    two_files(tmp_path)
    (tmp_path / "z").chmod(0o500)
    with pytest.raises(ToolError, match=r"z/b cannot be written: Permission denied\. Nothing"):
        apply_in_place(tmp_path, TWO, FIXED, token="t", what="nothing was applied")
    (tmp_path / "z").chmod(0o700)
    assert everything(tmp_path) == TWO


def test_an_order_in_place_needs_the_approved_patch_too(tmp_path: Path) -> None:
    this = case(tmp_path)
    with pytest.raises(ToolError, match="approved"):
        apply(this.order(mode="in_place", approved="0" * 64), this.documents)
    assert contents(this) == AFTER
