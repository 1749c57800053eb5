"""What panel says of itself; `logic.py` has the whole run."""

from __future__ import annotations

from orchestrator.core.findings.verdict import GateRule
from orchestrator.core.parts import CHAIR, CHAIR_KEYS, CRITIC, Filling, Overlap, PartType
from orchestrator.core.setting import Flag
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.strategies import STRATEGIES, Hears
from shared.models.panel import Panel

VERSION = 1


def _debater_as_judge(panel: Panel, options: PanelOptions) -> str | None:
    """A debater can neither judge nor moderate the debate."""
    debaters = {critic.name for critic in panel.critics}
    for role, holder in (("judge", panel.chair), ("moderator", options.moderator)):
        if holder is not None and holder.name in debaters:
            return f"{holder.name} takes part in the debate and cannot be its {role}"
    return None


HELP = """Let debaters argue about a question; a judge gives the verdict.

Presets: code_review, qa_accuracy, decision. The verdict is given whether or not the debaters agree; the
ending says which. Exit code 3 means that there is no verdict; with --require-consensus 1 means that they
do not agree on it."""

WORKFLOW: WorkflowType[PanelOptions] = WorkflowType(
    name="panel",
    version=VERSION,
    options=PanelOptions,
    logic="orchestrator.workflows.panel.logic",
    display="orchestrator.workflows.panel.view",
    section="debate",
    subject=SubjectKind.QUESTION,
    parts=(
        PartType(
            CRITIC,
            "debater",
            (PanelRole.BALLOT, PanelRole.ARGUMENT),
            many=True,
            fewest=2,
            shortage="A debate takes two, and only {name} is here: a preset with perspectives, like "
            "`--preset decision`, lets one model take several sides.",
        ),
        PartType(
            CHAIR,
            "judge",
            (PanelRole.JUDGEMENT,),
            leads=True,
            keys=("panel.judge", *CHAIR_KEYS),
            flag=Flag("--judge", "Who gives the verdict; not a debater.", "NAME"),
            task="judge",
            filling=Filling.OUTSIDER,
            overlap=Overlap.NEVER,
        ),
        PartType(
            "moderator",
            "moderator",
            (PanelRole.MODERATION,),
            in_options=True,
            keys=("panel.moderator",),
            flag=Flag("--moderator", "Who gives a second opinion each round.", "NAME|none"),
            task="moderate",
            filling=Filling.CHAIRS_MODEL,
            overlap=Overlap.NEVER,
            needed=lambda options: STRATEGIES[options.strategy].moderated,
            needless="a quick panel is one round, and nobody moderates it",
            optional=lambda options: STRATEGIES[options.strategy].hears is Hears.FEEDBACK,
        ),
    ),
    gate=lambda options: GateRule(requires_consensus=options.require_consensus),
    round_roles=(PanelRole.ARGUMENT,),
    rounds=lambda options: options.max_rounds,
    objection=_debater_as_judge,
    help=HELP,
    examples=(
        'quorate panel "Postgres or a queue of our own?" --preset decision',
        'quorate panel --strategy delphi --rounds 4 -p claude,gemini,codex --judge gpt "..."',
        "quorate panel --strategy quick --file question.md --json",
    ),
)
