"""What an agent's run knows, and what has happened in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from orchestrator.core.discussion.templates import Templates
from orchestrator.core.discussion.turn_results import (
    TurnResult,
    over_budget,
    refuses_all,
    why_failed,
)
from orchestrator.core.replay.commands import ChildOutcome
from orchestrator.workflows.agent.mode_context import ApprovalLevel
from orchestrator.workflows.agent.options import AgentOptions
from orchestrator.workflows.agent.prompts import AgentPrompts
from orchestrator.workflows.agent.records import TransitionRecord
from orchestrator.workflows.agent.result import WrittenEntry
from shared.models.agent import (
    BranchCommit,
    CheckedItem,
    CodeHit,
    CommandReport,
    ExaminedPoint,
    RepositoryExamination,
)
from shared.models.decision import DecisionAnswer
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.models.steps import StepResult
from shared.models.workspace import CodingTask
from shared.text.masking.file_names import is_withheld


@dataclass(frozen=True)
class AgentContext:
    """One task on one repository."""

    spec: RunSpec
    options: AgentOptions
    task: CodingTask
    prompts: AgentPrompts
    templates: Templates
    run: str
    document: Callable[[str], bytes]

    @property
    def coder(self) -> Participant | None:
        """Who writes code and texts."""
        return self.options.coder

    @property
    def approval(self) -> ApprovalLevel:
        """How much is put to a person."""
        return ApprovalLevel(self.options.approval)

    def withholds(self, path: str) -> bool:
        """Whether a file may hold secrets: it is shown to no participant."""
        return is_withheld(path, self.task.never_sent, self.task.may_be_sent)

    def of_the_commit(self) -> AgentContext:
        """Without what the task's author has changed: the work is something else."""
        if self.task.own_change is None:
            return self
        return replace(self, task=self.task.model_copy(update={"own_change": None}))

    @property
    def models(self) -> tuple[Participant, ...]:
        """The reviewers that are no rules."""
        return tuple(critic for critic in self.spec.panel.critics if not critic.rule_based)


@dataclass
class AgentProceedings:
    """What happened, in order: built up while the generator runs, the same on every replay."""

    turns: list[TurnResult] = field(default_factory=list)
    warnings: list[Notice] = field(default_factory=list)
    transitions: list[TransitionRecord] = field(default_factory=list)
    hits: list[CodeHit] = field(default_factory=list)
    points: list[ExaminedPoint] = field(default_factory=list)
    items: list[CheckedItem] = field(default_factory=list)
    facts: list[Notice] = field(default_factory=list)
    texts: list[WrittenEntry] = field(default_factory=list)
    commands: list[CommandReport] = field(default_factory=list)
    commits: list[BranchCommit] = field(default_factory=list)
    children: list[tuple[str, ChildOutcome]] = field(default_factory=list)
    answers: list[DecisionAnswer] = field(default_factory=list)
    needs: list[Notice] = field(default_factory=list)
    taken_patches: set[str] = field(default_factory=set)
    asked_commands: dict[str, str] = field(default_factory=dict)
    stopped: Notice | None = None
    fell_short: bool = False

    def warn(self, warning: Notice) -> None:
        """Something to be told at the end, once."""
        if warning not in self.warnings:
            self.warnings.append(warning)

    def need(self, missing: Notice) -> None:
        """Something that only somebody or something who is not there could have done; the rest is not finished."""
        if missing not in self.needs:
            self.needs.append(missing)

    def see(self, seen: RepositoryExamination) -> None:
        """What code saw of the repository, once."""
        self.points += [point for point in seen.points if point not in self.points]
        self.items += [item for item in seen.items if item not in self.items]
        self.facts += [fact for fact in seen.facts if fact not in self.facts]

    def note(self, name: str, result: StepResult, *, spoke: bool) -> None:
        """A step has ended."""
        if spoke:
            self.turns.append(TurnResult(name, result))
        if result.failure is None:
            return
        why = why_failed(result.failure)
        self.warn(notice("agent_turn_missing" if spoke else "agent_tool_failed", who=name, why=why))
        if refuses_all(result) and self.stopped is None:
            self.stopped = why

    @property
    def over_budget(self) -> bool:
        """Whether the budget refused a call."""
        return over_budget(self.turns)


def state_of(record: TransitionRecord) -> tuple[object, ...]:
    """What tells a state of the agent from one in which something has changed."""
    context = record.context
    results = context.last_test_results
    return (
        record.to_mode,
        record.trigger,
        context.workspace.files,
        sum(message.source != "patch" for message in context.memory),
        None if results is None else results.failures,
    )
