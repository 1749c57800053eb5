"""A change of a notebook: readers are given its cells at the lines of the file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orchestrator.application.documents import DocumentCollector
from orchestrator.evaluation.cases import change_between
from orchestrator.subjects.repository_change import capture
from orchestrator.subjects.request import ChangeRequest
from shared.git.patch import parse_patch
from shared.models.review_replies import CheckedFix
from shared.models.subject import FileChange, Subject
from shared.tools.inputs import FixCheckInput
from tests.support.notebooks import cell, notebook
from workers.tools.fixes.check_fixes import run as check_fixes
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

KEY = "ghp_" + "a1B2" * 9
BEFORE = notebook(
    cell("markdown", "# Title"),
    cell("code", "import json\njson", ["old\n"] * 30, 1),
    cell("code", "def f(a):\n    return a\n\nf(1)", ["2\n"] * 5, 2),
)
AFTER = notebook(
    cell("markdown", "# Another title"),
    cell("code", "import json\nimport os\njson", ["new\n"] * 90, 3),
    cell("code", "def f(a, b=[]):\n    return a\n\nf(1)", [f'token = "{KEY}"\n'], 4),
)


class Captured:
    def __init__(self, folder: Path, before: str | None, after: str | None) -> None:
        self.documents = DocumentCollector()
        git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, "init", "-q"], check=True)
        for text in (before, after):
            file = folder / "a.ipynb"
            file.unlink(missing_ok=True)
            (folder / "b.txt").write_text("a" if text is before else "b")
            if text is not None:
                file.write_text(text, encoding="utf-8")
            subprocess.run([*git, "add", "-A"], check=True)
            subprocess.run([*git, "commit", "-q", "-m", "x"], check=True)
        request = ChangeRequest(path=folder, target="HEAD~1..HEAD")
        self.subject: Subject = capture(request, self.documents.put)

    @property
    def file(self) -> FileChange:
        return next(file for file in self.subject.files if file.path == "a.ipynb")

    @property
    def diff(self) -> str:
        return self.documents.gathered[self.subject.diff].decode()


def test_readers_are_given_cells_and_no_outputs(tmp_path: Path) -> None:
    captured = Captured(tmp_path, BEFORE, AFTER)
    patch = next(p for p in parse_patch(captured.diff.encode()) if p.path == b"a.ipynb")
    rows = [row for hunk in patch.hunks for row in hunk.lines]
    assert [row.shown.decode().rstrip() for row in rows if row.tag != b" "] == [
        "-# # Title",
        "+# # Another title",
        "+import os",
        "-def f(a):",
        "+def f(a, b=[]):",
    ]
    assert [hunk.heading for hunk in patch.hunks] == [b" cell 1", b" cell 2", b" cell 3"]
    assert captured.file.language == "python"
    assert captured.file.cells
    assert KEY not in captured.diff
    assert all(KEY.encode() not in text for text in captured.documents.gathered.values())


def test_changed_lines_are_those_of_the_file(tmp_path: Path) -> None:
    captured = Captured(tmp_path, BEFORE, AFTER)
    file = AFTER.split("\n")
    changed = [
        file[number - 1].strip()
        for lines in captured.file.changed
        for number in range(lines.first, lines.last + 1)
    ]
    assert changed == ['"# Another title"', '"import os\\n",', '"def f(a, b=[]):\\n",']


def test_a_secret_in_an_output_is_told_though_nobody_is_shown_it(tmp_path: Path) -> None:
    captured = Captured(tmp_path, BEFORE, AFTER)
    (secret,) = captured.file.secrets
    assert KEY in AFTER.split("\n")[secret.line - 1]
    assert captured.subject.changes("a.ipynb", secret.line)


def test_a_change_of_outputs_alone_needs_no_reader(tmp_path: Path) -> None:
    other = BEFORE.replace("old", "new")
    captured = Captured(tmp_path, BEFORE, other)
    assert captured.file.before == captured.file.after
    assert captured.file.changed == ()
    assert "a.ipynb" not in captured.diff


@pytest.mark.parametrize(("before", "after"), [(None, AFTER), (BEFORE, None)])
def test_new_and_deleted_notebooks_are_cells_too(
    tmp_path: Path, before: str | None, after: str | None
) -> None:
    captured = Captured(tmp_path, before, after)
    sign = "-" if after is None else "+"
    assert f"{sign}import json\n" in captured.diff
    assert "execution_count" not in captured.diff


def test_a_notebook_without_lines_stays_what_it_is(tmp_path: Path) -> None:
    captured = Captured(tmp_path, BEFORE, AFTER.replace("\n", " "))
    assert not captured.file.cells
    assert captured.file.language == "notebook"
    assert "execution_count" in captured.diff


def stored(captured: Captured) -> tuple[str, MemoryDocuments]:
    documents = MemoryDocuments()
    for content in captured.documents.gathered.values():
        documents.put(content)
    return documents.put(captured.subject.model_dump_json().encode()), documents


def test_ruff_reads_the_cells_and_proposes_no_patch(tmp_path: Path) -> None:
    subject, documents = stored(Captured(tmp_path, BEFORE, AFTER))
    reply = run_tool("ruff", {"subject": subject}, ToolContext(documents, 60.0)).model_dump()
    found = {each["rule"]: each for each in reply["findings"]}
    assert set(found) == {"ruff/F401", "ruff/B006"}
    for finding in found.values():
        assert finding["quote"] in AFTER.split("\n")[finding["place"]["line"] - 1]
        assert finding["patch"] is None


def test_a_patch_of_a_notebook_is_refused_with_the_reason(tmp_path: Path) -> None:
    captured = Captured(tmp_path, BEFORE, AFTER)
    subject, documents = stored(captured)
    line = next(lines.first for lines in captured.file.changed[1:])
    patch = f"--- a/a.ipynb\n+++ b/a.ipynb\n@@ -{line},1 +{line},0 @@\n-import os\n"
    fix = CheckedFix(findings=("F1",), patch=patch, source="ada")
    checked = check_fixes(
        FixCheckInput(subject=subject, fixes=(fix,)), ToolContext(documents, 60.0)
    )
    assert checked.patch == ""
    assert "a notebook is shown as its cells" in (checked.fixes[0].problem or "")


def test_views_that_a_service_is_sent_are_read_as_such(tmp_path: Path) -> None:
    captured = Captured(tmp_path, BEFORE, AFTER)
    before, after = (
        captured.documents.gathered[str(name)]
        for name in (captured.file.before, captured.file.after)
    )
    documents = DocumentCollector()
    patch = change_between({"a.ipynb": before.decode()}, {"a.ipynb": after.decode()})
    request = ChangeRequest(path=tmp_path, diff=patch.encode(), files={"a.ipynb": before})
    sent = capture(request, documents.put)
    assert sent.files[0].cells
    assert sent.files[0].changed == captured.file.changed
