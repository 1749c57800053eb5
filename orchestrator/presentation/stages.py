"""Which steps belong together: those of one parallel group, and those that contribute to an assessed round."""

from __future__ import annotations

import re

from orchestrator.workflows.registry import round_roles


def assessed_roles() -> frozenset[str]:
    """The roles of contributions to a round that is assessed."""
    return round_roles() | {"speech"}


def stage_of(key: str, participant: str) -> str:
    """What steps of one parallel group share: their key without the participant, and without a portion's number."""
    if key.endswith(f"/{participant}"):
        return key.removesuffix(f"/{participant}")
    return re.sub(rf"/{re.escape(participant)}/\d+\Z", "", key)
