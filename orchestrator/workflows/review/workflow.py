"""What review says of itself; `logic.py` has the whole run."""

from __future__ import annotations

from orchestrator.core.discussion.depth import DepthRecord
from orchestrator.core.discussion.strategies import role_names
from orchestrator.core.findings.verdict import GateRule
from orchestrator.core.parts import AUTHOR, CHAIR, CHAIR_KEYS, CRITIC, Filling, Overlap, PartType
from orchestrator.core.replay.commands import RoundRecord
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.review.choices import DECISION
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.roles import ReviewRole
from orchestrator.workflows.review.strategies import STRATEGIES

VERSION = 3
"""2: only what the panel accepted is offered for fixing, and objections of half the critics keep an approval away.

3: critics that are models are shown who calls what the change touches.
"""

HELP = """Review a change with a panel; a person decides what is applied.

Without arguments: what is staged, else what is not committed, else what the branch adds. Results go
to stdout, progress to stderr. Without a terminal, or with --fail-on, nobody is asked and nothing is applied."""

WORKFLOW: WorkflowType[ReviewOptions] = WorkflowType(
    name="review",
    version=VERSION,
    oldest=1,
    options=ReviewOptions,
    logic="orchestrator.workflows.review.logic",
    display="orchestrator.workflows.review.view",
    section="review",
    subject=SubjectKind.CHANGE,
    parts=(
        PartType(
            CRITIC,
            "critic",
            (ReviewRole.CRITIQUE,),
            many=True,
            rules=True,
            shortage="The panel has no critic: name a model or an analyser besides the author and the chair.",
        ),
        PartType(
            AUTHOR,
            "author",
            (ReviewRole.REBUTTAL, ReviewRole.FIX),
            rules=True,
            keys=("panel.author",),
            task="speak for the author or chair",
            filling=Filling.FIRST_MODEL,
            overlap=Overlap.AVOIDED,
        ),
        PartType(
            CHAIR,
            "chair",
            (ReviewRole.SYNTHESIS,),
            rules=True,
            keys=CHAIR_KEYS,
            task="speak for the author or chair",
        ),
    ),
    decisions=(DECISION,),
    commands=("tests",),
    finds=True,
    record_types=(RoundRecord, DepthRecord),
    gate=lambda options: GateRule(
        fail_on=options.fail_on, requires_reviewer=options.require_reviewer
    ),
    round_roles=role_names(STRATEGIES),
    rounds=lambda options: options.rounds,
    help=HELP,
    examples=(
        "quorate review                         (staged, else uncommitted, else the branch)",
        "quorate review HEAD~3..HEAD --strategy red-team --rounds 5",
        "quorate review --estimate              (what it would cost; nothing is started)",
        "quorate review --max-cost 0.50 --max-calls 40 --reuse",
        "git diff main | quorate review --diff - --fail-on major --json",
    ),
)
