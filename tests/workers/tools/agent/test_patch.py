"""A participant's patch is tried on a workspace; what it may not do is its problem, and nothing else is changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from shared.models.agent import CheckedPatch
from shared.models.workspace import Workspace
from tests.workers.tools.agent.workspaces import Project, new_project
from tests.workers.tools.changes import Contents

APP = 'def area(width, height):\n    return width + height\n\n\nNAME = "app"\n'
FIXED = APP.replace("width + height", "width * height")
FIX = """\
--- a/app.py
+++ b/app.py
@@ -1,3 +1,3 @@
 def area(width, height):
-    return width + height
+    return width * height
{}
""".format(" ")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    files: dict[str, Contents] = {
        "app.py": APP,
        "crlf.txt": "one\r\ntwo\r\nthree\r\n",
        "open.txt": "one\ntwo",
        "twice.txt": "a\nb\nc\n-\na\nb\nc\n",
        "data.bin": b"\0\1",
        "pkg/mod.py": "x = 1\n",
        "broken.py": "def (:\n    pass\n",
    }
    return new_project(tmp_path / "p", files)


def tried(project: Project, patch: str, state: Workspace | None = None) -> CheckedPatch:
    reply = project.run("agent.patch", state or project.workspace(), patch=patch)
    assert isinstance(reply, CheckedPatch)
    return reply


def after(project: Project, patch: str, state: Workspace | None = None) -> dict[str, str]:
    reply = tried(project, patch, state)
    assert reply.problem is None
    assert reply.after is not None
    return project.files(reply.after)


def section(path: str, *lines: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n" + "".join(f"{line}\n" for line in lines)


def added(path: str, *lines: str, mode: str = "100644") -> str:
    body = "".join(f"+{line}\n" for line in lines)
    header = f"diff --git a/{path} b/{path}\nnew file mode {mode}\n"
    return f"{header}--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{body}"


def test_a_patch_is_written_again_by_git_and_leads_to_the_workspace(project: Project) -> None:
    reply = tried(project, f"Here it is:\n```diff\n{FIX}```\nDone.\n")
    assert reply.problem is None
    assert reply.patch == reply.whole
    assert reply.patch.startswith("diff --git a/app.py b/app.py\nindex ")
    assert (reply.paths, reply.added, reply.removed) == (("app.py",), 1, 1)
    assert reply.after is not None
    assert project.files(reply.after)["app.py"] == FIXED
    # git itself takes it.
    (project.repo.root.parent / "p.patch").write_text(reply.whole)
    project.repo.git("apply", "--check", "../p.patch")


def test_a_second_patch_goes_on_top_and_the_whole_leads_from_the_commit(project: Project) -> None:
    state = tried(project, FIX).after
    more = section("app.py", "@@ -5 +5 @@", '-NAME = "app"', '+NAME = "application"')
    reply = tried(project, more, state)
    assert reply.paths == ("app.py",)
    assert "-    return width + height" not in reply.patch
    assert "+    return width * height" in reply.whole
    assert '+NAME = "application"' in reply.whole


def test_what_is_taken_back_is_no_change_of_the_workspace_any_more(project: Project) -> None:
    state = tried(project, FIX).after
    back = section(
        "app.py", "@@ -2 +2 @@", "-    return width * height", "+    return width + height"
    )
    reply = tried(project, back, state)
    assert reply.problem is None
    assert (reply.whole, reply.after) == ("", project.workspace())


def test_files_are_added_removed_and_renamed(project: Project) -> None:
    removed = "--- a/pkg/mod.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x = 1\n"
    renamed = (
        "diff --git a/open.txt b/shut.txt\nsimilarity index 60%\nrename from open.txt\nrename to shut.txt\n"
        "--- a/open.txt\n+++ b/shut.txt\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n\\ No newline at end of file\n"
    )
    pure = "diff --git a/crlf.txt b/new/crlf.txt\nsimilarity index 100%\nrename from crlf.txt\nrename to new/crlf.txt\n"
    empty = "diff --git a/empty.txt b/empty.txt\nnew file mode 100644\nindex 0000000..e69de29\n"
    patch = removed + renamed + pure + empty + added("run.sh", "#!/bin/sh", mode="100755")
    reply = tried(project, patch)
    assert reply.after is not None
    files = project.files(reply.after)
    assert files["shut.txt"] == "1\ntwo"
    assert files["new/crlf.txt"] == "one\r\ntwo\r\nthree\r\n"
    assert files["empty.txt"] == ""
    assert not {"pkg/mod.py", "open.txt", "crlf.txt"} & files.keys()
    modes = {file.path: file.executable for file in reply.after.files}
    assert (modes["run.sh"], modes["empty.txt"]) == (True, False)


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ("similarity index 100%\nrename from open.txt\nrename to shut.txt\n", "shut.txt"),
        ("new file mode 100644\nindex 0000000..e69de29\n", "shut.txt"),
    ],
)
def test_a_file_that_follows_a_header_without_hunks_takes_nothing_away_from_it(
    project: Project, header: str, path: str
) -> None:
    files = after(project, f"diff --git a/open.txt b/{path}\n{header}{FIX}")
    assert files["app.py"] == FIXED
    assert path in files


@pytest.mark.parametrize(
    "patch",
    [
        FIX.replace("@@ -1,3 +1,3 @@", "@@ -11,9 +14,2 @@"),  # counted badly
        FIX.replace("\n \n", "\n\n"),  # the mark of an empty line was stripped
        FIX.removesuffix(" \n"),  # its last context line was stripped
        FIX + "\n\nThat is all.\n",
        FIX.replace("a/", "").replace("b/", ""),
        FIX.replace("\n", "\r\n"),
        f"From 1234\nSubject: fix\n---\n app.py | 2 +-\n\n{FIX}-- \n2.39.5\n",
    ],
)
def test_a_patch_whose_author_counts_badly_or_trims_lines_is_mended(
    project: Project, patch: str
) -> None:
    assert after(project, patch)["app.py"] == FIXED


def test_line_ends_of_a_file_are_kept(project: Project) -> None:
    patch = section("crlf.txt", "@@ -1,2 +1,3 @@", " one", "-two", "+2", "+2.5")
    assert after(project, patch)["crlf.txt"] == "one\r\n2\r\n2.5\r\nthree\r\n"
    patch = section("open.txt", "@@ -1,2 +1,2 @@", " one", "-two", "+2")
    assert after(project, patch)["open.txt"] == "one\n2\n"


def test_two_sections_for_a_file_are_taken_one_after_the_other(project: Project) -> None:
    more = section("app.py", "@@ -5 +5 @@", '-NAME = "app"', "+NAME = 1")
    assert after(project, FIX + more)["app.py"] == FIXED.replace('"app"', "1")


def test_lines_that_stand_at_several_places_need_their_line_number(project: Project) -> None:
    at_five = section("twice.txt", "@@ -5,2 +5,2 @@", " a", "-b", "+B")
    assert after(project, at_five)["twice.txt"] == "a\nb\nc\n-\na\nB\nc\n"
    reply = tried(project, at_five.replace("-5,2", "-4,2"))
    assert reply.problem is not None
    assert "several places" in reply.problem


BOMB = added("x.txt", *["x" * 1000] * 300)


@pytest.mark.parametrize(
    ("patch", "words"),
    [
        ("", "empty"),
        ("Change the plus to a star.", "no file"),
        (BOMB, "larger"),
        (FIX.replace("width +", "breadth +"), "app.py: its lines do not stand there"),
        (section("app.py", "@@ -3,0 +4 @@", "+import os"), "without any context"),
        (section("nowhere.py", "@@ -1 +1 @@", "-a", "+b"), "no such file"),
        (section("../outside.py", "@@ -1 +1 @@", "-a", "+b"), "leaves"),
        (added("../../outside.py", "x"), "leaves"),
        (added("/etc/cron.d/x", "x"), "relative"),
        (added(".git/hooks/pre-commit", "x"), ".git"),
        (added("a/.GIT/config", "x"), ".git"),
        (added(".github/workflows/x.yml", "x"), "people only"),
        (added(".gitattributes", "* filter=x"), "people only"),
        (added("a\x01b", "x"), "control"),
        (added("app.py", "x = 1"), "there is a file of that name"),
        (added("app.py/inner.py", "x = 1"), "below a file"),
        (added("pkg", "x"), "where there is a folder"),
        (added("new.py", "def (:"), "not be valid Python"),
        (FIX.replace("+    return width * height", "+return width * height"), "valid Python"),
        (added("link", "target", mode="120000"), "no plain file"),
        (added("sub", "Subproject commit 1", mode="160000"), "no plain file"),
        ("diff --git a/app.py b/app.py\nold mode 100644\nnew mode 100755\n", "mode"),
        ("diff --git a/d b/d\nnew file mode 100644\nGIT binary patch\nliteral 1\nx\n", "binary"),
        (
            "diff --git a/data.bin b/data.bin\nBinary files a/data.bin and b/data.bin differ\n",
            "binary",
        ),
        (section("data.bin", "@@ -1 +1 @@", "-a", "+b"), "no text file"),
        ("--- a/app.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-def area(width, height):\n", "not all"),
        (FIX.replace("width * height", "«masked:api-key:1»"), "stands for a secret"),
        (added("k.txt", "«masked:api-key:1»"), "stands for a secret"),
        (
            FIX.replace("+    return width * height", "+    return width + height"),
            "changes nothing",
        ),
        (FIX.replace("*", "\0"), "binary"),
        (FIX.replace("*", "\ud800"), "binary"),
    ],
)
def test_what_a_patch_may_not_do_is_its_problem(project: Project, patch: str, words: str) -> None:
    reply = tried(project, patch)
    assert words in (reply.problem or "")
    assert (reply.patch, reply.whole, reply.after, reply.paths) == ("", "", None, ())


def test_a_tracked_link_is_no_way_out(project: Project, tmp_path: Path) -> None:
    os.symlink("/", project.repo.root / "root")
    project.repo.commit({})
    inside = added("root/tmp/evil.txt", "x")
    for patch in (inside, section("root", "@@ -1 +1 @@", "-/", "+/etc"), added("root", "x")):
        assert tried(project, patch).problem is not None
    assert not Path("/tmp/evil.txt").exists()


def test_a_file_that_did_not_parse_may_be_changed(project: Project) -> None:
    patch = section("broken.py", "@@ -2 +2 @@", "-    pass", "+    return")
    assert after(project, patch)["broken.py"] == "def (:\n    return\n"


def test_a_placeholder_that_the_file_holds_itself_may_stay(project: Project) -> None:
    state = project.workspace_with({"t.txt": "«masked:api-key:1»\nb\n"})
    patch = section("t.txt", "@@ -1,2 +1,2 @@", " «masked:api-key:1»", "-b", "+c")
    assert after(project, patch, state)["t.txt"] == "«masked:api-key:1»\nc\n"


def test_a_patch_of_thousands_of_equal_lines_is_placed_in_a_moment(project: Project) -> None:
    project.repo.commit({"many.txt": "same\n" * 200_000 + "end\n"})
    lines = [" same"] * 20_000
    project.seconds = 10
    reply = tried(project, section("many.txt", "@@ -3 +3 @@", *lines, "-end", "+END"))
    assert reply.problem is None
