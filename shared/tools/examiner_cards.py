"""The cards of the examiners: each looks at a repository from one point of view (docs/design/agent-examiners.md)."""

from __future__ import annotations

from shared.models.agent import RepositoryExamination
from shared.tools.agent_inputs import ExaminationInput
from shared.tools.card import ToolCard, ToolCost, ToolKind, ToolLimits

_PURPOSES = {
    "dependency": "Compares what a repository imports, declares and locks.",
    "documentation": "Compares docstrings with signatures, and pages with the files and commands that they name.",
    "environment": "Names the runtimes, services and variables that a checkout needs, and what nothing pins.",
    "ops": "Looks for what is unwise in images, services, pipelines and infrastructure.",
    "verification": "Names the checkers that a project configures, with their commands.",
}
EXAMINER_CARDS = tuple(
    ToolCard(
        name=f"examine.{name}",
        purpose=purpose,
        kind=ToolKind.STAGE,
        module=f"workers.tools.agent.examine_{name}",
        inputs=ExaminationInput,
        reply=RepositoryExamination,
        cost=ToolCost(seconds=5),
        limits=ToolLimits(timeout_s=180.0),
    )
    for name, purpose in _PURPOSES.items()
)
