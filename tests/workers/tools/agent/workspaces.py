"""Workspaces of repositories that the tests of the agent's tools make themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shared.models.wire import ForeignWire
from shared.models.workspace import Workspace, WorkspaceFile
from tests.workers.tools.changes import Contents, Repo, as_bytes, new_repo
from workers.tools.agent.workspace import open_workspace, written_out
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool


@dataclass
class Project:
    """A repository, and the documents that its workspaces name."""

    repo: Repo
    documents: MemoryDocuments = field(default_factory=MemoryDocuments)
    seconds: float = 60.0

    @property
    def context(self) -> ToolContext:
        return ToolContext(self.documents, self.seconds)

    def workspace(self, **files: Contents) -> Workspace:
        """The checked-out commit, with `a_py="..."` as a.py on top (None: removed)."""
        named = {
            name.replace("__", "/").replace("_py", ".py"): text for name, text in files.items()
        }
        return self.workspace_with(named)

    def workspace_with(self, files: Mapping[str, Contents]) -> Workspace:
        head = self.repo.git("rev-parse", "HEAD")
        state = Workspace(repository=str(self.repo.root), commit=head)
        return state.changed(*(self.file(path, text) for path, text in files.items()))

    def file(self, path: str, text: Contents) -> WorkspaceFile:
        data = as_bytes(text)
        document = None if data is None else self.documents.put(data)
        return WorkspaceFile(path=path, document=document)

    def run(self, tool: str, state: Workspace, **inputs: Any) -> ForeignWire:
        """What a tool answers to this workspace and these inputs."""
        given = {"workspace": state.model_dump(mode="json"), **inputs}
        return run_tool(tool, given, self.context)

    def files(self, state: Workspace) -> dict[str, str]:
        """The text files of a workspace."""
        with open_workspace(state, self.context) as tree:
            return {path: tree.read(path).decode() for path in tree.paths() if tree.is_text(path)}

    def written(self, state: Workspace) -> dict[str, str]:
        """The text files as they are written out."""
        with written_out(state, self.context) as folder:
            files = (path for path in sorted(folder.rglob("*")) if path.is_file())
            return {str(path.relative_to(folder)): path.read_bytes().decode() for path in files}


def new_project(root: Path, files: Mapping[str, Contents], **options: Any) -> Project:
    """A repository of one commit."""
    repo = new_repo(root, **options)
    repo.commit(files)
    return Project(repo)
