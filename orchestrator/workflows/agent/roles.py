"""What turns and tool runs of the workflow agent are for; Flower shows them as `quorate.turn.<role>`."""

from __future__ import annotations

from enum import StrEnum


class AgentRole(StrEnum):
    """What is done in a mode. In the second group of them participants speak."""

    NAVIGATION = "navigation"
    READING = "reading"
    PATCHING = "patching"
    RUNNING = "running"
    LOCATING = "locating"
    EXAMINATION = "examination"
    IMPACT = "impact"
    CAPTURE = "capture"
    COMMIT = "commit"
    EMBEDDING = "embedding"

    INTENT = "intent"
    CODING = "coding"
    WRITING = "writing"
