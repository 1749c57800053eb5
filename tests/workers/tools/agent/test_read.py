"""Files of a workspace are read as documents: those that are text, in the order asked for, up to a size."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.models.agent import ReadFiles
from tests.workers.tools.agent.workspaces import Project, new_project
from tests.workers.tools.changes import Contents


@pytest.fixture
def project(tmp_path: Path) -> Project:
    files: dict[str, Contents] = {
        "a.py": "a = 1\nb = 2\n",
        "인증.py": "x\n",
        "big.txt": "y" * 500,
        "image": b"\0\1",
    }
    return new_project(tmp_path / "p", files)


def read(project: Project, *paths: str, most_bytes: int = 1000) -> tuple[dict[str, str], list[str]]:
    reply = project.run(
        "agent.read", project.workspace(a_py="a = 3\n"), paths=paths, most_bytes=most_bytes
    )
    assert isinstance(reply, ReadFiles)
    texts = {file.path: project.documents.get(file.document).decode() for file in reply.files}
    assert [file.lines for file in reply.files] == [len(t.splitlines()) for t in texts.values()]
    return texts, list(reply.left_out)


def test_a_file_is_read_as_the_workspace_has_it_in_the_order_asked_for(project: Project) -> None:
    texts, left_out = read(project, "인증.py", "a.py", "인증.py")
    assert list(texts.items()) == [("인증.py", "x\n"), ("a.py", "a = 3\n")]
    assert left_out == []


def test_what_is_missing_or_no_text_or_outside_is_left_out(project: Project) -> None:
    texts, left_out = read(project, "image", "gone.py", "../a.py", "/etc/passwd", "a.py")
    assert list(texts) == ["a.py"]
    assert left_out == ["image", "gone.py", "../a.py", "/etc/passwd"]


def test_a_file_that_does_not_fit_leaves_room_for_those_after_it(project: Project) -> None:
    texts, left_out = read(project, "a.py", "big.txt", "인증.py", most_bytes=20)
    assert (list(texts), left_out) == (["a.py", "인증.py"], ["big.txt"])
