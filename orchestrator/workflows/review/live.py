"""How a review is followed: its phases, its rounds, and what is raised in them."""

from __future__ import annotations

from orchestrator.core.views.live import LiveView
from orchestrator.workflows.review.roles import ReviewRole

LIVE = LiveView(
    rounds=frozenset({ReviewRole.CRITIQUE, ReviewRole.REBUTTAL}),
    lone=frozenset({ReviewRole.CRITIQUE}),
)
