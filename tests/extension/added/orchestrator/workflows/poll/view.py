"""How a poll is shown."""

from __future__ import annotations

from orchestrator.workflows.poll.result import PollResult

from orchestrator.core.document import Block, Heading, Words
from orchestrator.core.views.context import ViewContext, WorkflowView
from orchestrator.workflows.display import WorkflowDisplay


def body(view: ViewContext[PollResult]) -> list[Block]:
    """What they hold, and what the others said."""
    result = view.result
    if result is None:
        return []
    return [
        Heading(view.message("poll_answered", n=result.answered, asked=result.asked)),
        Words(result.told),
        Heading(view.message("poll_compared")),
        Words(result.compared),
    ]


DISPLAY = WorkflowDisplay(PollResult, WorkflowView(body))
