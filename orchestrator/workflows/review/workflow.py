"""What the review workflow says of itself."""

from __future__ import annotations

from orchestrator.core.discussion.strategies import role_names
from orchestrator.core.findings.verdict import GateRule
from orchestrator.workflows.descriptor import (
    CRITIC,
    PartType,
    SubjectKind,
    WorkflowType,
    author,
    chair,
    critics,
)
from orchestrator.workflows.review import VERSION, review
from orchestrator.workflows.review.decision import DECISION
from orchestrator.workflows.review.expected import expected
from orchestrator.workflows.review.live import LIVE
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.result import ReviewResult
from orchestrator.workflows.review.roles import ReviewRole
from orchestrator.workflows.review.strategies import STRATEGIES
from orchestrator.workflows.review.view import VIEW

WORKFLOW: WorkflowType[ReviewOptions] = WorkflowType(
    name="review",
    version=VERSION,
    oldest=1,
    options=ReviewOptions,
    result=ReviewResult,
    view=VIEW,
    section="review",
    live=LIVE,
    start=review,
    expected=expected,
    subject=SubjectKind.CHANGE,
    parts=(
        PartType(CRITIC, "critic", (ReviewRole.CRITIQUE,), critics, many=True),
        PartType("author", "author", (ReviewRole.REBUTTAL, ReviewRole.FIX), author),
        PartType("chair", "chair", (ReviewRole.SYNTHESIS,), chair),
    ),
    decisions=(DECISION,),
    finds=True,
    gate=lambda options: GateRule(fail_on=options.fail_on),
    round_roles=role_names(STRATEGIES),
    rounds=lambda options: options.rounds,
)
