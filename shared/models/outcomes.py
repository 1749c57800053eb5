"""How a step, a discussion and a run can end."""

from __future__ import annotations

from enum import StrEnum


class FailureKind(StrEnum):
    """Why a step has no reply. Every fault of a participant or a tool ends in one of these."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    CREDENTIALS = "credentials"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    BAD_REQUEST = "bad_request"
    UNKNOWN_MODEL = "unknown_model"
    CONTEXT_OVERFLOW = "context_overflow"
    TRUNCATED = "truncated"
    REFUSAL = "refusal"
    EMPTY = "empty"
    UNPARSEABLE = "unparseable"
    QUARANTINED = "quarantined"
    NOT_ALLOWED = "not_allowed"
    TOOL_ERROR = "tool_error"
    DEAD = "dead"
    OVER_BUDGET = "over_budget"
    DEADLINE = "deadline"
    CANCELLED = "cancelled"


class RunStatus(StrEnum):
    """Where a run stands. The last four are final; `queued` waits its turn, `blocked` for an operator."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    BLOCKED = "blocked"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"

    @property
    def final(self) -> bool:
        """True when nothing will change the run any more."""
        return self in FINAL_STATUSES


FINAL_STATUSES = frozenset(
    {RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED, RunStatus.EXPIRED}
)


class StepStatus(StrEnum):
    """Where a step stands. `pending` and `leased` are open; the others are final."""

    PENDING = "pending"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Ending(StrEnum):
    """How a discussion ended. Only `converged` can pass a gate."""

    CONVERGED = "converged"
    STALLED = "stalled"
    LOOPING = "looping"
    OSCILLATING = "oscillating"
    EXHAUSTED = "exhausted"
    DEGRADED = "degraded"
    OVER_BUDGET = "over_budget"


NO_ANSWER = frozenset({Ending.DEGRADED, Ending.OVER_BUDGET})
"""With these too few have answered for anything to be known."""


class Verdict(StrEnum):
    """What code derives from findings, stances and the ending.

    `CHECKS_PASSED`: nothing stands, and a part of the change or all of it was looked at by nobody but rules.
    `NOTHING_TO_REVIEW`: no line of the change has to be read by anybody, so nobody was asked.
    `ANSWERED` is a question's and `DONE` an errand's; neither passes a gate.
    """

    APPROVED = "APPROVED"
    CHECKS_PASSED = "CHECKS_PASSED"
    NOTHING_TO_REVIEW = "NOTHING_TO_REVIEW"
    NEEDS_FIX = "NEEDS_FIX"
    INCONCLUSIVE = "INCONCLUSIVE"
    ANSWERED = "ANSWERED"
    DONE = "DONE"
