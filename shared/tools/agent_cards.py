"""The cards of what an agent does to a repository (docs/design/agent-tools.md)."""

from __future__ import annotations

from shared.delivery.contracts import QUEUE_APPLY
from shared.models.agent import (
    BranchCommit,
    ChangeSubject,
    CheckedPatch,
    CodeImpact,
    CommandReport,
    LocatedError,
    Navigation,
    ReadFiles,
)
from shared.tools.agent_inputs import (
    CommandRunInput,
    CommitInput,
    ErrorInput,
    ImpactInput,
    NavigationInput,
    PatchInput,
    ReadInput,
    WorkspaceInput,
)
from shared.tools.card import ToolCard, ToolCost, ToolKind, ToolLimits

AGENT_CARDS = (
    ToolCard(
        name="agent.patch",
        purpose="Tries a participant's patch on a state of a repository and writes it again as git does.",
        kind=ToolKind.CHECK,
        module="workers.tools.agent.patch",
        inputs=PatchInput,
        reply=CheckedPatch,
        cost=ToolCost(seconds=0.5),
        packages=("ruff",),
    ),
    ToolCard(
        name="agent.command",
        purpose="Runs a command that a person entered on a copy of a repository's state, and reads its results.",
        kind=ToolKind.CHECK,
        module="workers.tools.agent.command",
        inputs=CommandRunInput,
        reply=CommandReport,
        cost=ToolCost(seconds=60),
        limits=ToolLimits(timeout_s=600.0),
        command="command",
    ),
    ToolCard(
        name="agent.commit",
        purpose="Makes an approved state of a repository a commit on a branch of the run's own; never pushes.",
        kind=ToolKind.FIX,
        module="workers.tools.agent.commit",
        inputs=CommitInput,
        reply=BranchCommit,
        cost=ToolCost(seconds=0.5),
        queue=QUEUE_APPLY,
        read_only=False,
    ),
    ToolCard(
        name="agent.errors",
        purpose="Finds an error's place in a repository by its stack trace.",
        kind=ToolKind.CHECK,
        module="workers.tools.agent.errors",
        inputs=ErrorInput,
        reply=LocatedError,
        cost=ToolCost(seconds=0.2),
    ),
    ToolCard(
        name="agent.read",
        purpose="Reads files of a workspace.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.read",
        inputs=ReadInput,
        reply=ReadFiles,
        cost=ToolCost(seconds=0.1),
    ),
    ToolCard(
        name="agent.change",
        purpose="Makes the subject of a review of what an agent has changed.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.change",
        inputs=WorkspaceInput,
        reply=ChangeSubject,
        cost=ToolCost(seconds=0.3),
    ),
    ToolCard(
        name="agent.navigate",
        purpose="Finds code: symbols, chains of calls, imports, and what symbols, text, paths and structure say.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.navigate",
        inputs=NavigationInput,
        reply=Navigation,
        cost=ToolCost(seconds=2),
    ),
    ToolCard(
        name="agent.impact",
        purpose="Finds who depends on what was changed or named: callers, tests and files.",
        kind=ToolKind.STAGE,
        module="workers.tools.agent.impact",
        inputs=ImpactInput,
        reply=CodeImpact,
        cost=ToolCost(seconds=2),
    ),
)
"""What an agent reads, changes, runs and commits."""
