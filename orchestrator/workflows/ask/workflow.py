"""What the ask workflow says of itself."""

from __future__ import annotations

from orchestrator.workflows.ask import VERSION, ask
from orchestrator.workflows.ask.expected import expected
from orchestrator.workflows.ask.live import LIVE
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.ask.result import AskResult
from orchestrator.workflows.ask.roles import AskRole
from orchestrator.workflows.ask.view import VIEW
from orchestrator.workflows.descriptor import CRITIC, PartType, SubjectKind, WorkflowType, critics
from shared.models.panel import Panel, Participant


def _merging(panel: Panel, options: AskOptions) -> tuple[Participant, ...]:
    """Answers that nobody merges need no chair."""
    return (panel.chair,) if options.synthesis else ()


WORKFLOW: WorkflowType[AskOptions] = WorkflowType(
    name="ask",
    version=VERSION,
    options=AskOptions,
    result=AskResult,
    view=VIEW,
    section="ask",
    live=LIVE,
    start=ask,
    expected=expected,
    subject=SubjectKind.QUESTION,
    counts_answers=True,
    parts=(
        PartType(CRITIC, "answers", (AskRole.ANSWER, AskRole.RANKING), critics, many=True),
        PartType("chair", "merges", (AskRole.SYNTHESIS,), _merging),
    ),
)
