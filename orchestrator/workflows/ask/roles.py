"""What turns of the workflow ask are for; Flower shows them as `quorate.turn.<role>`."""

from __future__ import annotations

from enum import StrEnum


class AskRole(StrEnum):
    """The workflow's own words."""

    SYNTHESIS = "synthesis"
    ANSWER = "answer"
    RANKING = "ranking"
