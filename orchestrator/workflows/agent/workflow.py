"""What agent says of itself; `logic.py` has the whole run."""

from __future__ import annotations

from orchestrator.core.parts import CRITIC, Filling, PartType, embedder_part
from orchestrator.core.setting import Flag
from orchestrator.workflows.agent.choices import BRANCH, COMMAND, WORK
from orchestrator.workflows.agent.options import AgentOptions
from orchestrator.workflows.agent.roles import AgentRole
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType

VERSION = 2
"""1: the rules alone say what a request asks for. 2: a participant does where they are unsure."""

HELP = """Have a task done in a repository: found, planned, written, tested, reviewed, committed.

TASK is in English or Korean. The agent works on the last commit, never in your folder; what it changes you
approve, and a commit goes to a branch of its own. Without a model it finds, examines and runs. An open
decision ends with exit code 8: `quorate decide RUN approve|reject|halt` answers it (`quorate docs agent`)."""

WORKFLOW: WorkflowType[AgentOptions] = WorkflowType(
    name="agent",
    version=VERSION,
    oldest=1,
    options=AgentOptions,
    logic="orchestrator.workflows.agent.logic",
    display="orchestrator.workflows.agent.view",
    section="agent",
    subject=SubjectKind.TASK,
    parts=(
        PartType(CRITIC, "reviewer", (), many=True, rules=True),
        PartType(
            "coder",
            "coder",
            (AgentRole.CODING, AgentRole.WRITING, AgentRole.INTENT),
            in_options=True,
            flag=Flag("--coder", "Who writes the code.", "NAME|none"),
            task="write code",
            filling=Filling.FIRST_MODEL,
            optional=lambda _options: True,
            dispensable=True,
        ),
        embedder_part(AgentRole.EMBEDDING, "code", "code", ("panel.embedder",)),
    ),
    record_types="orchestrator.workflows.agent.records",
    decisions=(WORK, BRANCH, COMMAND),
    starts=("review", "plan", "ask"),
    commands=("tests", "command"),
    help=HELP,
    examples=(
        'quorate agent "Where is the login?"',
        'quorate agent "User 클래스에 validate_email 메서드 추가해줘" --tests "python -m pytest -q"',
        'quorate agent "which dependencies are not declared?" --coder none',
        'quorate agent "is main() slower now?" --mode benchmark --command "python -m shop.bench"',
        'quorate decide last reject -m "keep the old name"',
    ),
)
