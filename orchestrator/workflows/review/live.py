"""How a review is followed: its phases, its rounds, and what is raised in them."""

from __future__ import annotations

from orchestrator.core.views.live import LiveView
from shared.models.panel import Role

LIVE = LiveView(
    rounds=frozenset({Role.CRITIQUE, Role.REBUTTAL}),
    lone=frozenset({Role.CRITIQUE}),
)
