"""What a person decides of a review."""

from __future__ import annotations

from orchestrator.workflows.descriptor import Choice, DecisionType

APPLY_FIX = "apply_fix"
SKIP = "skip"

DECISION = DecisionType(
    kind="review",
    choices=(Choice(APPLY_FIX, "a", writes=True), Choice(SKIP, "s")),
    on_timeout=SKIP,
)
