"""The facts that an agent writes into its journal."""

from __future__ import annotations

from typing import ClassVar

from orchestrator.core.replay.commands import RecordBody
from orchestrator.workflows.agent.mode_context import ModeContext
from orchestrator.workflows.agent.modes import AgentMode
from shared.models.notices import Notice


class IntentRecord(RecordBody):
    """How the request was understood: what is wanted, the mode that leads there, and by which rule.

    The rules' own reading is written first, with the `lead` that its mode has over the next one. Where a participant
    was asked a second record follows: `read_by` names it if its answer counts, `rules_goal` is what the rules had read.
    """

    kind: ClassVar[str] = "intent"

    goal: AgentMode
    navigation: str
    target: str = ""
    wants_change: bool = False
    rule: str = ""
    lead: float | None = None
    sure: bool = True
    read_by: str = ""
    rules_goal: AgentMode | None = None


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
