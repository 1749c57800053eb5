"""Reading a group's results: who answered, who did not, and whether anything more can be asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.spending import TurnResult
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant, Role
from shared.models.steps import StepResult

# After these no further call of the run is worked on.
_FINAL = frozenset({FailureKind.OVER_BUDGET, FailureKind.DEADLINE, FailureKind.CANCELLED})


@dataclass(frozen=True)
class Spoken:
    """A turn that has ended: whose it was, in which role, and what came."""

    speaker: Participant
    role: Role
    result: StepResult

    @property
    def heard(self) -> TurnResult:
        """The same for the bill."""
        return TurnResult(self.speaker.name, self.result)


def absences(spoken: Sequence[Spoken], where: str) -> tuple[str, ...]:
    """A sentence for everybody who did not answer, with the reason; `where` is like "round 2"."""
    answered = sum(one.result.failure is None for one in spoken)
    return tuple(
        f"{one.speaker.name} did not answer in {where} ({answered}/{len(spoken)} did): "
        f"{one.result.failure.kind}: {one.result.failure.message}"
        for one in spoken
        if one.result.failure is not None
    )


def failed_by(kind: FailureKind, results: Iterable[StepResult]) -> bool:
    """True when one of the results failed for that reason."""
    return any(one.failure is not None and one.failure.kind is kind for one in results)


def over_budget(results: Iterable[StepResult]) -> bool:
    """True when the budget refused one of the calls."""
    return failed_by(FailureKind.OVER_BUDGET, results)


def refuses_all(result: StepResult) -> bool:
    """True when no further call can bring anything: the budget is used up, or the run's time is over."""
    return result.failure is not None and result.failure.kind in _FINAL
