"""What turns of the workflow plan are for; Flower shows them as `quorate.turn.<role>`."""

from __future__ import annotations

from enum import StrEnum


class PlanRole(StrEnum):
    """The workflow's own words."""

    SYNTHESIS = "synthesis"
    PLAN = "plan"
    CHALLENGE = "challenge"
    DEFENSE = "defense"
    RISK = "risk-analysis"
    INNOVATION = "innovation-analysis"
    CROSS_REVIEW = "cross-review"
