"""What a capture says of each file: its reason as a code, its kind, and whether somebody has to read it."""

from __future__ import annotations

import os
from typing import Any

from orchestrator.core.findings.coverage import excuse_of
from orchestrator.subjects.request import Screen
from shared.models.coverage import UnreadReason

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(64)


def captured(repo: Any, **more: Any) -> dict[str, Any]:
    return {file.path: file for file in repo.capture(**more).files}


def test_reasons_are_codes(repo: Any) -> None:
    repo.write("code.py", "1\n")
    repo.write("blob.bin", b"\0")
    repo.write(".env", "A=b\n")
    repo.write("big.py", "x" * 1_100_000)
    repo.write("a.lock", "x\n")
    repo.write("model.py", "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n")
    (repo.path / "link.py").symlink_to("code.py")
    (repo.path / "two\nlines.py").write_text("1\n")
    (repo.path / os.fsdecode(b"odd\xff.py")).write_text("1\n")
    repo.git("add", "-A")
    files = captured(repo, screen=Screen(exclude=("*.lock",)))
    reasons = {path: file.unread for path, file in files.items()}
    assert reasons == {
        "code.py": None,
        "blob.bin": UnreadReason.BINARY,
        ".env": UnreadReason.NEVER_SENT,
        "big.py": UnreadReason.TOO_LARGE,
        "a.lock": UnreadReason.EXCLUDED,
        "model.py": UnreadReason.LFS_POINTER,
        "link.py": UnreadReason.SYMLINK,
        "two\nlines.py": UnreadReason.UNUSABLE_NAME,
        "odd\\xff.py": UnreadReason.UNUSABLE_NAME,
    }
    assert {path for path, file in files.items() if excuse_of(file)} == {"a.lock"}


def test_pictures_are_known_staged_untracked_and_over_the_limit(repo: Any) -> None:
    repo.write("code.py", "1\n")
    repo.write("small.png", PNG)
    repo.write("large.png", PNG + bytes(1_100_000))
    repo.write("false.png", b"\0#!/bin/sh\n")
    repo.write("run.png", PNG)
    (repo.path / "run.png").chmod(0o755)
    expected = {"small.png": "image", "large.png": "image", "false.png": None, "run.png": None}
    untracked = captured(repo)
    assert {path: untracked[path].harmless for path in expected} == expected
    repo.git("add", "-A")
    staged = captured(repo)
    assert {path: staged[path].harmless for path in expected} == expected


def test_a_new_name_that_makes_code_of_it_makes_all_of_it_new(repo: Any) -> None:
    repo.commit("before", notes__txt="x = 1\ny = 2\n", other__txt="text\n", old__py="z = 3\n")
    repo.git("mv", "notes.txt", "job.py")
    repo.git("mv", "other.txt", "other.md")
    repo.git("mv", "old.py", "new.py")
    repo.write("code.py", "1\n")
    repo.git("add", "-A")
    files = captured(repo)
    assert [(lines.first, lines.last) for lines in files["job.py"].changed] == [(1, 2)]
    assert files["job.py"].as_new
    assert excuse_of(files["job.py"]) is None
    assert {path: excuse_of(files[path]) for path in ("other.md", "new.py")} == {
        "other.md": "renamed",
        "new.py": "renamed",
    }


def test_what_becomes_executable_has_to_be_read_and_the_reverse_has_not(repo: Any) -> None:
    repo.commit("before", a__sh="echo\n", b__sh="date\n", blob__bin="\0")
    (repo.path / "b.sh").chmod(0o755)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "b")
    for name, mode in (("a.sh", 0o755), ("b.sh", 0o644), ("blob.bin", 0o755)):
        (repo.path / name).chmod(mode)
    repo.write("code.py", "1\n")
    repo.git("add", "-A")
    files = captured(repo)
    assert {path: excuse_of(files[path]) for path in ("a.sh", "b.sh", "blob.bin")} == {
        "a.sh": None,
        "b.sh": "unchanged",
        "blob.bin": None,
    }


