"""Post-images become files only below their own directory."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.errors import ToolError
from tests.workers.tools.changes import stored, subject_of
from workers.tools.registry import MemoryDocuments
from workers.tools.snapshot import load_subject, materialised, path_problem, post_images

REFUSED = [
    "",
    "/etc/passwd",
    "../x.py",
    "a/../../x.py",
    "a//b.py",
    "./a.py",
    "a/.",
    ".git/hooks/pre-commit",
    ".GIT/config",
    "sub/.git/config",
    ".git /config",
    ".git./config",
    "git~1/config",
    ".g\u200cit/config",
    ".git::$INDEX_ALLOCATION/config",
    "a\nb.py",
    "a\x00b",
    "\ud800.py",
    "x" * 256,
    "/".join(["d" * 200] * 30),
    "/".join(["d"] * 1_500),
]


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_could_lead_elsewhere_is_refused(path: str) -> None:
    assert path_problem(path) is not None
    with pytest.raises(ToolError), materialised({path: b""}):
        pass


@pytest.mark.parametrize(
    "path", ["a.py", "설정 파일/가나 다.py", ".github/x.yml", "...", "-rf.py", ".gitx"]
)
def test_an_ordinary_path_is_written_as_it_is(path: str) -> None:
    with materialised({path: "내용".encode()}) as root:
        assert (root / path).read_text("utf-8") == "내용"
    assert not root.exists()


def test_a_name_that_is_a_file_and_a_directory_is_refused() -> None:
    with (
        pytest.raises(ToolError, match="a/b cannot be written"),
        materialised({"a": b"", "a/b": b""}),
    ):
        pass


def test_deleted_and_skipped_files_have_no_post_image() -> None:
    documents = MemoryDocuments()
    subject = subject_of(
        documents, {"a.py": ("x", None), "b.py": (None, "y"), ".git/x": (None, "z")}
    )
    assert post_images(subject, documents) == {"b.py": b"y"}


def test_a_subject_is_loaded_by_its_hash_or_refused_with_a_sentence(tmp_path: Path) -> None:
    documents = MemoryDocuments()
    subject = subject_of(documents, {"a.py": (None, "x")})
    assert load_subject(stored(documents, subject), documents) == subject
    for wrong in ("0" * 64, documents.put(b"{}")):
        with pytest.raises(ToolError):
            load_subject(wrong, documents)
