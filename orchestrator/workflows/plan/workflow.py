"""What the plan workflow says of itself."""

from __future__ import annotations

from orchestrator.core.discussion.strategies import critics_roles, role_names
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
from orchestrator.workflows.plan import VERSION, plan
from orchestrator.workflows.plan.decision import DECISION
from orchestrator.workflows.plan.expected import expected
from orchestrator.workflows.plan.live import LIVE
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.result import PlanResult
from orchestrator.workflows.plan.roles import PlanRole
from orchestrator.workflows.plan.strategies import STRATEGIES
from orchestrator.workflows.plan.view import VIEW

WORKFLOW: WorkflowType[PlanOptions] = WorkflowType(
    name="plan",
    version=VERSION,
    options=PlanOptions,
    result=PlanResult,
    view=VIEW,
    section="plan",
    live=LIVE,
    start=plan,
    expected=expected,
    subject=SubjectKind.QUESTION,
    parts=(
        PartType(CRITIC, "challenger", critics_roles(STRATEGIES), critics, many=True),
        PartType("author", "planner", (PlanRole.PLAN, PlanRole.DEFENSE), author, leads=True),
        PartType("chair", "chair", (PlanRole.SYNTHESIS,), chair),
    ),
    decisions=(DECISION,),
    finds=True,
    gate=lambda options: GateRule(fail_on=options.fail_on),
    round_roles=role_names(STRATEGIES),
    rounds=lambda options: options.rounds,
)
