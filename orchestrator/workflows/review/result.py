"""The result of a review: what stands, what was mended, who read what, and whether the discussion helped."""

from __future__ import annotations

from pydantic import Field

from orchestrator.core.results import ChangeResult
from orchestrator.workflows.review.choices import APPLY_FIX
from shared.models.assessment import Assessment
from shared.models.notices import Notice
from shared.models.wire import Wire


class ReviewAssessment(Assessment):
    """The last round's figures of a `review`, of which those after the first look at applied fixes."""

    review: int


class ReviewDepth(Wire):
    """Of one review under `depth: adaptive`: who was asked `first`, who was asked at all, and why the panel was.

    Without `reasons` the first ones were enough.
    """

    review: int
    first: tuple[str, ...] = ()
    asked: tuple[str, ...]
    reasons: tuple[Notice, ...] = ()


class ReviewResult(ChangeResult):
    """`reviews` counts them; `labels` tells by review which letter stood for whom."""

    assessments: tuple[ReviewAssessment, ...] = ()
    reviews: int = 1
    depths: tuple[ReviewDepth, ...] = ()
    labels: dict[str, dict[str, str]] = Field(default_factory=dict)

    @property
    def critics_asked(self) -> frozenset[str] | None:
        """The critics that were asked, where that need not be all."""
        names = (name for depth in self.depths for name in depth.asked)
        return frozenset(names) if self.depths else None

    @property
    def deepening(self) -> tuple[Notice, ...] | None:
        """Why the panel was asked, where one reviewer was to read first; nothing when one was enough."""
        if not self.depths:
            return None
        return tuple(reason for depth in self.depths for reason in depth.reasons)

    @property
    def unapplied(self) -> bool:
        """Whether the fix that was decided on is nowhere."""
        wanted = self.decision is not None and self.decision.choice == APPLY_FIX
        return wanted and not self.applied
