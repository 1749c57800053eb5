"""What a poll came to."""

from __future__ import annotations

from orchestrator.core.results import WorkflowResult


class PollResult(WorkflowResult):
    """`told` is the teller's sentence, `compared` what the run beside it came to, `choice` the person's answer."""

    answered: int
    asked: int
    told: str
    compared: str
    choice: str
