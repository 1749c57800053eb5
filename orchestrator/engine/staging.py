"""From commands to rows: what a step's request looks like once large texts are stored by content.

The same instruction or answer shown to five participants is one document, so storage and messages grow with what was
said, not with its square.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, assert_never

from pydantic_core import to_json

from orchestrator.core.findings.stances import RAISING
from orchestrator.core.replay.commands import (
    ChildRun,
    Decide,
    Outcome,
    RecordBody,
    RoundRecord,
    Step,
    ToolRun,
    Turn,
)
from orchestrator.core.replay.replay import fingerprint
from orchestrator.engine.children import new_child
from shared.delivery.contracts import (
    QUEUE_TURNS,
    TOOL_TASKS,
    StepPayload,
    turn_name,
)
from shared.models.findings import Finding, Stance
from shared.models.notices import as_column, notice
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.priority import ORDINARY
from shared.models.run import RunSpec
from shared.models.steps import Failure, PromptPart, StepKind, ToolRequest, TurnRequest
from shared.store.children import MOST_NESTED
from shared.store.documents import address
from shared.store.events import Event
from shared.store.runs import LockedRun, NewChild, NewDecision, NewRecord, NewStep
from shared.tools.catalogue import find_card

INTERNED_FROM = 256
MAX_ATTEMPTS = 3
LEASE_MARGIN_S = 30.0


@dataclass(frozen=True)
class ScheduledStep:
    """A step that was committed and is to be published."""

    task: str
    queue: str
    payload: StepPayload


@dataclass(frozen=True)
class Scheduled:
    """A stage: its steps run in parallel, and the run is advanced when the last of them is final.

    `children` are runs to be advanced for the first time, `parent` the run that waits for nothing but this one any
    more; all hang under one root task. `priority` is that of its messages.
    """

    run: str
    root_task: str
    steps: tuple[ScheduledStep, ...] = ()
    priority: int = ORDINARY
    children: tuple[str, ...] = ()
    parent: str | None = None


@dataclass(frozen=True)
class _Work:
    """Who does a step, where, and what it asks."""

    kind: StepKind
    participant: str
    task: str
    queue: str
    request: str
    timeout_s: float


@dataclass
class Stage:
    """What one advance gathers before it is saved, after `position` steps and `written` records."""

    spec: RunSpec
    position: int
    written: int = 0
    steps: list[NewStep] = field(default_factory=list)
    scheduled: list[ScheduledStep] = field(default_factory=list)
    children: list[NewChild] = field(default_factory=list)
    records: list[NewRecord] = field(default_factory=list)
    documents: dict[str, bytes] = field(default_factory=dict)
    events: list[Event | None] = field(default_factory=list)
    _parts: dict[int, tuple[PromptPart, PromptPart]] = field(default_factory=dict, repr=False)

    def add(self, run: LockedRun, step: Step, refused: Failure | None) -> None:
        """Turn a command into its row, and into a message or a child run unless it is refused at once."""
        work = self._work(step)
        row = NewStep(
            key=step.key,
            position=self.position,
            kind=work.kind,
            participant=work.participant,
            role=str(step.role),
            round=step.round,
            task=work.task,
            queue=work.queue,
            fingerprint=fingerprint(step),
            request=work.request,
            max_attempts=MAX_ATTEMPTS,
            lease_s=work.timeout_s + LEASE_MARGIN_S,
            status="pending" if refused is None else "failed",
            failure_kind=None if refused is None else refused.kind,
            failure_message=None if refused is None else refused.message,
        )
        self.steps.append(row)
        self.position += 1
        if refused is not None:
            return
        if isinstance(step, ChildRun):
            self.children.append(new_child(run, self.spec, step))
            return
        payload = StepPayload(
            run=run.id, step=row.key, participant=row.participant, role=row.role, round=row.round
        )
        self.scheduled.append(ScheduledStep(row.task, row.queue, payload))

    def _work(self, step: Step) -> _Work:
        match step:
            case Turn():
                request, timeout_s = self._turn_request(step)
                task, name = turn_name(step.role), step.participant.name
                return _Work(StepKind.TURN, name, task, QUEUE_TURNS, request, timeout_s)
            case ToolRun():
                request, timeout_s = self._tool_request(step)
                queue = find_card(step.tool).queue
                task = TOOL_TASKS[queue]
                return _Work(StepKind.TOOL, step.participant, task, queue, request, timeout_s)
            case ChildRun():
                # It is in no queue: the child's own transactions move it.
                request = json.dumps({"workflow": step.workflow})
                return _Work(StepKind.RUN, step.participant, "", "", request, 0.0)
            case _:
                assert_never(step)

    def record(self, key: str, written: RecordBody) -> None:
        """Keep a fact; of a round's also the findings and stances, one by one."""
        findings: tuple[Finding, ...] = ()
        stances: tuple[Stance, ...] = ()
        if isinstance(written, RoundRecord):
            findings = tuple(_named(written.prefix, finding) for finding in written.findings)
            stances = _ledger_lines(written)
        self.records.append(
            NewRecord(
                key=key,
                kind=written.kind,
                position=self.written + len(self.records),
                body=written.model_dump_json(),
                findings=findings,
                stances=stances,
            )
        )
        self.events.append(None)

    def _turn_request(self, step: Turn) -> tuple[str, float]:
        prompt = step.prompt()
        request = TurnRequest(
            participant=self._interned_participant(step.participant),
            role=step.role,
            round=step.round,
            reply_model=step.reply_model,
            system=tuple(self._interned(part) for part in prompt.system),
            prompt=tuple(self._interned(part) for part in prompt.user),
            brief=step.brief() if step.participant.reads_brief else {},
            marker=self._unguessable("fences"),
            trap=self._unguessable(f"trap/{step.participant.name}"),
            temperature=step.temperature,
            reuse=self.spec.reuse,
            budgeted=self.spec.budget.limits_calls,
            allow_external=self.spec.allow_external,
        )
        return request.model_dump_json(), step.participant.timeout_s

    def _unguessable(self, name: str) -> str:
        """The same in all turns of the run, and known to nobody who has not read its seed or its prompts."""
        return hmac.digest(self.spec.seed.encode(), name.encode(), "sha256").hex()[:24]

    def _tool_request(self, step: ToolRun) -> tuple[str, float]:
        request = ToolRequest(
            tool=step.tool,
            participant=step.participant,
            role=step.role,
            round=step.round,
            reply_model=step.reply_model,
            inputs={
                name: self._interned_value(value) for name, value in step.stored_inputs().items()
            },
            timeout_s=step.timeout_s or find_card(step.tool).limits.timeout_s,
        )
        return request.model_dump_json(), request.timeout_s

    def _interned_participant(self, participant: Participant) -> Participant:
        """A participant's large options (a script) are stored once, not in every request."""
        options = {name: self._interned_value(value) for name, value in participant.options.items()}
        if options == participant.options:
            return participant
        return participant.model_copy(update={"options": options})

    def _interned(self, part: PromptPart) -> PromptPart:
        if part.text is None or len(part.text) < INTERNED_FROM:
            return part
        known = self._parts.get(id(part))  # turns of a stage share what they are asked alike
        if known is None:
            name = self._put(part.text.encode())
            stored = PromptPart(document=name, fence=part.fence, stable=part.stable)
            known = self._parts[id(part)] = part, stored
        return known[1]

    def _interned_value(self, value: Any) -> Any:
        """Large structured inputs travel as documents too: {"document": sha256}."""
        if isinstance(value, (list, dict)):
            content = to_json(value, inf_nan_mode="constants")
            if len(content) >= INTERNED_FROM:
                return {"document": self._put(content)}
        return value

    def _put(self, content: bytes) -> str:
        name = address(content)
        self.documents[name] = content
        return name


