"""The tool `graph.read`: the facts of a portion of the code, stored for whoever makes the graph."""

from __future__ import annotations

from shared.models.code_answers import CodeRead
from shared.tools.graph_cards import CodeReadInput
from workers.tools.agent.code_base import code_files, read_facts
from workers.tools.agent.workspace import open_workspace
from workers.tools.registry import ToolContext


def run(inputs: CodeReadInput, context: ToolContext) -> CodeRead:
    """Read the files that nobody has read before; other portions are read at the same time."""
    with open_workspace(inputs.workspace, context) as tree:
        files = code_files(tree).files[inputs.portion :: inputs.portions]
        stored = context.code.known([file.key for file in files])
        read = read_facts([f for f in files if f.key not in stored], tree, context, programs=1)
    return CodeRead(files=len(files), read=len(read))
