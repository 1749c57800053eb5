"""What turns of the workflow panel are for; Flower shows them as `quorate.turn.<role>`."""

from __future__ import annotations

from enum import StrEnum


class PanelRole(StrEnum):
    """The workflow's own words."""

    ARGUMENT = "argument"
    MODERATION = "moderation"
    JUDGEMENT = "judgement"
    BALLOT = "ballot"
