"""What turns of the workflow review are for; Flower shows them as `quorate.turn.<role>`."""

from __future__ import annotations

from enum import StrEnum


class ReviewRole(StrEnum):
    """The workflow's own words."""

    CRITIQUE = "critique"
    REBUTTAL = "rebuttal"
    SYNTHESIS = "synthesis"
    FIX = "fix"
