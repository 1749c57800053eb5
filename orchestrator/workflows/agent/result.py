"""What an agent's run adds to its outcome."""

from __future__ import annotations

from pydantic import Field

from orchestrator.core.results import RunSpending, WorkflowResult
from orchestrator.workflows.agent.mode_context import AgentAction
from orchestrator.workflows.agent.modes import AgentMode
from shared.models.agent import (
    BranchCommit,
    CheckedItem,
    CodeHit,
    CommandReport,
    CoverageData,
    ExaminedPoint,
    TestResults,
)
from shared.models.decision import DecisionAnswer
from shared.models.notices import Notice, notice
from shared.models.review_replies import Applied
from shared.models.run import Budget
from shared.models.wire import Verbatim, Wire

OWN_CHANGE = "agent_own_change"
"""The code of the fact that the work is what its author had changed."""


class TakenTransition(Wire):
    """A step of the path: the modes, the trigger, why it was fired; a refused one led nowhere."""

    from_mode: AgentMode
    to_mode: AgentMode
    trigger: str
    condition: str | None = None
    refused: bool = False
    why: Notice | None = None


class WrittenEntry(Wire):
    """A text that somebody wrote: `answer`, `design`, `plan` or `research`."""

    title: str
    by: str
    text: str


class ChildEntry(Wire):
    """A run that the agent started, and what it came to."""

    run: str
    workflow: str
    outcome: str


class AgentLimits(Wire):
    """How many modes the run went through, and what it might use, together with the runs that it started."""

    modes: int
    max_modes: int
    budget: Budget


class AgentResult(WorkflowResult):
    """What was found, written, changed and run, and the path through the modes.

    `patch` leads from `commit` to the state that was approved; `needs` is what only somebody who was not there could
    have done, `stopped` why it went no further.
    """

    task: str
    goal: AgentMode
    commit: str
    repository: str
    path: tuple[TakenTransition, ...] = ()
    actions: tuple[AgentAction, ...] = ()
    hits: tuple[CodeHit, ...] = ()
    points: tuple[ExaminedPoint, ...] = ()
    items: tuple[CheckedItem, ...] = ()
    facts: tuple[Notice, ...] = ()
    texts: tuple[WrittenEntry, ...] = ()
    files: tuple[str, ...] = ()
    patch: Verbatim = ""
    tests: TestResults | None = None
    coverage: CoverageData | None = None
    commands: tuple[CommandReport, ...] = ()
    commits: tuple[BranchCommit, ...] = ()
    children: tuple[ChildEntry, ...] = ()
    answers: tuple[DecisionAnswer, ...] = ()
    needs: tuple[Notice, ...] = ()
    stopped: Notice | None = None
    uncommitted: tuple[str, ...] = ()
    usage: RunSpending | None = Field(default=None)
    limits: AgentLimits | None = None

    @property
    def whole_patch(self) -> str:
        """What was approved, as one patch against the commit."""
        return self.patch

    @property
    def came_from_folder(self) -> bool:
        """Whether the work is what its author had changed."""
        return any(fact.code == OWN_CHANGE for fact in self.facts)

    @property
    def applied_work(self) -> tuple[Applied, ...]:
        """The commits."""
        return tuple(
            Applied(
                repository=made.repository,
                branch=made.branch,
                base=made.base,
                commit=made.commit,
                files=made.files,
            )
            for made in self.commits
        )


def how_ended(report: CommandReport) -> Notice:
    """Its exit code, or what stopped it."""
    if report.stopped is None:
        return notice("agent_end_code", exit_code=str(report.code))
    return notice(f"agent_end_{report.stopped}", seconds=f"{sum(report.seconds):.0f}")
