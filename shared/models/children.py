"""What comes of a run that another run started."""

from __future__ import annotations

from pydantic import JsonValue

from shared.models.outcomes import Ending, FailureKind, RunStatus, Verdict
from shared.models.steps import StepResult
from shared.models.wire import Wire


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


_STATUS_OF = {
    FailureKind.CANCELLED: RunStatus.CANCELLED,
    FailureKind.DEADLINE: RunStatus.EXPIRED,
}


def child_outcome(result: StepResult) -> ChildOutcome:
    """The result of a step that waited for a child run."""
    if result.reply is not None:
        return ChildOutcome.model_validate(result.reply)
    assert result.failure is not None
    status = _STATUS_OF.get(result.failure.kind, RunStatus.FAILED)
    return ChildOutcome(status=status, reason=result.failure.message)
