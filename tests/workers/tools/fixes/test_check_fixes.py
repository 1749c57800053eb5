"""fixes.check says which fixes apply, why others do not, and puts the good ones together."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from pydantic import JsonValue

from shared.errors import ToolError
from shared.models.placeholders import placeholder
from tests.workers.tools.changes import Contents, added, check, patch_of, stored, subject_of
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

TEXT = "".join(f"line {n}\n" for n in range(1, 31))
REFUSED = [
    ("", "empty"),
    ("   \n", "empty"),
    ("just words", "names no file"),
    ("--- a/a.txt\n+++ b/a.txt\n", "names no file"),
    (patch_of("../a.txt", "x\n", "y\n"), "leaves"),
    (patch_of("/etc/passwd", "x\n", "y\n"), "not a relative path"),
    (patch_of(".git/hooks/pre-commit", "x\n", "y\n"), ".git"),
    (patch_of(".GIT/config", "x\n", "y\n"), ".git"),
    (patch_of(".github/workflows/ci.yml", "x\n", "y\n"), "people only"),
    (patch_of(".gitlab-ci.yml", "x\n", "y\n"), "people only"),
    (patch_of(".pre-commit-config.yml", "x\n", "y\n"), "people only"),
    (patch_of("azure-pipelines.yaml", "x\n", "y\n"), "people only"),
    (patch_of(".quorate.yaml", "x\n", "y\n"), "people only"),
    (patch_of(".claude/settings.json", "x\n", "y\n"), "people only"),
    (patch_of("sub/.husky/pre-commit", "x\n", "y\n"), "people only"),
    (patch_of("Jenkinsfile", "x\n", "y\n"), "people only"),
    (patch_of(".gitattributes", "x\n", "y\n"), "people only"),
    (patch_of("elsewhere.txt", "x\n", "y\n"), "not a text file of the change"),
    (patch_of("latin.txt", "x\n", "y\n"), "not a text file of the change"),
    ("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+x\n", "create or delete"),
    ("--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "create or delete"),
    ("--- a/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-line 1\n+x\n", "renames"),
    (
        "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n",
        "renames",
    ),
    ("diff --git a/a.txt b/c.txt\ncopy from a.txt\ncopy to c.txt\n", "copies"),
    ("diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n", "mode"),
    (
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n",
        "creates",
    ),
    ("diff --git a/a.txt b/a.txt\nGIT binary patch\nliteral 3\nKcmZ\n", "binary"),
    (patch_of("a.txt", "absent\n", "y\n"), "does not apply"),
    ("--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n line 1\n line 2\n", "changes nothing"),
    ("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-line 1\n+" + "x" * 300_000 + "\n", "larger"),
    ("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-line 1\n+\0\n", "binary"),
    (patch_of("a.txt", "line 1\n", f"key = {placeholder('api-key', 1)}\n"), "stands for a secret"),
    (
        patch_of(
            "a.txt", f"{placeholder('a', 1)}\n", f"{placeholder('a', 1)} {placeholder('a', 2)}\n"
        ),
        "«masked:a:2»",
    ),
    # A secret that was masked in the prompt is not what the file holds.
    (patch_of("a.txt", f"{placeholder('a', 1)}\n", f"x{placeholder('a', 1)}\n"), "does not apply"),
]


def subject(documents: MemoryDocuments) -> str:
    files: dict[str, tuple[Contents, Contents]] = {
        "a.txt": (None, TEXT),
        "한글 폴더/b.txt": (None, TEXT),
        "latin.txt": (None, b"x\xff\n"),
        ".github/workflows/ci.yml": (None, "x\n"),
        ".gitattributes": (None, "*.txt filter=evil diff=evil -text\n"),
    }
    return stored(documents, subject_of(documents, files))


def test_every_patch_that_must_not_be_applied_gets_its_problem_and_harms_no_other() -> None:
    documents = MemoryDocuments()
    good = patch_of("a.txt", TEXT, TEXT.replace("line 30", "LINE 30"))
    reply = check(documents, subject(documents), *(patch for patch, _ in REFUSED), good)
    for fix, (_, problem) in zip(reply.fixes, REFUSED, strict=False):
        assert problem in (fix.problem or "")
    assert reply.fixes[-1].problem is None
    assert "+LINE 30" in reply.patch
    assert reply.patch.count("diff --git") == 1


def test_good_fixes_become_one_patch_that_git_applies(tmp_path: Path) -> None:
    documents = MemoryDocuments()
    first = patch_of("a.txt", TEXT, TEXT.replace("line 3\n", "LINE 3\n"))
    second = patch_of("한글 폴더/b.txt", TEXT, TEXT.replace("line 30\n", "line 30\n끝"))
    reply = check(documents, subject(documents), first, second)
    for path in ("a.txt", "한글 폴더/b.txt"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(TEXT)
    patch = f"{reply.patch}\n".encode()
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, check=True)
    assert "LINE 3\n" in (tmp_path / "a.txt").read_text()
    assert (tmp_path / "한글 폴더/b.txt").read_text("utf-8").endswith("line 30\n끝")


def test_fixes_of_neighbouring_lines_are_both_taken() -> None:
    documents = MemoryDocuments()
    patches = [
        patch_of("a.txt", TEXT, TEXT.replace(f"line {n}\n", f"LINE {n}\n")) for n in (9, 10, 11)
    ]
    reply = check(documents, subject(documents), *patches)
    assert [fix.problem for fix in reply.fixes] == [None, None, None]
    assert "+LINE 9\n+LINE 10\n+LINE 11\n" in reply.patch


def test_the_second_of_two_contradicting_fixes_is_left_out() -> None:
    documents = MemoryDocuments()
    patches = [
        patch_of("a.txt", TEXT, TEXT.replace("line 9\n", new)) for new in ("x\n", "y\n", "x\n")
    ]
    reply = check(documents, subject(documents), *patches)
    assert [fix.problem for fix in reply.fixes] == [None, "it conflicts with an earlier fix", None]
    assert "+x\n" in reply.patch
    assert "+y\n" not in reply.patch


def test_fixes_that_together_break_python_are_not_both_taken() -> None:
    documents = MemoryDocuments()
    text = "try:\n    import a\n    import b\nexcept ImportError:\n    x = 1\n"
    key = added(documents, a_py=text)
    patches = [patch_of("a.py", text, text.replace(f"    import {name}\n", "")) for name in "ab"]
    patches.append(patch_of("a.py", text, text.replace("x = 1", "x = 2")))
    reply = check(documents, key, *patches)
    assert [fix.problem for fix in reply.fixes] == [
        None,
        "a.py would not be valid Python any more",
        None,
    ]
    assert "-    import a" in reply.patch


def test_a_fix_may_mend_python_that_did_not_parse() -> None:
    documents = MemoryDocuments()
    text = "x = (\ny = )\n"
    key = added(documents, a_py=text)
    assert check(documents, key, patch_of("a.py", text, "x = ()\n")).fixes[0].problem is None
    still = patch_of("a.py", text, "x = (\nz = )\n")
    assert check(documents, key, still).fixes[0].problem is None


def test_a_patch_as_models_write_it_is_understood() -> None:
    documents = MemoryDocuments()
    key = added(documents, src__a_py="x = 1\n\n\ny = 2\n", b_py="z = 3\n")
    messy = (
        "```diff\n--- src/a.py\n+++ src/a.py\n@@ -1,9 +1,9 @@\n-x = 1\n+x = 10\n\n\n y = 2\n"
        "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-z = 3\n+z = 30\n```"
    )
    reply = check(documents, key, messy)
    assert [fix.problem for fix in reply.fixes] == [None]
    assert "+x = 10" in reply.patch
    assert "+z = 30" in reply.patch


def test_a_patch_whose_blank_end_was_trimmed_still_applies() -> None:
    documents = MemoryDocuments()
    text = "a\nb\n\n\n\nc\nd\n"
    key = stored(documents, subject_of(documents, {"a.txt": (None, text)}))
    patch = patch_of("a.txt", text, text.replace("b", "B"))
    assert patch.endswith(" \n \n \n")
    reply = check(documents, key, patch.strip())
    assert [fix.problem for fix in reply.fixes] == [None]


def test_a_patch_without_carriage_returns_fits_a_file_that_has_them() -> None:
    documents = MemoryDocuments()
    key = stored(documents, subject_of(documents, {"a.txt": (None, "a\r\nb\r\nc\r\n")}))
    reply = check(documents, key, patch_of("a.txt", "a\nb\nc\n", "a\nB\nc\n"))
    assert reply.fixes[0].problem is None
    assert "+B\r\n" in reply.patch


def test_what_an_earlier_check_said_is_forgotten() -> None:
    documents = MemoryDocuments()
    key = subject(documents)
    patch = patch_of("a.txt", TEXT, TEXT.replace("line 3\n", ""))
    first = check(documents, key, patch, "nonsense")
    stale: list[JsonValue] = [
        {**fix.model_dump(mode="json"), "problem": "old"} for fix in first.fixes
    ]
    again = run_tool("fixes.check", {"subject": key, "fixes": stale}, ToolContext(documents, 60))
    assert again == first


@pytest.mark.parametrize("fixes", [None, 3, [{"patch": 1}], "0" * 64, [{}] * 3])
def test_a_malformed_list_of_fixes_is_refused(fixes: object) -> None:
    documents = MemoryDocuments()
    with pytest.raises(ToolError):
        run_tool(
            "fixes.check",
            {"subject": subject(documents), "fixes": fixes},  # type: ignore[dict-item]
            ToolContext(documents, 60),
        )


def test_no_fixes_make_no_patch() -> None:
    documents = MemoryDocuments()
    reply = check(documents, subject(documents))
    assert (reply.fixes, reply.patch) == ((), "")


def test_a_placeholder_that_the_file_itself_holds_may_stay() -> None:
    documents = MemoryDocuments()
    own = placeholder("api-key", 1)
    held = added(documents, **{"docs.txt": f"masked as {own}\n"})
    moved = patch_of("docs.txt", f"masked as {own}\n", f"It is masked as {own}.\n")
    (fix,) = check(documents, held, moved).fixes
    assert fix.problem is None


@pytest.mark.parametrize(
    ("hunk", "problem"),
    [
        ("@@ -14 +14 @@\n-line 14\n+LINE 14\n", None),
        ("@@ -13,2 +13,2 @@\n line 13\n-line 14\n+LINE 14\n", None),
        ("@@ -14 +14 @@\n-line 40\n+LINE 14\n", "it does not apply to the reviewed state"),
        ("@@ -14,0 +15 @@\n+LINE 14\n", "it adds lines without showing where"),
    ],
)
def test_a_patch_without_context_applies_where_it_shows_the_lines_that_it_replaces(
    hunk: str, problem: str | None
) -> None:
    documents = MemoryDocuments()
    key = stored(documents, subject_of(documents, {"a.txt": (None, TEXT)}))
    reply = check(documents, key, f"--- a/a.txt\n+++ b/a.txt\n{hunk}")
    assert reply.fixes[0].problem == problem
    assert ("+LINE 14\n line 15\n" in reply.patch) is (problem is None)
