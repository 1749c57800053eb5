"""Rows of the store as reports, views and lists read them. `shared/store` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared.models.decision import DecisionState
from shared.models.outcomes import RunStatus, StepStatus, Verdict

REPOSITORY = "repository"
"""The label of a run that says in which repository the change lies that it looks at."""

PUBLISHED = "published"
"""The label that says where the reviewed commit is to be seen."""

LAST_IN = "last@"
"""`last@NAME`: what `last` means within the repository NAME."""


def is_last(name: str) -> bool:
    """Whether a name is none of a run's own, but means the newest one."""
    return name in ("last", "@") or name.startswith(LAST_IN)


OF = "of"
"""The label of a run that does something to another one, whose name it is: `last` never means it."""

ASIDE = "aside"
"""The label of a run that only looks something up: `last` never means it, and lists have it only by its workflow."""


@dataclass(frozen=True)
class RunRow:
    """A run as lists and pages show it; `parent` is the run that started it and waits for it in `parent_step`.

    `waited_s` is how long it has waited for a person.
    """

    id: str
    workflow: str
    title: str
    status: RunStatus
    phase: str
    verdict: str | None
    ending: str | None
    open_steps: int
    blocked_reason: str | None
    spec: dict[str, Any]
    outcome: dict[str, Any] | None
    created_at: datetime
    updated_at: datetime
    finished_at: datetime | None
    elapsed_s: float
    parent: str | None = None
    parent_step: str | None = None
    waited_s: float = 0.0

    @property
    def worked_s(self) -> float:
        """Seconds that it took, without those in which it waited for a person."""
        return max(self.elapsed_s - self.waited_s, 0.0)

    @property
    def repository(self) -> str:
        """The name of the folder whose change it looks at; empty where there is none, or it is not known."""
        return str((self.spec.get("labels") or {}).get(REPOSITORY) or "")

    @property
    def took_back_from(self) -> str | None:
        """The run whose applied fix it took back; None where it is no undoing, or nothing came of it."""
        of = (self.spec.get("labels") or {}).get(OF)
        return str(of) if of is not None and self.verdict == Verdict.DONE else None


@dataclass(frozen=True)
class ListedRun:
    """A run as a long list shows it: nothing of what it captured or came to but these few columns.

    `cost_usd` is that of its own calls, None where no price is known; `took_back_from` as for `RunRow`.
    """

    id: str
    workflow: str
    title: str
    status: RunStatus
    phase: str
    verdict: str | None
    ending: str | None
    created_at: datetime
    worked_s: float
    repository: str
    batch: str
    cost_usd: float | None
    took_back_from: str | None


@dataclass(frozen=True)
class RecordRow:
    """A fact that a run's workflow wrote; its moment in seconds since the run's start."""

    key: str
    kind: str
    body: dict[str, Any]
    at_s: float


@dataclass(frozen=True)
class StepRow:
    """A step as timelines show it; moments in seconds since the run's start.

    `held_back_at_s` is when a worker first gave it back unfinished: for a limit, a pause, or another try;
    `again_at_s` is when one that was given back may be taken again.
    """

    key: str
    kind: str
    participant: str
    role: str
    round: int
    status: str
    attempts: int
    queued_at_s: float
    leased_at_s: float | None
    finished_at_s: float | None
    reply: dict[str, Any] | None
    failure_kind: str | None
    failure_message: str | None
    note: str
    tokens: int | None
    cost_usd: float | None
    input_tokens: int | None
    output_tokens: int | None
    held_back_at_s: float | None = None
    again_at_s: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether somebody works on it, or it waits for somebody."""
        return self.status in (StepStatus.PENDING, StepStatus.LEASED)


@dataclass(frozen=True)
class UsageRow:
    """The sums of a run's paid calls. `unknown_costs` counts calls whose price nobody knows."""

    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    unknown_costs: int


@dataclass(frozen=True)
class DecisionRow:
    """A decision as it is stored."""

    run_id: str
    key: str
    kind: str
    question: dict[str, Any]
    shown_sha256: str
    state: DecisionState
    answer: dict[str, Any] | None
    opened_at: datetime
    deadline_at: datetime | None
    answered_at: datetime | None
    title: str
    workflow: str = ""
    batch: str | None = None
    repository: str | None = None
