"""The shapes of what is answered, for the description of the API: the same JSON as on the command line (docs/json.md).

Every field that is named is there; further ones may come with later versions.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """An object of an answer."""

    model_config = ConfigDict(extra="allow")


class Versioned(Shape):
    """What every answer begins with."""

    schema_version: Literal[1] = 1


class ListedRunShape(Shape):
    """A run as a list has it."""

    id: str = Field(examples=["r3kq9d"])
    workflow: str = Field(examples=["review"])
    title: str
    status: str = Field(
        description="queued, running, waiting, blocked, completed, cancelled, expired"
    )
    phase: str
    verdict: str | None = Field(description="what code derives from findings and positions")
    ending: str | None = Field(description="how a discussion ended, like `converged`")
    created_at: datetime
    worked_s: float = Field(description="seconds, without those in which it waited for a person")
    repository: str
    batch: str
    cost_usd: float | None = Field(description="null: no price is known")


class RunsShape(Versioned):
    """A page of runs, the newest first; the header `Link` has the next one."""

    runs: list[ListedRunShape]
    next_cursor: str | None


class RunHeadShape(Shape):
    """A run without what was said in it."""

    id: str | None = Field(description="null: nobody had to be asked, and nothing was stored")
    workflow: str
    title: str
    status: str
    phase: str
    verdict: str | None
    ending: str | None
    created_at: datetime
    finished_at: datetime | None
    elapsed_s: float
    exit_code: int = Field(
        description="what the command line ends with: 0 passed, 1 gate tripped, 3 inconclusive, 8 pending"
    )


class EstimateShape(Versioned):
    """What a run would take: ranges of calls, tokens and dollars, and why it could not even begin."""

    workflow: str
    title: str
    budget: dict[str, Any]
    estimate: dict[str, Any] | None = Field(description="null: nobody can say, or is asked")
    instead: dict[str, Any] | None = Field(description="what the larger run would take")
    obstacles: list[str]
    nothing_to_ask: bool


class TriedShape(Shape):
    """A model that is tried."""

    name: str
    provider: str
    model: str | None
    at_most_usd: float | None = Field(description="what its call costs at most; null: unknown")


class TrialShape(Versioned):
    """The run in which models are tried."""

    run: dict[str, str]
    participants: list[TriedShape]


class PlaceShape(Shape):
    """Where a finding stands."""

    path: str


class FindingShape(Shape):
    """A finding, with who supports it."""

    id: str
    severity: str
    title: str
    place: PlaceShape | None = None
    standing: bool = Field(description="whether it counts")
    rank: int
    supporters: list[str]
    opponents: list[str]


class DecisionShape(Shape):
    """A question to a person. An answer is bound to `shown_sha256`, the hash of what was shown."""

    key: str
    kind: str
    state: str
    prompt: str | None
    options: list[str] | None
    selectable: list[str] | None = Field(description="findings that `only` may pick")
    shown_sha256: str
    opened_at: datetime
    deadline_at: datetime | None
    answered_at: datetime | None
    answer: dict[str, Any] | None


class RunShape(Versioned):
    """A run as `quorate show --json` prints it: docs/json.md has every field."""

    run: RunHeadShape
    verdict: str | None
    summary: str | None
    gate: dict[str, Any]
    findings: list[FindingShape]
    rounds: list[dict[str, Any]]
    decision: DecisionShape | None
    detail: dict[str, Any] | None
    usage: dict[str, Any]
    participants: list[dict[str, Any]]
    warnings: list[str]


class SubmittedShape(Versioned):
    """The run that was submitted; where nobody had to be asked its result, and no id."""

    run: dict[str, Any] = Field(examples=[{"id": "r3kq9d"}])


class RunIdShape(Versioned):
    """The run that is meant."""

    run: dict[str, str] = Field(examples=[{"id": "r3kq9d"}])


class FindingsShape(Versioned):
    """The findings of a run, the most important ones first."""

    findings: list[FindingShape]


class RoundsShape(Versioned):
    """The stages of a run in order, each with its steps and, of a round, its figures."""

    rounds: list[dict[str, Any]]


class TurnsShape(Versioned):
    """The steps of a run in order, with what was replied."""

    turns: list[dict[str, Any]]


class NoticesShape(Versioned):
    """What a run has to tell people."""

    notices: list[str]


class EventShape(Shape):
    """Something that happened in a run."""

    seq: int
    type: str = Field(examples=["step.done"])
    body: dict[str, Any]


class EventsShape(Versioned):
    """A run's log in order; numbers have no gaps."""

    events: list[EventShape]


