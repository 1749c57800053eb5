"""Which files a capture leaves out, and that their texts are not stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.subjects.repository_change import capture
from orchestrator.subjects.request import ChangeRequest, Screen
from orchestrator.subjects.screening import stays_here


def names(subject: Any) -> list[str]:
    return [file.path for file in subject.files]


# ---- what is left out --------------------------------------------------------------------------


def test_files_that_cannot_be_reviewed_are_listed_with_reasons(repo: Any, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("password\n")
    repo.write("code.py", "1\n")
    repo.write("logo.png", b"\x89PNG\0\0")
    repo.write(".env", "TOKEN=abc\n")
    repo.write("deploy/id_rsa", "key\n")
    repo.write("conf/.env.example", "TOKEN=\n")
    repo.write("big.txt", "x" * 1_100_000)
    repo.write("poetry.lock", "x\n")
    (repo.path / "link.py").symlink_to(outside)
    expected = {
        "code.py": None,
        "conf/.env.example": None,
        "logo.png": "it is binary",
        ".env": "it may hold secrets, so it is never sent (privacy.never_send)",
        "deploy/id_rsa": "it may hold secrets, so it is never sent (privacy.never_send)",
        "big.txt": "it is too large (1.1 MB; the limit for one file is 1.0 MB)",
        "poetry.lock": "it is excluded by the configuration (review.exclude)",
    }
    screen = Screen(exclude=("**/*.lock",))

    untracked = {f.path: f.skipped for f in repo.capture(screen=screen).files}
    assert untracked == expected | {"link.py": "it is not a plain file, or it is gone"}

    repo.git("add", "-A")
    staged = repo.capture(screen=screen)
    link = {"link.py": "it is a symbolic link, which is never followed"}
    assert {f.path: f.skipped for f in staged.files} == expected | link
    for secret in (b"TOKEN=abc", b"PNG", b"password", str(outside).encode()):
        assert not any(secret in text for text in repo.shelf.documents.values())


def test_a_secret_file_that_is_renamed_is_still_left_out(repo: Any) -> None:
    repo.commit("secret", __env="TOKEN=abc\nA=1\nB=2\n")
    repo.git("mv", ".env", "settings.txt")
    repo.write("code.py", "1\n")
    repo.git("add", "-A")
    subject = repo.capture()
    assert {f.path: bool(f.skipped) for f in subject.files} == {
        "code.py": False,
        "settings.txt": True,
    }
    assert not any(b"TOKEN" in text for text in repo.shelf.documents.values())


def test_submodules_are_left_out(repo: Any, tmp_path: Path, make_repo: Any) -> None:
    inner = make_repo(tmp_path / "inner")
    inner.commit("x", x__py="1\n")
    repo.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "lib"
    )
    files = {f.path: f.skipped for f in repo.capture().files}
    assert files == {
        ".gitmodules": None,
        "lib": "it is a submodule; review it in its own repository",
    }


def test_an_attribute_cannot_hide_a_text_as_binary(repo: Any) -> None:
    repo.write(".gitattributes", "*.py -diff\n*.sh binary\n")
    repo.write("evil.py", "import os\n")
    repo.write("evil.sh", "rm\n")
    repo.git("add", "-A")
    subject = repo.capture()
    assert all(f.skipped is None for f in subject.files)
    assert "+import os" in repo.diff(subject)


def test_a_mask_sees_every_text_before_it_is_stored(repo: Any) -> None:
    repo.write("app.py", "token = 'hunter2'\n")

    def mask(text: bytes) -> tuple[bytes, int]:
        return text.replace(b"hunter2", b"*******"), text.count(b"hunter2")

    subject = capture(ChangeRequest(path=repo.path), repo.shelf.put, mask)
    assert subject.masked_secrets == 1
    assert not any(b"hunter2" in text for text in repo.shelf.documents.values())


@pytest.mark.parametrize(
    ("name", "stays"),
    [
        ("config/.env-prod", True),
        (".env_local", True),
        (".envrc", True),
        ("gcp/service-account-prod.json", True),
        (".ssh/config", True),
        ("home/.SSH/known", True),
        ("infra/terraform.tfvars", True),
        (".env_example", False),
        (".env-template", False),
        ("environment.py", False),
        ("src/credentials.py", False),
        ("terraform.tfvars.example", False),
    ],
)
def test_names_of_files_that_hold_secrets(name: str, stays: bool) -> None:
    assert stays_here(name, Screen()) is stays
