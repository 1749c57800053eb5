"""The facts that an agent writes into its journal."""

from __future__ import annotations

from typing import ClassVar

from orchestrator.core.replay.commands import RecordBody
from orchestrator.workflows.agent.mode_context import ModeContext
from orchestrator.workflows.agent.modes import AgentMode
from shared.models.notices import Notice


class IntentRecord(RecordBody):
    """How the request was understood: what is wanted, the mode that leads there, and by which rule."""

    kind: ClassVar[str] = "intent"

    goal: AgentMode
    navigation: str
    target: str = ""
    wants_change: bool = False
    rule: str = ""


class TransitionRecord(RecordBody):
    """A trigger, and where it led. A refused one leaves the mode as it was; `why` is what the mode said of it.

    `context` is the context afterwards, without its histories: these are the earlier records.
    """

    kind: ClassVar[str] = "transition"

    number: int
    from_mode: AgentMode
    to_mode: AgentMode
    trigger: str
    condition: str | None = None
    refused: bool = False
    why: Notice | None = None
    context: ModeContext


RECORDS = (IntentRecord, TransitionRecord)
