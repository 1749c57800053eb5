"""What forum says of itself; `logic.py` has the whole run."""

from __future__ import annotations

from orchestrator.core.parts import CHAIR, CRITIC, PROJECT, PartType
from orchestrator.core.setting import Flag
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.forum.roles import ForumRole

VERSION = 2

HELP = """Let a panel discuss a question until it agrees, goes in circles, or runs out of time.

Everybody may ask for the floor, an orchestrator gives it, all hear the speaker; at the end they vote in secret on
the conclusion. Exit code 0 means that they agree, 3 that they do not."""

WORKFLOW: WorkflowType[ForumOptions] = WorkflowType(
    name="forum",
    version=VERSION,
    options=ForumOptions,
    logic="orchestrator.workflows.forum.logic",
    display="orchestrator.workflows.forum.view",
    section="forum",
    subject=SubjectKind.QUESTION,
    counts_answers=True,
    parts=(
        PartType(
            CRITIC,
            "participant",
            (ForumRole.BALLOT, ForumRole.BID, ForumRole.SPEECH),
            many=True,
            fewest=2,
            shortage="A forum takes at least two participants, and only {name} is here.",
        ),
        PartType(
            CHAIR,
            "orchestrator",
            (ForumRole.SELECTION, ForumRole.SYNTHESIS),
            leads=True,
            keys=("orchestrator.ai", "panel.chair", PROJECT),
            flag=Flag("--orchestrator", "Who gives the floor and concludes.", "AI"),
            task="lead a discussion",
        ),
    ),
    rounds=lambda options: options.max_rounds,
    lasts_s=lambda options: options.timeout_s,
    help=HELP,
    examples=(
        'quorate forum "How should this service be built?"',
        'quorate forum --orchestrator gemini --rounds 6 --discussion-timeout 600 "..."',
        "quorate -d --file question.md         (the same)",
    ),
)
