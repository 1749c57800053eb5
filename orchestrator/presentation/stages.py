"""The stage that a step belongs to."""

from __future__ import annotations

import re


def stage_of(key: str, participant: str) -> str:
    """What steps of one parallel group share: their key without the participant, and without a portion's number."""
    if key.endswith(f"/{participant}"):
        return key.removesuffix(f"/{participant}")
    return re.sub(rf"/{re.escape(participant)}/\d+\Z", "", key)
