"""A task is captured with what its author has changed, where it is about that."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from orchestrator.subjects.request import ChangeRequest
from orchestrator.subjects.task import capture_own_change, capture_task
from shared.models.workspace import OwnChange
from shared.text.masking.mask import count_secrets
from tests.workers.tools.changes import Repo, new_repo
from workers.tools.registry import MemoryDocuments


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = new_repo(tmp_path / "shop")
    repo.commit({"user.py": "class User:\n    pass\n", "old.py": "x = 1\n", "run.sh": "echo 1\n"})
    return repo


def own(repo: Repo, documents: MemoryDocuments) -> OwnChange | None:
    request = ChangeRequest(path=repo.root, environ=dict(os.environ))
    return capture_own_change(request, documents.put, count_secrets)


def test_uncommitted_work_is_the_change_without_what_may_hold_secrets(repo: Repo) -> None:
    (repo.root / "user.py").write_text("class User:\n    name = 1\n")
    (repo.root / "old.py").unlink()
    (repo.root / "new.py").write_text("y = 2\n")
    (repo.root / ".env").write_text("KEY=1\n")
    (repo.root / "run.sh").chmod(0o755)
    documents = MemoryDocuments()
    change = own(repo, documents)
    assert change is not None
    contents = {
        file.path: None if file.document is None else documents.get(file.document)
        for file in change.files
    }
    assert contents["user.py"] == b"class User:\n    name = 1\n"
    assert contents["new.py"] == b"y = 2\n"
    assert contents["old.py"] is None
    assert ".env" not in contents
    assert change.left_out == (".env",)
    assert not [file for file in change.files if file.executable and file.path != "run.sh"]


def test_what_is_staged_is_meant_before_what_is_not(repo: Repo) -> None:
    (repo.root / "user.py").write_text("class User:\n    staged = 1\n")
    repo.git("add", "user.py")
    (repo.root / "old.py").write_text("x = 2\n")
    change = own(repo, MemoryDocuments())
    assert change is not None
    assert [file.path for file in change.files] == ["user.py"]


def test_without_work_of_one_s_own_the_last_commit_is_the_change_and_nothing_is_to_be_committed(
    repo: Repo,
) -> None:
    repo.commit({"user.py": "class User:\n    last = 1\n"})
    change = own(repo, MemoryDocuments())
    assert change is not None
    assert (change.paths, change.files, change.left_out) == (("user.py",), (), ())


def test_a_task_says_nothing_of_a_change_that_it_is_not_about(repo: Repo) -> None:
    task = capture_task("where is User?", repo.root, dict(os.environ))
    assert task.own_change is None
    assert "own_change" not in task.model_dump_json()
