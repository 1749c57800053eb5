"""What plan says of itself; `logic.py` has the whole run."""

from __future__ import annotations

from orchestrator.core.discussion.strategies import (
    critics_roles,
    role_names,
)
from orchestrator.core.findings.verdict import GateRule
from orchestrator.core.parts import AUTHOR, CHAIR, CHAIR_KEYS, CRITIC, Filling, Overlap, PartType
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.plan.choices import DECISION
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.roles import PlanRole
from orchestrator.workflows.plan.strategies import STRATEGIES

VERSION = 2
"""2: a plan that nobody could revise is put to the person again."""

HELP = """Let a panel challenge a plan; a person revises or accepts it.

TEXT is the task, and the planner writes the plan; with --given it is the plan. An open decision ends
with exit code 8: `quorate decide RUN revise|accept` answers it. Without a terminal, or with --fail-on,
the plan is accepted as it stands. Otherwise the code is 0, or what --fail-on says."""

WORKFLOW: WorkflowType[PlanOptions] = WorkflowType(
    name="plan",
    version=VERSION,
    oldest=1,
    options=PlanOptions,
    logic="orchestrator.workflows.plan.logic",
    display="orchestrator.workflows.plan.view",
    section="plan",
    subject=SubjectKind.QUESTION,
    parts=(
        PartType(CRITIC, "challenger", critics_roles(STRATEGIES), many=True),
        PartType(
            AUTHOR,
            "planner",
            (PlanRole.PLAN, PlanRole.DEFENSE),
            leads=True,
            keys=("panel.author",),
            task="plan",
            filling=Filling.PLANNER,
            overlap=Overlap.AVOIDED,
        ),
        PartType(CHAIR, "chair", (PlanRole.SYNTHESIS,), keys=CHAIR_KEYS, task="merge objections"),
    ),
    decisions=(DECISION,),
    finds=True,
    gate=lambda options: GateRule(fail_on=options.fail_on),
    round_roles=role_names(STRATEGIES),
    rounds=lambda options: options.rounds,
    help=HELP,
    examples=(
        'quorate plan "Move the shop to the new server" --context docs/shop.md',
        "quorate plan --given --file PLAN.md --strategy perspectives --decide accept",
        "quorate plan --given --file PLAN.md --decide accept --fail-on major    (in CI)",
        'quorate decide last revise -m "keep the old server for a week"',
    ),
)
