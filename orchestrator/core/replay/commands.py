"""The language that workflows speak: what a generator yields, and what it gets back.

A workflow is a generator of commands. `replay` runs it from its start against the journal, so it must be
deterministic: everything it knows comes from its context and from the results it is sent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import JsonValue

from orchestrator.core.results import WorkflowResult
from shared.models.assessment import Assessment
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.models.findings import Finding, Stance
from shared.models.notices import Notice
from shared.models.outcomes import Ending, FailureKind, RunStatus, Verdict
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.models.steps import PromptPart, StepResult
from shared.models.wire import Wire

NEWEST = 0
"""As the version of a child's workflow: the one that the code knows when the child is born."""


@dataclass(frozen=True)
class Prompt:
    """The two halves of a request to a participant; parts with a fence are data."""

    system: tuple[PromptPart, ...] = ()
    user: tuple[PromptPart, ...] = ()


@dataclass(frozen=True)
class Turn:
    """A participant speaks once. `prompt` is called only when the turn is new: replays stay cheap.

    `brief` is the same matter as data, for participants that compute; it is called together with `prompt`.
    """

    key: str
    participant: Participant
    role: str
    round: int
    reply_model: str
    prompt: Callable[[], Prompt] = field(compare=False, repr=False)
    brief: Callable[[], dict[str, JsonValue]] = field(compare=False, repr=False, default=dict)
    temperature: float | None = None


@dataclass(frozen=True)
class ToolRun:
    """A deterministic piece of work in a tool worker; `inputs` are of the model that the tool's card names.

    Without `timeout_s` it may take as long as its card says.
    """

    key: str
    tool: str
    participant: str
    role: str
    round: int
    reply_model: str
    inputs: Callable[[], Wire] = field(compare=False, repr=False)
    timeout_s: float | None = None

    def stored_inputs(self) -> dict[str, JsonValue]:
        """The inputs as a step's request keeps them: what was said, and no defaults."""
        return self.inputs().model_dump(mode="json", exclude_unset=True)


@dataclass(frozen=True)
class ChildRequest:
    """What a child run captures. The engine gives it the parent's budget, deadline, priority and promises.

    `documents` are stored with it, under their hashes.
    """

    title: str
    spec: RunSpec
    documents: tuple[bytes, ...] = ()


def child_request(
    title: str,
    spec: RunSpec,
    workflow: str,
    templates: Mapping[str, str],
    options: Mapping[str, JsonValue] | None = None,
) -> ChildRequest:
    """The same subject and panel in another workflow, of its newest version.

    `templates` are those that `spec.prompts` names: of every workflow that the descriptor `starts` they hold its own,
    as `workflow/name`.
    """
    head = f"{workflow}/"
    own = {name[len(head) :]: text for name, text in templates.items() if name.startswith(head)}
    prompts = json.dumps(own, ensure_ascii=False, sort_keys=True).encode()
    child = spec.model_copy(
        update={
            "workflow": workflow,
            "workflow_version": NEWEST,
            "prompts": hashlib.sha256(prompts).hexdigest(),
            "options": dict(options or {}),
        }
    )
    return ChildRequest(title, child, (prompts,))


@dataclass(frozen=True)
class ChildRun:
    """A run that this run starts and waits for. `request` is called only when it is new."""

    key: str
    workflow: str
    request: Callable[[], ChildRequest] = field(compare=False, repr=False)

    @property
    def participant(self) -> str:
        """Who works on it, as lists show it: the workflow."""
        return self.workflow

    @property
    def role(self) -> str:
        """What every child run is for in its parent's journal."""
        return "run"

    @property
    def round(self) -> int:
        """It belongs to none."""
        return 0


Step = Turn | ToolRun | ChildRun


@dataclass(frozen=True)
class Together:
    """A parallel group with a barrier: its results come back in order, failures among them."""

    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Decide:
    """Ask a person; the run holds nothing while it waits."""

    key: str
    question: DecisionQuestion


class RecordBody(Wire):
    """A typed fact that a workflow writes into its journal: a round's assessment, a transition, a router's choice.

    `kind` is its type's name in the journal, for good; the workflow's descriptor lists the types that it writes.
    """

    kind: ClassVar[str]


