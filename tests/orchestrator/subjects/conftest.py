"""Real repositories in a temporary directory."""

from __future__ import annotations

import hashlib
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from orchestrator.subjects.repository_change import capture
from orchestrator.subjects.request import ChangeRequest
from shared.models.subject import FileChange, Subject


@dataclass(frozen=True)
class Shelf:
    """A document store in memory."""

    documents: dict[str, bytes] = field(default_factory=dict)

    def put(self, text: bytes) -> str:
        sha = hashlib.sha256(text).hexdigest()
        self.documents[sha] = text
        return sha

    def get(self, sha: str | None) -> bytes:
        assert sha is not None
        return self.documents[sha]


@dataclass(frozen=True)
class Repo:
    """A repository under test, and what its captures stored."""

    path: Path
    shelf: Shelf = field(default_factory=Shelf)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def write(self, name: str, content: str | bytes) -> Path:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def commit(self, message: str, **files: str | bytes) -> str:
        for name, content in files.items():
            self.write(name.replace("__", "."), content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def capture(self, **request: Any) -> Subject:
        path = request.pop("path", self.path)
        return capture(ChangeRequest(path=path, **request), self.shelf.put)

    def diff(self, subject: Subject) -> str:
        return self.shelf.get(subject.diff).decode()

    def after(self, file: FileChange) -> bytes:
        return self.shelf.get(file.after)


def init(path: Path) -> Repo:
    path.mkdir(parents=True, exist_ok=True)
    repo = Repo(path)
    repo.git("init", "-q", "-b", "main")
    repo.git("config", "user.name", "Tester")
    repo.git("config", "user.email", "tester@example.invalid")
    return repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with one commit: `app.py` of ten lines."""
    made = init(tmp_path / "repo")
    made.commit("first", app__py="".join(f"line {n}\n" for n in range(1, 11)))
    return made


@pytest.fixture
def new_repo(tmp_path: Path) -> Repo:
    """A repository without a commit."""
    return init(tmp_path / "new")


def wrapped_git(folder: Path, before: str) -> dict[str, str]:
    """An environment whose `git` runs the shell lines `before` first."""
    real = subprocess.run(
        ["sh", "-c", "command -v git"], capture_output=True, text=True, check=True
    )
    folder.mkdir()
    script = folder / "git"
    script.write_text(f'#!/bin/sh\n{before}\nexec {real.stdout.strip()} "$@"\n')
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


@pytest.fixture
def fake_git(tmp_path: Path) -> Any:
    """Makes environments with another `git`."""
    return lambda before: wrapped_git(tmp_path / "bin", before)


@pytest.fixture
def make_repo() -> Any:
    """Makes further repositories."""
    return init
