"""The cards of the examiners: each looks at a repository from one point of view (docs/design/agent-examiners.md)."""

from __future__ import annotations

from shared.models.agent import RepositoryExamination
from shared.tools.agent_inputs import ExaminationInput
from shared.tools.card import ToolCard, ToolCost, ToolKind, ToolLimits

# What each is for, and seconds of one processor on a repository of 2,000 files (docs/design/agent-examiners.md).
_EXAMINERS = {
    "dependency": ("Compares what a repository imports, declares and locks.", 7),
    "design": (
        "Shows the layers of modules, circles and outliers, and where what a task names would belong.",
        4,
    ),
    "documentation": (
        "Compares docstrings with signatures, and pages with the files and commands that they name.",
        3,
    ),
    "environment": (
        "Names the runtimes, services and variables that a checkout needs, and what nothing pins.",
        1,
    ),
    "migration": (
        "Lists in order what a migration would touch, what is deprecated, and how the schema's steps follow.",
        7,
    ),
    "ml": (
        "Looks for models, data, seeds, versions, notebooks and the evaluation of machine learning.",
        2,
    ),
    "ops": ("Looks for risky settings of images, services, pipelines and infrastructure.", 1),
    "spec": (
        "Goes through the requirements of a document, and names the code and the tests for each.",
        3,
    ),
    "verification": ("Names the checkers that a project configures, with their commands.", 1),
}
EXAMINER_CARDS = tuple(
    ToolCard(
        name=f"examine.{name}",
        purpose=purpose,
        kind=ToolKind.STAGE,
        module=f"workers.tools.agent.examine_{name}",
        inputs=ExaminationInput,
        reply=RepositoryExamination,
        cost=ToolCost(seconds=seconds),
        limits=ToolLimits(timeout_s=180.0),
    )
    for name, (purpose, seconds) in _EXAMINERS.items()
)
