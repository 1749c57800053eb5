"""What the forum workflow says of itself."""

from __future__ import annotations

from orchestrator.workflows.descriptor import (
    CRITIC,
    PartType,
    SubjectKind,
    WorkflowType,
    chair,
    critics,
)
from orchestrator.workflows.forum import VERSION, forum
from orchestrator.workflows.forum.expected import expected
from orchestrator.workflows.forum.live import LIVE
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.forum.result import ForumResult
from orchestrator.workflows.forum.roles import ForumRole
from orchestrator.workflows.forum.view import VIEW

WORKFLOW: WorkflowType[ForumOptions] = WorkflowType(
    name="forum",
    version=VERSION,
    options=ForumOptions,
    result=ForumResult,
    view=VIEW,
    section="forum",
    live=LIVE,
    start=forum,
    expected=expected,
    subject=SubjectKind.QUESTION,
    counts_answers=True,
    parts=(
        PartType(
            CRITIC,
            "participant",
            (ForumRole.BALLOT, ForumRole.BID, ForumRole.SPEECH),
            critics,
            many=True,
        ),
        PartType(
            "chair", "orchestrator", (ForumRole.SELECTION, ForumRole.SYNTHESIS), chair, leads=True
        ),
    ),
    rounds=lambda options: options.max_rounds,
)
