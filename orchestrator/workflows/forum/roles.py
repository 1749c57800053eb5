"""What turns of the workflow forum are for; Flower shows them as `quorate.turn.<role>`."""

from __future__ import annotations

from enum import StrEnum


class ForumRole(StrEnum):
    """The workflow's own words."""

    SYNTHESIS = "synthesis"
    BID = "bid"
    SELECTION = "selection"
    SPEECH = "speech"
    BALLOT = "ballot"
