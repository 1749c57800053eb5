"""The tool `agent.errors`: a text with errors and stack traces, and the places of the repository that it names."""

from __future__ import annotations

from shared.models.agent import LocatedError
from shared.tools.agent_inputs import ErrorInput
from workers.tools.agent.repository_paths import RepositoryPaths
from workers.tools.agent.traces import located_errors
from workers.tools.agent.workspace import open_workspace
from workers.tools.registry import ToolContext


def run(inputs: ErrorInput, context: ToolContext) -> LocatedError:
    """The first error that has a place in the repository, else the first; an empty one where there is none."""
    with open_workspace(inputs.workspace, context) as tree:
        errors = located_errors(inputs.text, RepositoryPaths(tree.paths()))
    located = (error for error in errors if error.places)
    return next(located, errors[0] if errors else LocatedError())
