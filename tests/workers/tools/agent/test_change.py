"""What an agent has changed so far becomes the subject of a review."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.models.agent import ChangeSubject, CheckedPatch
from shared.models.subject import Subject
from tests.workers.tools.agent.workspaces import Project, new_project

PATCH = (
    "--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = 2\n"
    "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+c = 3\n"
    "--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-d = 4\n"
)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path / "p", {"app.py": "a = 1\nb = 2\n", "old.py": "d = 4\n"})


def test_every_file_is_there_with_both_states_and_its_changed_lines(project: Project) -> None:
    patched = project.run("agent.patch", project.workspace_with({}), patch=PATCH)
    assert isinstance(patched, CheckedPatch)
    assert patched.after is not None, patched.problem
    made = project.run("agent.change", patched.after)
    assert isinstance(made, ChangeSubject)
    subject = Subject.model_validate_json(project.documents.get(made.subject))
    files = {file.path: file for file in subject.files}
    assert {path: file.status for path, file in files.items()} == {
        "app.py": "modified",
        "new.py": "added",
        "old.py": "deleted",
    }
    assert project.documents.get(files["app.py"].before or "") == b"a = 1\nb = 2\n"
    assert project.documents.get(files["app.py"].after or "") == b"a = 2\nb = 2\n"
    assert subject.changes("app.py", 1)
    assert not subject.changes("app.py", 2)
    assert (files["new.py"].before, files["old.py"].after) == (None, None)
    assert project.documents.get(subject.diff).decode() == patched.whole
    assert (subject.added_lines, subject.removed_lines) == (2, 2)


def test_a_state_without_a_change_is_an_empty_subject(project: Project) -> None:
    made = project.run("agent.change", project.workspace_with({}))
    assert isinstance(made, ChangeSubject)
    assert made.files == ()
