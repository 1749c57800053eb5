"""What ask says of itself; `logic.py` has the whole run."""

from __future__ import annotations

from orchestrator.core.parts import CHAIR, CHAIR_KEYS, CRITIC, PartType
from orchestrator.core.setting import Flag
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.ask.roles import AskRole
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType

VERSION = 1

HELP = """Ask everybody at once; nobody sees another's answer.

The question is TEXT, or a file, or what comes on standard input; anything piped in besides TEXT goes
along as material. Progress goes to stderr, the answers to stdout."""

WORKFLOW: WorkflowType[AskOptions] = WorkflowType(
    name="ask",
    version=VERSION,
    options=AskOptions,
    logic="orchestrator.workflows.ask.logic",
    display="orchestrator.workflows.ask.view",
    section="ask",
    subject=SubjectKind.QUESTION,
    counts_answers=True,
    parts=(
        PartType(CRITIC, "answers", (AskRole.ANSWER, AskRole.RANKING), many=True),
        PartType(
            CHAIR,
            "merges",
            (AskRole.SYNTHESIS,),
            keys=CHAIR_KEYS,
            flag=Flag("--orchestrator", "Who merges the answers.", "AI"),
            task="merge answers",
            needed=lambda options: options.synthesis,
            needless="it goes with --forum, or merges with --synthesis",
        ),
    ),
    help=HELP,
    examples=(
        'quorate "Is a monolith right for three people?"',
        "quorate --file question.md --context src/app.py -o answer.md",
        'git diff | quorate "What could go wrong here?" --ranking --synthesis',
        'quorate -d --participants claude,codex --orchestrator gemini "..."',
    ),
)
