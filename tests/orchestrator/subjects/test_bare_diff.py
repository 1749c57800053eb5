"""A diff by itself, and a diff whose repository is at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.subjects.request import CaptureLimits
from shared.errors import SubjectError
from shared.git.patch import parse_patch
from shared.models.coverage import UnreadReason

PLAIN = b"""\
--- old/calc.py\t2026-01-01 00:00:00
+++ new/calc.py\t2026-01-02 00:00:00
@@ -1,3 +1,4 @@
 def add(a, b):
-    return a - b
+    # \xed\x95\xa9
+    return a + b
 # end
"""


def given(repo: Any, path: Path, diff: bytes, **more: Any) -> Any:
    return repo.capture(path=path, diff=diff, **more)


def test_a_diff_without_a_repository_keeps_what_it_shows(repo: Any, tmp_path: Path) -> None:
    subject = given(repo, tmp_path, PLAIN)
    (file,) = subject.files
    assert subject.title == "given diff"
    assert (file.path, file.status, file.before, file.after) == (
        "new/calc.py",
        "renamed",
        None,
        None,
    )
    assert [(r.first, r.last) for r in file.changed] == [(2, 3)]
    assert "+    # 합\n" in repo.diff(subject)
    assert subject.origin.repository is None


def test_a_diff_that_stands_in_the_working_tree_has_its_states(repo: Any) -> None:
    repo.write("app.py", "line 1\nnew\n")
    diff = repo.git("diff").encode() + b"\n"
    subject = given(repo, repo.path, diff)
    assert subject.title == "given diff, as it stands in the working tree"
    assert repo.after(subject.files[0]) == b"line 1\nnew\n"
    assert repo.shelf.get(subject.files[0].before).count(b"\n") == 10
    assert subject.origin.reviewed == "worktree"


def test_a_diff_that_fits_the_last_commit_has_its_states(repo: Any) -> None:
    repo.write("app.py", "line 1\nnew\n")
    repo.write("한글.py", "x\n")
    repo.git("add", "-A")
    diff = repo.git("diff", "--cached").encode() + b"\n"
    repo.git("reset", "-q", "--hard")
    subject = given(repo, repo.path, diff)
    assert "on top of " in subject.title
    assert {f.path: repo.after(f) for f in subject.files} == {
        "app.py": b"line 1\nnew\n",
        "한글.py": b"x\n",
    }
    assert subject.origin.reviewed is None


def test_a_diff_that_fits_nothing_here_has_no_states(repo: Any) -> None:
    subject = given(repo, repo.path, PLAIN)
    assert (subject.title, subject.files[0].after) == ("given diff", None)


def test_a_diff_cannot_fetch_files_from_outside(repo: Any, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("one\n")
    repo.write(".env", "one\n")
    diff = b"".join(
        b"--- a/%b\n+++ b/%b\n@@ -1 +1 @@\n-zero\n+one\n" % (name, name)
        for name in (b"../secret.txt", b".env", b".git/config", b"ok.txt")
    )
    subject = given(repo, repo.path, diff)
    assert {f.path: f.skipped for f in subject.files} == {
        "../secret.txt": "its path leads out of the repository",
        ".env": "it may hold secrets, so it is never sent (privacy.never_send)",
        ".git/config": "its path leads out of the repository",
        "ok.txt": None,
    }
    assert repo.diff(subject).count("@@ -1 +1 @@") == 1


def test_a_symbolic_link_in_a_diff_is_left_out(repo: Any, tmp_path: Path) -> None:
    diff = (
        b"diff --git a/link b/link\nnew file mode 120000\n--- /dev/null\n+++ b/link\n"
        b"@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"
    )
    (link,) = given(repo, tmp_path, diff).files
    assert (link.unread, link.harmless) == (UnreadReason.SYMLINK, None)


@pytest.mark.parametrize(
    ("diff", "message"),
    [
        (b"hello\n", "broken at line 1: this is not a unified diff"),
        (PLAIN[:-7], "broken at line 7: the diff ends in the middle of the hunk of line 3"),
        (PLAIN.replace(b" def", b"def"), "broken at line 4: expected a line that begins with"),
        (PLAIN.replace(b"@@ -1,3", b"@@ -1,x"), "broken at line 3: expected a hunk header"),
        (PLAIN.replace(b"-1,3 +1,4", b"-1,3 +1,3"), "broken at line 8: the hunk has more lines"),
        (PLAIN + b" more\n", "broken at line 9: the hunk before has more lines than its header"),
        (PLAIN.split(b"\n", 2)[2], "broken at line 1: a hunk without the `---` and `\\+\\+\\+`"),
        (b"--- /dev/null\n+++ /dev/null\n@@ -0,0 +1 @@\n+x\n", "line 1: both sides are /dev/null"),
        (b"diff --cc a.py\n@@@ -1 -1 +1 @@@\n", "line 1: this is the combined diff of a merge"),
        (b"diff --git a\n", "line 1: the `diff --git` line does not name two files"),
        (PLAIN + PLAIN, r"changes new/calc\.py twice"),
        (b"\0\1\2", "binary"),
        ("--- a\n".encode("utf-16"), "UTF-16"),
    ],
)
def test_bad_diffs_are_refused_with_the_line(
    repo: Any, tmp_path: Path, diff: bytes, message: str
) -> None:
    with pytest.raises(SubjectError, match=message):
        given(repo, tmp_path, diff)
    assert repo.shelf.documents == {}


@pytest.mark.parametrize("names", [("old/n.py", "new/n.py"), ("../old/n.py", "./n.py")])
def test_a_file_that_only_the_new_side_has_is_all_in_the_diff(
    repo: Any, tmp_path: Path, names: tuple[str, str]
) -> None:
    old, new = names
    diff = f"diff -ruN {old} {new}\n--- {old}\t1970-01-01\n+++ {new}\t2026-01-01\n@@ -0,0 +1 @@\n+eval(x)\n"
    (file,) = given(repo, tmp_path, diff.encode()).files
    assert (file.path, file.skipped) == (new.removeprefix("./"), None)
    assert repo.after(file) == b"eval(x)\n"


def test_a_coloured_diff_is_refused_with_the_way_out(repo: Any, tmp_path: Path) -> None:
    with pytest.raises(SubjectError, match="--no-color"):
        given(repo, tmp_path, b"\x1b[1mdiff --git a/x b/x\x1b[m\n" + PLAIN)


def test_a_diff_over_the_limit_is_refused(repo: Any, tmp_path: Path) -> None:
    with pytest.raises(SubjectError, match=r"over 10\.0 MB\. Narrow it"):
        given(repo, tmp_path, b"x" * 10_000_001)
    with pytest.raises(SubjectError, match="too large"):
        given(repo, tmp_path, PLAIN, limits=CaptureLimits(diff_bytes=10))


def test_text_around_a_diff_is_passed_over(repo: Any) -> None:
    repo.write("app.py", "line 1\n")
    repo.git("commit", "-qam", "a subject\n\n--- three dashes\n+ a plus\n")
    mail = repo.git("format-patch", "-1", "--stdout").encode() + b"\n"
    shown = repo.git("show").encode() + b"\n"
    for diff in (mail, shown):
        assert [patch.path for patch in parse_patch(diff)] == [b"app.py"]


def test_stripped_context_and_windows_lines_are_read() -> None:
    (patch,) = parse_patch(b"--- a/x\r\n+++ b/x\r\n@@ -1,2 +1,3 @@\r\n\r\n+a\r\n b\r\n")
    assert patch.path == b"x"
    assert [line.tag for line in patch.hunks[0].lines] == [b" ", b"+", b" "]


EVIL = "--- /dev/null\n+++ b/evil.py\n@@ -0,0 +1 @@\n+evil\n"


@pytest.mark.parametrize(
    "part",
    [
        "*** a/x.py\n--- b/x.py\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
        "3c3,4\n< a\n---\n> b\n",
        "".join(f"    {line}\n" for line in EVIL.splitlines()),
        "".join(f"- {line}\n" for line in EVIL.splitlines()),
    ],
)
@pytest.mark.parametrize("before", [True, False])
def test_a_part_in_a_form_that_only_patch_reads_is_refused(
    repo: Any, part: str, before: bool
) -> None:
    plain, other = PLAIN.decode(), f"\n{part}\n"
    diff = other + plain if before else plain + other
    with pytest.raises(SubjectError, match="nobody would have read"):
        given(repo, repo.path, diff.encode())


def test_prose_between_files_is_prose(repo: Any, tmp_path: Path) -> None:
    prose = (
        b"Subject: x\n\n  --- a list\n  - of 3c3\n*** stars ***\n> quoted\n---\n 1 file changed\n\n"
    )
    assert given(repo, tmp_path, prose + PLAIN).files


def test_what_a_diff_makes_of_a_file_without_showing_it_is_named(repo: Any, tmp_path: Path) -> None:
    diff = (
        "diff --git a/notes.txt b/job.py\nsimilarity index 100%\nrename from notes.txt\nrename to job.py\n"
        "diff --git a/a.py b/b.py\nsimilarity index 100%\ncopy from a.py\ncopy to b.py\n"
        "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
        "diff --git a/c.md b/d.md\nsimilarity index 100%\nrename from c.md\nrename to d.md\n"
    )
    files = given(repo, tmp_path, PLAIN + diff.encode()).files
    left_out = {file.path for file in files if file.unread is UnreadReason.NO_CONTENT}
    assert left_out == {"job.py", "b.py", "run"}


@pytest.mark.parametrize(
    "header",
    [
        "diff --git a/notes.txt b/job.py\nrename from notes.txt\nrename to job.py\n",
        "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n",
    ],
)
def test_names_that_contradict_their_header_hide_no_file(repo: Any, header: str) -> None:
    with pytest.raises(SubjectError, match="another file"):
        given(repo, repo.path, header.encode() + EVIL.encode())


# ---- with the files that it leads from ----------------------------------------------------------


def test_a_diff_with_its_files_has_both_states_and_no_origin(repo: Any) -> None:
    before = b"def add(a, b):\n    return a - b\n# end\n"
    diff = PLAIN.replace(b"old/", b"a/").replace(b"new/", b"b/")
    subject = given(repo, repo.path, diff, files={"calc.py": before})
    (file,) = subject.files
    assert subject.title == "given diff, on top of the files given with it"
    assert repo.shelf.get(file.before) == before
    assert b"return a + b" in repo.after(file)
    assert subject.origin.repository is None


def test_a_diff_that_comes_without_any_file_looks_for_no_repository(repo: Any) -> None:
    repo.write("app.py", "line 1\nnew\n")
    diff = repo.git("diff").encode() + b"\n"
    subject = given(repo, repo.path, diff, files={})
    assert (subject.title, subject.files[0].after) == ("given diff", None)


@pytest.mark.parametrize("more", [{}, {"files": {}}])
def test_an_added_file_is_all_in_its_diff(repo: Any, tmp_path: Path, more: dict[str, Any]) -> None:
    added = b"--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n"
    edited = b"--- a/calc.py\n+++ b/calc.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
    subject = given(repo, tmp_path, added + edited, **more)
    old, new = subject.files
    assert (old.path, old.before, old.after) == ("calc.py", None, None)
    assert (new.before, repo.after(new)) == (None, b"x = 1\ny = 2\n")


@pytest.mark.parametrize("files", [{"calc.py": b"something else\n"}, {"other.py": b"x\n"}])
def test_a_diff_that_does_not_fit_its_files_is_refused(repo: Any, files: dict[str, bytes]) -> None:
    diff = PLAIN.replace(b"old/", b"a/").replace(b"new/", b"b/")
    with pytest.raises(SubjectError, match="does not apply to the files"):
        given(repo, repo.path, diff, files=files)