class InboxDecisionShape(DecisionShape):
    """A decision that is open."""

    run: str
    title: str


class TurnShape(Shape):
    """A turn that waits for a person."""

    run: str
    step: str
    participant: str
    role: str
    round: int
    form: str
    asked_at: datetime
    answer_by: datetime | None
    title: str


class InboxShape(Versioned):
    """Everything that is waiting for a person, oldest first."""

    decisions: list[InboxDecisionShape]
    turns: list[TurnShape]


class AnsweredShape(Versioned):
    """The decision as it was answered."""

    run: str
    decision: DecisionShape


class BulkAnswerShape(Versioned):
    """The decisions that took the answer, and those that do not offer it."""

    answered: list[dict[str, Any]]
    left: list[dict[str, Any]]


class TurnTakenShape(Versioned):
    """The turn that was answered."""

    run: str
    step: str


class BatchShape(Shape):
    """How a batch stands; `counts` add up to `total` at every moment."""

    name: str
    state: str
    source: str
    total: int
    counts: dict[str, int]


class BatchAnswer(Versioned):
    """One batch."""

    batch: BatchShape


class BatchesShape(Versioned):
    """The newest batches."""

    batches: list[BatchShape]


class CheckedFileShape(Versioned):
    """What is in a file, and what is wrong with it."""

    items: int
    workflows: dict[str, int]
    wrong: int
    errors: list[dict[str, Any]]


class BatchItemsShape(Versioned):
    """A page of a batch's items in the order of its file."""

    items: list[dict[str, Any]]
    next_cursor: str | None


class BatchReportShape(Versioned):
    """What a batch came to."""

    report: dict[str, Any]


class ScheduleShape(Shape):
    """A schedule with its newest firings."""

    name: str
    cron: str
    timezone: str
    command: list[str]
    paused: bool
    next_at: datetime | None
    firings: list[dict[str, Any]]


class SchedulesShape(Versioned):
    """All schedules by name."""

    schedules: list[ScheduleShape]


class ScheduleAnswer(Versioned):
    """One schedule."""

    schedule: ScheduleShape


class WebhookShape(Shape):
    """A webhook without its secret."""

    name: str
    url: str
    events: list[str]
    created_at: datetime
    disabled_at: datetime | None
    waiting: int
    dead: int


class WebhooksShape(Versioned):
    """All webhooks by name."""

    webhooks: list[WebhookShape]


class NewWebhookShape(Versioned):
    """A webhook that was added, and the secret that signs its messages: it is not shown again."""

    webhook: dict[str, str]


class DeliveriesShape(Versioned):
    """The newest messages to webhooks."""

    deliveries: list[dict[str, Any]]


class DeliveryShape(Versioned):
    """A message to a webhook."""

    delivery: dict[str, Any]


class ParticipantsShape(Versioned):
    """Who can take part, what is missing, and what holds calls up."""

    participants: list[dict[str, Any]]
    missing: list[dict[str, Any]]
    paused: list[dict[str, Any]]


class CostShape(Versioned):
    """What was spent."""

    by: str
    run: str | None
    since_s: float | None
    spending: list[dict[str, Any]]
    total: dict[str, Any] | None


class PresetsShape(Versioned):
    """Ready-made casts with their limits."""

    presets: list[dict[str, Any]]


class WorkflowsShape(Versioned):
    """The workflows that can be submitted."""

    workflows: list[dict[str, Any]]


class StatusShape(Versioned):
    """Processes, runs and the schema at a glance."""

    version: str
    schema_: dict[str, Any] = Field(alias="schema")
    processes: list[dict[str, Any]]
    runs: dict[str, int]
    runs_estimated: bool
    queued: dict[str, int]
    paused: list[dict[str, Any]] | None
    paused_batches: list[str]
    held: list[dict[str, Any]]


class DoneShape(Versioned):
    """What was done."""

    done: str
