"""What a capture picks, and how it counts lines and names files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest


def names(subject: Any) -> list[str]:
    return [file.path for file in subject.files]


# ---- what is picked ----------------------------------------------------------------------------


def test_staged_changes_come_first_and_leave_the_unstaged_ones_out(repo: Any) -> None:
    repo.write("app.py", "line 0\n" + (repo.path / "app.py").read_text())
    repo.git("add", "app.py")
    repo.write("app.py", "something else\n")
    repo.write("new.py", "print()\n")

    subject = repo.capture()

    assert subject.title == "staged changes"
    assert names(subject) == ["app.py"]
    assert repo.after(subject.files[0]).startswith(b"line 0\nline 1\n")
    assert subject.origin.reviewed == "index"
    assert subject.origin.head == repo.git("rev-parse", "HEAD")
    assert subject.origin.repository == str(repo.path)
    assert (subject.added_lines, subject.removed_lines) == (1, 0)


def test_the_working_tree_comes_next_with_new_files_that_are_not_ignored(repo: Any) -> None:
    repo.commit("ignore", __gitignore="*.log\n")
    repo.write("app.py", "line 1\nchanged\n")
    repo.write("pkg/new.py", "a\nb\n")
    repo.write("debug.log", "noise\n")

    subject = repo.capture()

    assert subject.title == "uncommitted changes of the working tree, with 1 new file"
    assert [(f.path, f.status) for f in subject.files] == [
        ("app.py", "modified"),
        ("pkg/new.py", "added"),
    ]
    assert repo.after(subject.files[1]) == b"a\nb\n"
    assert "+++ b/pkg/new.py" in repo.diff(subject)
    assert subject.origin.reviewed == "worktree"


def test_a_clean_branch_is_compared_with_where_it_left_the_default_branch(repo: Any) -> None:
    left = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "feature")
    repo.commit("one", a__py="1\n")
    tip = repo.commit("two", b__py="2\n")
    repo.git("checkout", "-q", "main")
    repo.commit("elsewhere", c__py="3\n")
    repo.git("checkout", "-q", "feature")

    subject = repo.capture()

    assert subject.title == "feature since it left main (2 commits)"
    assert names(subject) == ["a.py", "b.py"]
    assert (subject.origin.base, subject.origin.reviewed) == (left, tip)


def test_a_clean_default_branch_shows_its_last_commit(repo: Any) -> None:
    tip = repo.commit("fix: \x1b[31mthe thing", a__py="1\n")
    subject = repo.capture()
    assert subject.title == f"last commit {tip[:10]}: fix:  [31mthe thing"
    assert names(subject) == ["a.py"]


def test_the_first_commit_is_compared_with_nothing(repo: Any) -> None:
    subject = repo.capture()
    assert subject.origin.base is None
    assert (subject.files[0].status, subject.files[0].before) == ("added", None)


def test_a_repository_without_commits_shows_what_is_staged(new_repo: Any) -> None:
    new_repo.write("a.py", "1\n")
    new_repo.git("add", "-A")
    subject = new_repo.capture()
    assert subject.title == "staged changes"
    assert subject.origin.head is None


@pytest.mark.parametrize(
    ("target", "title", "files"),
    [
        ("HEAD~1..HEAD", "changes from HEAD~1 to HEAD", ["b.py"]),
        ("HEAD~2..", "changes from HEAD~2 to HEAD", ["a.py", "b.py"]),
        ("main...topic", "topic since it left main (2 commits)", ["a.py", "b.py"]),
        ("topic", "topic since it left main (2 commits)", ["a.py", "b.py"]),
        ("HEAD~1", "commit ", ["a.py"]),
        ("v1", "commit ", ["a.py"]),
    ],
)
def test_revisions_and_ranges_are_taken_as_typed(
    repo: Any, target: str, title: str, files: list[str]
) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("a", a__py="1\n")
    repo.git("tag", "v1")
    repo.commit("b", b__py="2\n")
    repo.write("dirty.py", "not part of it\n")
    subject = repo.capture(target=target)
    assert subject.title.startswith(title)
    assert names(subject) == files


def test_a_base_compares_with_the_merge_base(repo: Any) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("a", a__py="1\n")
    subject = repo.capture(base="main")
    assert subject.title == "topic since it left main (1 commit)"


def test_a_path_narrows_the_change(repo: Any) -> None:
    repo.write("app.py", "other\n")
    repo.write("pkg/in.py", "1\n")
    assert names(repo.capture(target="pkg")) == ["pkg/in.py"]
    assert names(repo.capture(target="app.py")) == ["app.py"]
    assert names(repo.capture(path=repo.path / "pkg")) == ["app.py", "pkg/in.py"]
    assert names(repo.capture(path=repo.path / "pkg", target="../app.py")) == ["app.py"]


def test_a_deleted_file_can_be_named(repo: Any) -> None:
    repo.commit("more", b__py="1\n")
    (repo.path / "b.py").unlink()
    repo.write("app.py", "other\n")
    subject = repo.capture(target="b.py")
    assert [(f.path, f.status, f.after) for f in subject.files] == [("b.py", "deleted", None)]


def test_a_directory_of_another_repository_is_that_repository(
    repo: Any, tmp_path: Path, make_repo: Any
) -> None:
    other = make_repo(tmp_path / "other")
    other.commit("x", x__py="1\n")
    subject = repo.capture(target=str(other.path))
    assert subject.origin.repository == str(other.path)


def test_pathspecs_narrow_in_gits_own_syntax(repo: Any) -> None:
    repo.commit("more", a__py="1\n", a__md="1\n")
    assert names(repo.capture(target="HEAD", pathspecs=("*.md",))) == ["a.md"]


def test_a_bare_repository_can_be_reviewed(repo: Any, tmp_path: Path) -> None:
    repo.commit("more", a__py="1\n")
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.path), str(bare))
    subject = repo.capture(path=bare)
    assert names(subject) == ["a.py"]
    assert subject.origin.repository == str(bare)


def test_the_index_that_a_commit_shows_its_hooks_is_honoured(repo: Any, tmp_path: Path) -> None:
    repo.write("app.py", "other\n")
    index = repo.path / ".git" / "next-index"
    index.write_bytes((repo.path / ".git" / "index").read_bytes())
    other = {**os.environ, "GIT_INDEX_FILE": str(index)}
    subprocess.run(["git", "add", "app.py"], cwd=repo.path, env=other, check=True)
    assert names(repo.capture(staged=True)) == []
    assert names(repo.capture(staged=True, environ=other)) == ["app.py"]


# ---- lines -------------------------------------------------------------------------------------


def test_changed_ranges_count_in_the_reviewed_state(repo: Any) -> None:
    lines = [f"line {n}" for n in range(1, 11)]
    lines[1] = "edited"
    lines[8:8] = ["new a", "new b"]
    del lines[4]
    repo.write("app.py", "\n".join(lines) + "\n")
    subject = repo.capture()
    (file,) = subject.files
    text = repo.after(file).decode().split("\n")
    assert [(r.first, r.last) for r in file.changed] == [(2, 2), (8, 9)]
    assert [text[n - 1] for n in (2, 8, 9)] == ["edited", "new a", "new b"]
    assert subject.changes("app.py", 8)
    assert not subject.changes("app.py", 7)
    assert (subject.added_lines, subject.removed_lines) == (3, 2)


def test_korean_blank_and_quoted_paths_and_text_survive(repo: Any) -> None:
    odd = ["한글 경로.py", 'quo"te.py', "tab\there.py", "back\\slash.py"]
    for name in odd:
        repo.write(name, "print('안녕하세요')\n")
    subject = repo.capture()
    assert sorted(names(subject)) == sorted(odd)
    assert all(repo.after(f) == "print('안녕하세요')\n".encode() for f in subject.files)
    repo.git("add", "-A")
    assert sorted(names(repo.capture(staged=True))) == sorted(odd)
    # What was put together for new files is what git itself writes.
    staged = repo.git("diff", "--cached", "--stat", "--", ".")
    assert "4 files changed" in staged


def test_new_files_are_shown_as_git_shows_them(repo: Any) -> None:
    repo.write("한글 경로.py", "a\nb")
    repo.write("tab\there.py", "a\n")
    untracked = repo.diff(repo.capture())
    repo.git("add", "-A")
    staged = repo.diff(repo.capture(staged=True))
    lines = [line for line in staged.splitlines() if not line.startswith("index ")]
    assert sorted(untracked.splitlines()) == sorted(lines)


def test_windows_line_ends_and_missing_last_newlines_are_kept(repo: Any) -> None:
    repo.commit("base", dos__txt=b"a\r\nb\r\n", end__txt=b"x\ny")
    repo.write("dos.txt", b"a\r\nc\r\n")
    repo.write("end.txt", b"x\nz")
    subject = repo.capture()
    contents = {f.path: (repo.shelf.get(f.before), repo.after(f)) for f in subject.files}
    assert contents == {
        "dos.txt": (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        "end.txt": (b"x\ny", b"x\nz"),
    }


def test_renames_deletions_and_modes_are_told_apart(repo: Any) -> None:
    repo.commit("more", gone__py="bye\n", run__sh="#!/bin/sh\n")
    repo.git("mv", "app.py", "moved.py")
    repo.write("moved.py", (repo.path / "moved.py").read_text() + "line 11\n")
    (repo.path / "gone.py").unlink()
    (repo.path / "run.sh").chmod(0o755)
    repo.git("add", "-A")
    files = {f.path: f for f in repo.capture().files}
    assert (files["moved.py"].status, files["moved.py"].old_path) == ("renamed", "app.py")
    assert [(r.first, r.last) for r in files["moved.py"].changed] == [(11, 11)]
    assert (files["gone.py"].status, files["gone.py"].after) == ("deleted", None)
    assert files["run.sh"].status == "modified"
    assert [(r.first, r.last) for r in files["run.sh"].changed] == [(1, 1)]
    assert files["run.sh"].before == files["run.sh"].after


def test_the_subject_holds_what_git_apply_makes_of_the_diff(repo: Any) -> None:
    text = "".join(f"row {n}\n" for n in range(200))
    repo.commit("long", long__txt=text)
    changed = text.replace("row 3\n", "").replace("row 90\n", "row 90\nrow x\n") + "tail"
    repo.write("long.txt", changed)
    subject = repo.capture()
    assert repo.after(subject.files[0]).decode() == changed
    repo.git("checkout", "-q", "long.txt")
    patch = repo.write("../patch", repo.diff(subject))
    repo.git("apply", "--check", str(patch))


def test_git_options_of_the_user_do_not_change_what_is_read(repo: Any) -> None:
    for setting, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.context": "0",
        "diff.interHunkContext": "9",
        "diff.renames": "false",
        "diff.relative": "true",
        "diff.orderFile": "/nonexistent",
        "diff.suppressBlankEmpty": "true",
        "diff.algorithm": "patience",
        "color.ui": "always",
        "core.quotePath": "true",
        "core.pager": "false",
    }.items():
        repo.git("config", setting, value)
    repo.write("sub/한글.py", "x\n")
    repo.write("app.py", "line 1\n\nline 3\n")
    subject = repo.capture(path=repo.path / "sub")
    assert names(subject) == ["app.py", "sub/한글.py"]
    assert "--- a/app.py\n+++ b/app.py\n" in repo.diff(subject)