def _ledger_lines(written: RoundRecord) -> tuple[Stance, ...]:
    """One line a turn and finding: what was stated outranks what raising implies, and the last word the first."""
    lines: dict[tuple[str, str, str], Stance] = {}
    for line in sorted(written.stances, key=lambda line: line.reason != RAISING):
        named = line
        if written.prefix:
            named = line.model_copy(update={"finding": written.prefix + line.finding})
        lines[line.participant, line.role, line.finding] = named
    return tuple(lines.values())


def _named(prefix: str, finding: Finding) -> Finding:
    return finding.model_copy(update={"id": prefix + finding.id}) if prefix else finding


def new_decision(ask: Decide) -> NewDecision:
    """A question's row."""
    question = ask.question
    return NewDecision(
        key=ask.key,
        kind=question.kind,
        question=question.model_dump_json(),
        shown_sha256=shown_hash(question.shown),
        timeout_s=question.timeout_s,
        on_timeout=question.on_timeout,
    )


def shown_hash(shown: Mapping[str, Any]) -> str:
    """What binds an answer to what was shown: the sha256 of the canonical JSON."""
    return address(json.dumps(shown, sort_keys=True, ensure_ascii=False).encode())


def outcome_json(outcome: Outcome) -> str:
    """An outcome as it is stored."""
    summary = outcome.summary
    return json.dumps(
        {
            "verdict": outcome.verdict,
            "ending": outcome.ending,
            "summary": summary if isinstance(summary, str) else summary.model_dump(mode="json"),
            "findings": [finding.model_dump(mode="json") for finding in outcome.findings],
            "detail": outcome.detail,
            "warnings": [warning.model_dump(mode="json") for warning in outcome.warnings],
        },
        ensure_ascii=False,
    )


def refusal(step: Step, run: LockedRun, calls_left: int | None) -> Failure | None:
    """Why a step is not scheduled: past the deadline nothing is, over the budget no model is asked.

    A child run is not refused for the budget: its own turns are, and the rest of it may be free.
    """
    if run.overdue:
        return Failure(kind=FailureKind.DEADLINE, message="the run's deadline has passed")
    if isinstance(step, ChildRun) and run.depth >= MOST_NESTED:
        message = (
            f"runs may start one another {MOST_NESTED} deep, and this one is that deep already"
        )
        return Failure(kind=FailureKind.NOT_ALLOWED, message=message)
    if isinstance(step, Turn) and not step.participant.rule_based:
        if run.over_budget is not None:
            return Failure(
                kind=FailureKind.OVER_BUDGET,
                message=as_column(notice("run_budget_used_up", what=run.over_budget)),
            )
        if calls_left is not None and calls_left <= 0:
            return Failure(
                kind=FailureKind.OVER_BUDGET,
                message=as_column(notice("run_budget_used_up", what="calls")),
            )
    return None