class RoundRecord(RecordBody):
    """What a round brought: its figures, all findings as they stand, and the stances taken in it.

    `prefix` makes the findings' ids unique in a run that reviews more than once.
    """

    kind: ClassVar[str] = "assessment"

    prefix: str = ""
    assessment: Assessment
    findings: tuple[Finding, ...]
    stances: tuple[Stance, ...]


R = TypeVar("R", bound=RecordBody)


@dataclass(frozen=True)
class Record(Generic[R]):
    """Work something out once and write it down, in the transaction that saw it first.

    A replay is sent what is written and does not compute it again.
    """

    key: str
    type: type[R]
    compute: Callable[[], R] = field(compare=False, repr=False)


@dataclass(frozen=True)
class Phase:
    """The state name of the design's diagram that the run is in from here on."""

    name: str


@dataclass(frozen=True)
class Outcome:
    """What a workflow returns: the verdict by code, and everything a report shows."""

    verdict: Verdict
    ending: Ending | None
    summary: str | Notice
    findings: tuple[Finding, ...] = ()
    result: WorkflowResult = field(default_factory=WorkflowResult)
    warnings: tuple[Notice, ...] = ()

    @property
    def detail(self) -> dict[str, JsonValue]:
        """The result as it is stored and as JSON shows it (`detail` in docs/json.md)."""
        return self.result.model_dump(mode="json")


Command = Together | Decide | Record[Any] | Phase
Sent = tuple[StepResult, ...] | DecisionAnswer | RecordBody | None
T = TypeVar("T")
Effect = Generator[Command, Sent, T]  # a part of a workflow that ends with a T
Workflow = Effect[Outcome]


def together(steps: Iterable[Step]) -> Effect[tuple[StepResult, ...]]:
    """Run the steps in parallel and wait for all of them."""
    group = tuple(steps)
    if not group:
        return ()
    results = yield Together(group)
    assert isinstance(results, tuple)
    return results


def single(step: Step) -> Effect[StepResult]:
    """Run one step and wait for it."""
    (result,) = yield from together((step,))
    return result


class ChildOutcome(Wire):
    """How a child run ended, or why it goes no further: `status` is final or `blocked`.

    `outcome` is the child's own, as it is stored. `reason` says why there is none. `run` is empty for a child that was
    never started (the deadline had passed).
    """

    run: str = ""
    status: RunStatus
    verdict: Verdict | None = None
    ending: Ending | None = None
    summary: str = ""
    outcome: dict[str, JsonValue] | None = None
    reason: str = ""

    @property
    def completed(self) -> bool:
        """Whether the child came to its own end; everything else is the absence of a result."""
        return self.status is RunStatus.COMPLETED


_STATUS_OF = {FailureKind.CANCELLED: RunStatus.CANCELLED, FailureKind.DEADLINE: RunStatus.EXPIRED}


def child_outcome(result: StepResult) -> ChildOutcome:
    """The result of a step that waited for a child run."""
    if result.reply is not None:
        return ChildOutcome.model_validate(result.reply)
    assert result.failure is not None
    status = _STATUS_OF.get(result.failure.kind, RunStatus.FAILED)
    return ChildOutcome(status=status, reason=result.failure.message)


def spawn(key: str, workflow: str, request: Callable[[], ChildRequest]) -> Effect[ChildOutcome]:
    """Start a child run and wait for its outcome, whatever that is; nothing is held meanwhile.

    Several at once: `together` takes `ChildRun`s as well as turns, and `child_outcome` reads their results.
    """
    result = yield from single(ChildRun(key, workflow, request))
    return child_outcome(result)


def decide(key: str, question: DecisionQuestion) -> Effect[DecisionAnswer]:
    """Ask a person and wait for the answer, without holding anything."""
    answer = yield Decide(key, question)
    assert isinstance(answer, DecisionAnswer)
    return answer


def record(key: str, fact: type[R], compute: Callable[[], R]) -> Effect[R]:
    """Write a fact of that type into the journal; on a replay, what was written."""
    written = yield Record(key, fact, compute)
    assert isinstance(written, fact)
    return written


def phase(name: str) -> Effect[None]:
    """Name the state of the design's diagram that begins here."""
    yield Phase(name)