def test_a_script_is_of_its_first_lines_language(repo: Any) -> None:
    repo.write("deploy", "#!/usr/bin/env python3\nx = 1\n")
    repo.write("code.go", "package x\n")
    repo.git("add", "-A")
    files = captured(repo)
    assert (files["deploy"].is_python, files["code.go"].language) == (True, "go")


def test_attributes_and_an_intent_to_add_hide_nothing(repo: Any) -> None:
    repo.write(".gitattributes", "*.py -diff linguist-generated\n*.sh binary\n*.rb filter=lfs\n")
    for name in ("a.py", "b.sh", "c.rb"):
        repo.write(name, "evil\n")
    repo.git("add", "-N", ".")
    files = captured(repo)
    assert {"a.py", "b.sh", "c.rb"} <= files.keys()
    assert all(file.changed and file.skipped is None for file in files.values())


def test_what_becomes_executable_counts_as_changed_line_for_line(repo: Any) -> None:
    repo.commit("before", job="#!/usr/bin/env python3\nx = 1\n")
    (repo.path / "job").chmod(0o755)
    repo.write("code.py", "1\n")
    repo.git("add", "-A")
    changed = captured(repo)["job"].changed
    assert [(lines.first, lines.last) for lines in changed] == [(1, 2)]


def test_a_name_that_some_program_starts_makes_all_of_a_file_new(repo: Any) -> None:
    repo.commit("before", docs__py="x = 1\n", ci__yml="on: push\n", conftest__py="y = 2\n")
    for old, new in (
        ("docs.py", "sitecustomize.py"),
        ("ci.yml", ".github/workflows/ci.yml"),
        ("conftest.py", "tests/conftest.py"),
    ):
        (repo.path / new).parent.mkdir(parents=True, exist_ok=True)
        repo.git("mv", old, new)
    repo.write("code.py", "1\n")
    repo.git("add", "-A")
    files = captured(repo)
    assert {path: file.as_new for path, file in files.items()} == {
        "sitecustomize.py": True,
        ".github/workflows/ci.yml": True,
        "tests/conftest.py": True,
        "code.py": False,
    }


def test_what_cannot_be_read_may_be_moved_unless_its_name_gives_it_another_use(repo: Any) -> None:
    moved = {
        "a.pdf": "docs/a.pdf",
        "table.csv": "other.csv",
        "dump.sql": "db/dump.sql",
        "b.bin": "b.so",
        "c.so": "lib/c.so",
        "data.txt": "job.py",
    }
    for name in moved:
        big = name in ("table.csv", "dump.sql", "data.txt")
        repo.write(name, name + "\n" + "x\n" * 600_000 if big else name.encode() + b"\0" * 90)
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "before")
    for old, new in moved.items():
        (repo.path / new).parent.mkdir(exist_ok=True)
        repo.git("mv", old, new)
    repo.write("code.py", "1\n")
    repo.git("add", "-A")
    files = captured(repo)
    assert {path: excuse_of(file) for path, file in files.items() if excuse_of(file)} == {
        "docs/a.pdf": "renamed",
        "other.csv": "renamed",
        "db/dump.sql": "renamed",
    }


def test_a_pointer_of_git_lfs_is_known_by_all_of_its_names(repo: Any) -> None:
    repo.write("a.sh", "\n version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n")
    repo.write("b.sh", "version https://hawser.github.com/spec/v1\noid sha256:1\nsize 9\n")
    repo.write("c.sh", "version http://git-media.io/v/2\noid sha256:1\nsize 9\n")
    repo.write("code.py", "1\n")
    files = captured(repo)
    reasons = [files[name].unread for name in ("a.sh", "b.sh", "c.sh")]
    assert reasons == [UnreadReason.LFS_POINTER] * 3
