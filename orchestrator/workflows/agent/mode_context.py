"""What the modes of an agent share: the design's context as a value; every change makes a new one with its version."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.transitions import ContextFacts
from shared.models.agent import CodeImpact, CoverageData, LocatedError, TestResults
from shared.models.wire import Verbatim, Wire
from shared.models.workspace import Workspace

MOST_FILES = 40
MOST_SYMBOLS = 60
MOST_ERROR = 20_000
"""Characters of an error's text that are kept."""


class ApprovalLevel(StrEnum):
    """How much of what the agent does is put to a person."""

    LOW = "low"
    """Nothing is asked."""
    MEDIUM = "medium"
    """Code and commits are."""
    HIGH = "high"
    """Everything that a mode brings is."""


class AgentAction(Wire):
    """Something that a mode did: what, in which step, and whether it came off."""

    mode: AgentMode
    what: str
    step: str = ""
    succeeded: bool = True


class AgentMessage(Wire):
    """Something that the next attempt has to know: what a person said, what a review found, how a patch failed.

    `source` is `person`, `review`, `tests`, `patch` or `plan`; `text` is theirs.
    """

    source: str
    text: Verbatim


class ModeContext(Wire):
    """The context, at a `version` that counts its changes.

    `workspace` is the state with everything that was approved; `whole_patch` leads there from the commit, and
    `pending_files` are the paths that it changes. `staged_files` are those that the last commit on the agent's branch
    has. `memory` is what the next attempt has to mind, `graph_document` the stored graph that was asked last.
    """

    version: int = 0
    task: str
    mode: AgentMode = AgentMode.IDLE
    goal: AgentMode = AgentMode.CONTEXT_NAV
    wants_change: bool = False
    current_files: tuple[str, ...] = ()
    current_symbols: tuple[str, ...] = ()
    graph_document: str = ""
    impact_nodes: tuple[str, ...] = ()
    dependency_chain: tuple[str, ...] = ()
    mode_history: tuple[AgentMode, ...] = ()
    action_history: tuple[AgentAction, ...] = ()
    approval_level: ApprovalLevel = ApprovalLevel.MEDIUM
    auto_test: bool = True
    auto_commit: bool = False
    workspace: Workspace
    pending_files: tuple[str, ...] = ()
    whole_patch: Verbatim = ""
    staged_files: tuple[str, ...] = ()
    last_test_results: TestResults | None = None
    coverage_data: CoverageData | None = None
    last_error: LocatedError | None = None
    error_text: Verbatim = Field(default="", max_length=MOST_ERROR)
    impact: CodeImpact | None = None
    memory: tuple[AgentMessage, ...] = ()

    def updated(self, **changes: Any) -> ModeContext:
        """With these values, as the next version."""
        return self.model_copy(update={**changes, "version": self.version + 1})

    def with_places(self, files: tuple[str, ...], symbols: tuple[str, ...] = ()) -> ModeContext:
        """With files and symbols to look at, new ones last."""
        known = tuple(dict.fromkeys((*self.current_files, *files)))[:MOST_FILES]
        named = tuple(dict.fromkeys((*self.current_symbols, *symbols)))[:MOST_SYMBOLS]
        return self.updated(current_files=known, current_symbols=named)

    def remembering(self, *messages: AgentMessage) -> ModeContext:
        """With something more to mind in the next attempt; what is known already is no news."""
        return self.updated(memory=tuple(dict.fromkeys((*self.memory, *messages))))

    def done(self, what: str, step: str = "", *, succeeded: bool = True) -> ModeContext:
        """With an action in its history."""
        action = AgentAction(mode=self.mode, what=what, step=step, succeeded=succeeded)
        return self.updated(action_history=(*self.action_history, action))

    @property
    def words(self) -> tuple[str, ...]:
        """What people said to what they rejected."""
        return tuple(message.text for message in self.memory if message.source == "person")

    @property
    def facts(self) -> ContextFacts:
        """What conditions of transitions look at."""
        results = self.last_test_results
        return ContextFacts(
            has_pending_changes=bool(self.pending_files),
            has_errors=self.last_error is not None,
            test_passed=results is not None and results.all_passed,
            num_files=len(self.pending_files),
        )
