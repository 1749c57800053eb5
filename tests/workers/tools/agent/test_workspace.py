"""A workspace is its commit with what was changed on top, read and written out without anything of the person's."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from shared.errors import ToolError
from shared.models.workspace import Workspace, WorkspaceFile
from tests.workers.tools.agent.workspaces import Project, new_project
from tests.workers.tools.changes import new_repo
from tests.workers.tools.fixes.test_hostile_repository import set_traps
from workers.tools.agent.workspace import open_workspace, written_out


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path / "p", {"a.py": "a = 1\n", "pkg/b.py": "b = 2\n", "c.txt": "c\n"})


def test_shows_the_commit_with_what_was_changed_on_top_and_nothing_of_the_working_tree(
    project: Project,
) -> None:
    project.repo.write({"a.py": "uncommitted\n", "new.py": "untracked\n"})
    state = project.workspace(pkg__b_py="b = 3\n", d_py="d\n", c__txt="x\n").changed(
        WorkspaceFile(path="c.txt", document=None)
    )
    expected = {"a.py": "a = 1\n", "c/txt": "x\n", "d.py": "d\n", "pkg/b.py": "b = 3\n"}
    assert project.files(state) == expected == project.written(state)


def test_a_file_becomes_a_folder_and_a_folder_a_file(project: Project) -> None:
    files = {"c.txt": None, "c.txt/inner": "i\n", "pkg/b.py": None, "pkg": "now a file\n"}
    state = project.workspace_with(files)
    expected = {"a.py": "a = 1\n", "c.txt/inner": "i\n", "pkg": "now a file\n"}
    assert project.files(state) == expected == project.written(state)


def test_contents_are_bytes_whatever_attributes_and_configuration_say(
    project: Project, tmp_path: Path
) -> None:
    attributes = "* text eol=crlf ident filter=evil working-tree-encoding=UTF-16\n"
    files = {"id.txt": "$Id$\n", "crlf.txt": "x\r\n"}
    project.repo.commit(files)
    project.repo.write({".gitattributes": attributes})
    blob = project.repo.git("hash-object", "-w", "--no-filters", ".gitattributes")
    project.repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},.gitattributes")
    project.repo.git("commit", "-qm", "attributes")
    set_traps(project.repo, tmp_path / "marker")
    written = project.written(project.workspace_with({}))
    assert {path: written[path] for path in files} == files
    assert not (tmp_path / "marker").exists()


def test_links_are_not_followed_and_submodules_are_empty(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("s")
    os.symlink(outside, project.repo.root / "out")
    head = project.repo.git("rev-parse", "HEAD")
    project.repo.git("add", "out")
    project.repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    project.repo.git("commit", "-qm", "links")
    state = project.workspace_with({"out/new.txt": "n\n"})
    with open_workspace(project.workspace_with({}), project.context) as tree:
        assert not {"out", "sub"} & set(tree.paths())
        with tree.written_out() as folder:
            assert (folder / "out").is_file()
            assert not (folder / "out").is_symlink()
            assert not list((folder / "sub").iterdir())
    with written_out(state, project.context) as folder:
        assert (folder / "out/new.txt").read_text() == "n\n"
    assert os.listdir(outside) == ["secret"]


def test_the_executable_bit_is_the_commits_and_the_workspaces(project: Project) -> None:
    (project.repo.root / "a.py").chmod(0o755)
    project.repo.commit({})
    state = project.workspace_with({"pkg/b.py": "b\n"})
    state = state.changed(state.files[0].model_copy(update={"executable": True}))
    with open_workspace(state, project.context) as tree, tree.written_out() as folder:
        modes = {path: tree.is_executable(path) for path in tree.paths()}
        assert modes == {"a.py": True, "c.txt": False, "pkg/b.py": True}
        assert all(os.access(folder / path, os.X_OK) is is_set for path, is_set in modes.items())


def test_tells_text_from_what_is_none_and_reads_many_at_once(project: Project) -> None:
    project.repo.commit({"n.bin": b"\0\1", "l1.txt": "é".encode("latin-1"), "한글.txt": "글\n"})
    with open_workspace(project.workspace_with({}), project.context) as tree:
        assert [path for path in tree.paths() if not tree.is_text(path)] == ["l1.txt", "n.bin"]
        contents = tree.read_all(tree.paths())
        assert contents["n.bin"] == b"\0\1"
        assert contents["한글.txt"] == "글\n".encode()
        assert len(contents) == len(tree.paths()) == 6
        with pytest.raises(ToolError, match="no file"):
            tree.read("../outside")


@pytest.mark.parametrize("object_format", ["sha1", "sha256"])
def test_either_object_format_a_linked_worktree_and_a_bare_repository_do(
    tmp_path: Path, object_format: str
) -> None:
    project = new_project(tmp_path / 'odd:"name', {"a.py": "a = 1\n"}, object_format=object_format)
    project.repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    project.repo.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    state = project.workspace_with({"b.py": "b = 2\n"})
    for place in (project.repo.root, tmp_path / "linked", tmp_path / "bare.git"):
        moved = state.model_copy(update={"repository": str(place)})
        assert project.files(moved) == {"a.py": "a = 1\n", "b.py": "b = 2\n"}


def test_a_shallow_and_a_sparse_clone_show_the_whole_commit(
    project: Project, tmp_path: Path
) -> None:
    project.repo.commit({"a.py": "a = 2\n"})
    place = tmp_path / "clone"
    source = f"file://{project.repo.root}"
    command = ["git", "clone", "-q", "--depth=1", "--sparse", source, str(place)]
    subprocess.run(command, check=True, capture_output=True)
    assert not (place / "pkg").exists()
    state = project.workspace_with({}).model_copy(update={"repository": str(place)})
    assert set(project.files(state)) == {"a.py", "c.txt", "pkg/b.py"}


def test_a_partial_clone_is_refused_in_words_that_help(project: Project, tmp_path: Path) -> None:
    project.repo.git("config", "uploadpack.allowFilter", "true")
    place = tmp_path / "clone"
    source = f"file://{project.repo.root}"
    command = ["git", "clone", "-q", "--filter=blob:none", "--no-checkout", source, str(place)]
    subprocess.run(command, check=True, capture_output=True)
    state = project.workspace_with({}).model_copy(update={"repository": str(place)})
    with pytest.raises(ToolError, match="lacks contents"):
        project.files(state)


def test_says_that_the_commit_or_the_repository_is_gone(project: Project, tmp_path: Path) -> None:
    state = project.workspace_with({})
    gone = state.model_copy(update={"commit": "0" * 40})
    elsewhere = state.model_copy(update={"repository": str(tmp_path / "nowhere")})
    new_repo(tmp_path / "empty")
    other = state.model_copy(update={"repository": str(tmp_path / "empty")})
    for lost, words in ((gone, "any more"), (elsewhere, "does not exist"), (other, "any more")):
        with pytest.raises(ToolError, match=words):
            project.files(lost)


@pytest.mark.parametrize(
    "path", ["../x", "/x", ".git/config", "a/../../x", ".GIT/hooks/x", "x\n", "a//b"]
)
def test_a_forged_path_is_refused(project: Project, path: str) -> None:
    file = WorkspaceFile(path=path, document=project.documents.put(b"x"))
    head = project.repo.git("rev-parse", "HEAD")
    state = Workspace(repository=str(project.repo.root), commit=head, files=(file,))
    with pytest.raises(ToolError, match="refused"):
        project.written(state)


def test_the_repository_is_not_written_and_nothing_is_left(
    project: Project, tmp_path: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in project.repo.root.rglob("*")}
    with written_out(project.workspace_with({"n.py": "n\n"}), project.context) as folder:
        assert folder.is_dir()
    assert not folder.exists()
    assert {path: path.stat().st_mtime_ns for path in project.repo.root.rglob("*")} == before
