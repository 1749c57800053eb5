"""The convergence figures of one round."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field

from shared.models.notices import StoredReason
from shared.models.outcomes import Ending
from shared.models.wire import Wire


class Recommendation(StrEnum):
    """What the figures advise (the three words of the review design, and what they left out)."""

    CONTINUE = "continue"
    CONFIRM = "confirm"
    CONVERGED = "converged"
    STALLED = "stalled"
    LOOPING = "looping"
    OSCILLATING = "oscillating"
    DEGRADED = "degraded"


class ConvergenceMetrics(Wire):
    """One detector's figures after a round, all within 0..1.

    agreement_ratio: agreement between participants; avg_stability: sameness within one participant over time
    (None while nobody has spoken twice in a role); overall_score: 0.6 agreement + 0.4 stability.
    """

    detector: str
    agreement_ratio: float
    avg_stability: float | None
    overall_score: float
    recommendation: Recommendation


class Assessment(Wire):
    """Both detectors' figures after a round, which of them decides, and the ending if there is one.

    `answered` of `expected` participants gave a usable reply; `open_findings` are those still contested, and
    `agreed_findings` the others (None, and not in JSON, under the first rules and where there are no findings).
    """

    round: int
    metrics: ConvergenceMetrics
    second_opinion: ConvergenceMetrics | None = None
    answered: int
    expected: int
    quorum: int
    open_findings: tuple[str, ...] = ()
    agreed_findings: tuple[str, ...] | None = Field(
        default=None, exclude_if=lambda value: value is None
    )
    new_findings: int = 0
    ending: Ending | None = None
    reason: StoredReason = None


@dataclass(frozen=True)
class RecordedAssessment:
    """A round's figures under the key of its record."""

    key: str
    figures: Assessment

    @property
    def is_of_round(self) -> bool:
        """Whether a round was assessed; else the figures are those that the discussion ended with."""
        return "round/" in self.key
