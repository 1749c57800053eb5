"""What a question about the graph of a repository's code says of itself; `logic.py` has the whole run."""

from __future__ import annotations

from orchestrator.core.parts import TOOLS_ONLY, embedder_part
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.graph.options import EMBEDDING, GraphOptions

VERSION = 1

WORKFLOW: WorkflowType[GraphOptions] = WorkflowType(
    name="graph",
    version=VERSION,
    options=GraphOptions,
    logic="orchestrator.workflows.graph.logic",
    subject=SubjectKind.TASK,
    parts=(
        *TOOLS_ONLY,
        embedder_part(EMBEDDING, "code", "code", ("panel.embedder",)),
    ),
    record_types=(),
    display="orchestrator.workflows.display:WHOLE",
)
