"""The result of a review: what stands, what was mended, who read what, and whether the discussion helped."""

from __future__ import annotations

from pydantic import Field

from orchestrator.core.results import ChangeResult
from shared.models.assessment import Assessment

APPLY_FIX, SKIP = "apply_fix", "skip"


class ReviewAssessment(Assessment):
    """The last round's figures of a `review`, of which those after the first look at applied fixes."""

    review: int


class ReviewResult(ChangeResult):
    """`reviews` counts them; `labels` tells by review which letter stood for whom."""

    assessments: tuple[ReviewAssessment, ...] = ()
    reviews: int = 1
    labels: dict[str, dict[str, str]] = Field(default_factory=dict)

    @property
    def unapplied(self) -> bool:
        """Whether the fix that was decided on is nowhere."""
        wanted = self.decision is not None and self.decision.choice == APPLY_FIX
        return wanted and not self.applied
