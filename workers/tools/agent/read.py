"""Files of a workspace as stored documents, so that participants can be shown them."""

from __future__ import annotations

from collections.abc import Iterable

from shared.models.agent import ReadFile, ReadFiles
from shared.tools.agent_inputs import ReadInput
from workers.tools.agent.workspace import LARGEST_READ, WorkspaceTree, open_workspace
from workers.tools.fixes.bench import is_text
from workers.tools.registry import ToolContext


def run(inputs: ReadInput, context: ToolContext) -> ReadFiles:
    """The files in the order that they were asked for in; one that does not fit leaves room for those after it."""
    asked = tuple(dict.fromkeys(inputs.paths))
    with open_workspace(inputs.workspace, context) as tree:
        contents = tree.read_all(_fitting(tree, asked, inputs.most_bytes))
    files = tuple(
        ReadFile(path=path, document=context.documents.put(data), lines=len(data.splitlines()))
        for path, data in contents.items()
        if is_text(data)
    )
    present = {file.path for file in files}
    return ReadFiles(files=files, left_out=tuple(path for path in asked if path not in present))


def _fitting(tree: WorkspaceTree, paths: Iterable[str], most_bytes: int) -> list[str]:
    """Those of the paths that are there and fit into `most_bytes` together."""
    known = frozenset(tree.paths())
    fitting: list[str] = []
    room = min(most_bytes, LARGEST_READ)
    for path in paths:
        if path in known and tree.size(path) <= room:
            fitting.append(path)
            room -= tree.size(path)
    return fitting
