"""Links and renames that change what runs though no line changes: somebody has to read them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrator.core.findings.coverage import excuse_of
from shared.models.coverage import UnreadReason

SCRIPT = "#!/bin/sh\necho\n"


def excuses(repo: Any, **more: Any) -> dict[str, str | None]:
    return {file.path: excuse_of(file) for file in repo.capture(**more).files}


def link(repo: Any, links: Mapping[str, str]) -> None:
    for name, target in links.items():
        place: Path = repo.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)
    repo.git("add", "-A")


def prepare(repo: Any) -> None:
    for name in ("a/f.md", "x/p.md", "notes.md", "data.bin", "tool.json", ".env", "odd/plain.md"):
        repo.write(name, "text\n")
    repo.write("docs/hooks/pre-commit", SCRIPT).chmod(0o755)
    repo.write("plain", SCRIPT)
    repo.write("quiet", "words\n").chmod(0o755)
    link(repo, {"x/y/z/dl": "../../../a", "x/old": "../notes.md", "alias": "notes.md"})
    repo.git("commit", "-q", "-m", "before")


MEANT_WELL = {
    "README": "notes.md",
    "x/y/notes.md": "../../notes.md",
    "a/again.md": "f.md",
    "x/y/other": "../p.md",
}
MORE_THAN_A_LINK = {
    "out by a folder link": {"x/y/z/l": "dl/../../../p.md"},
    "through a folder link": {"x/y/z/l": "dl/f.md"},
    "up after a name": {"x/y/l": "../y/../p.md"},
    "another link": {"l": "alias"},
    "a folder": {"l": "a"},
    "a folder of hooks": {".husky": "docs/hooks"},
    "an executable": {"bin/deploy": "../docs/hooks/pre-commit"},
    "an executable of words": {"l": "quiet"},
    "a script": {"bin/deploy": "../plain"},
    "code by its name": {"l.py": "notes.md"},
    "code": {"l": "app.py"},
    "a name that is loaded": {"l.so": "data.bin"},
    "a name that is obeyed": {"AGENTS.md": "notes.md"},
    "a folder that is obeyed": {"docs/.claude/n.md": "../../notes.md"},
    "a configuration": {"package.json": "tool.json"},
    "a file with secrets": {"l.txt": ".env"},
    "a link that led elsewhere": {"x/old": "p.md"},
    "too long to be seen whole": {"l": "./" * 300 + "notes.md"},
}


def test_a_link_to_prose_of_this_repository_has_not_to_be_read(repo: Any) -> None:
    prepare(repo)
    link(repo, MEANT_WELL)
    assert excuses(repo, staged=True) == dict.fromkeys(MEANT_WELL, "link")
    assert excuses(repo) == dict.fromkeys(MEANT_WELL, "link")
    repo.git("commit", "-q", "-m", "links")
    assert excuses(repo, target="HEAD") == dict.fromkeys(MEANT_WELL, "link")


@pytest.mark.parametrize("kind", MORE_THAN_A_LINK)
def test_a_link_that_is_more_than_one_has_to_be_read(kind: str, repo: Any) -> None:
    prepare(repo)
    links = MORE_THAN_A_LINK[kind]
    link(repo, links)
    assert excuses(repo, staged=True) == dict.fromkeys(links, None)
    repo.git("commit", "-q", "-m", "links")
    assert excuses(repo, target="HEAD") == dict.fromkeys(links, None)


def test_in_the_working_tree_it_counts_what_lies_there(repo: Any) -> None:
    prepare(repo)
    link(repo, {"l": "odd/plain.md"})
    (repo.path / "odd" / "plain.md").unlink()
    (repo.path / "odd").rmdir()
    (repo.path / "odd").symlink_to("a")
    repo.git("reset", "-q")
    repo.git("add", "-N", "l")
    files = {file.path: file for file in repo.capture().files}
    assert (files["l"].unread, files["l"].harmless) == (UnreadReason.SYMLINK, None)


STARTS = {
    "examples/conftest.py": "conftest.py",
    "vendor/package.json": "package.json",
    "vendor/.pre-commit-config.yaml": ".pre-commit-config.yaml",
    ".GitHub/workflows/ci.yml": ".github/workflows/ci.yml",
    "vendor/x.toml": "pyproject.toml",
    "vendor/Makefile": "Makefile",
    "vendor/build.rs": "build.rs",
    "vendor/bs.yml": "buildspec.yml",
    "vendor/s.json": ".claude/settings.json",
    "vendor/setup.cfg": "setup.cfg",
    "vendor/tox.ini": "tox.ini",
    "docs/npmrc": ".npmrc",
    "docs/envrc": ".envrc",
    "vendor/tasks.json": ".vscode/tasks.json",
    "docs/agents.txt": "AGENTS.md",
    "vendor/gitea.yml": ".gitea/workflows/ci.yml",
    "vendor/lefthook.yml": "lefthook.yml",
    "vendor/unheard-of.yml": "unheard-of.yml",
    "vendor/CLAUDE.md": "claude.md",
    "vendor/json.py": "json.py",
    "pkg/helper.py": "pkg/test_helper.py",
    "pkg/work.py": "pkg/migrations/work.py",
    "pkg/run": "bin/run",
    ".travis.yml": "attic/travis.txt",
}
MOVES = {
    "old.py": "new.py",
    "src/a.py": "lib/a.py",
    "docs/b.md": "manual/b.md",
    "data/c.json": "fixtures/c.json",
    "tests/test_d.py": "more/tests/test_d.py",
    "src/json.py": "src/pkg/json.py",
    "LICENSE": "docs/LICENSE",
}


@pytest.mark.parametrize("old", [*STARTS, *MOVES])
def test_a_rename_counts_as_new_where_a_program_starts_or_obeys_a_path(old: str, repo: Any) -> None:
    new = (STARTS | MOVES)[old]
    repo.write(old, SCRIPT if new == "bin/run" else f"of = '{old}'\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "before")
    (repo.path / new).parent.mkdir(parents=True, exist_ok=True)
    repo.git("mv", old, new)
    (file,) = repo.capture(staged=True).files
    assert (file.status, file.old_path) == ("renamed", old)
    assert excuse_of(file) == (None if old in STARTS else "renamed")
    # What may hold secrets is not shown to anybody, so it is not new to them either.
    assert file.as_new == (old in STARTS and file.skipped is None)
