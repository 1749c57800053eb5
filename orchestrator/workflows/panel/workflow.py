"""What the panel workflow says of itself."""

from __future__ import annotations

from orchestrator.core.findings.verdict import GateRule
from orchestrator.workflows.descriptor import (
    CRITIC,
    PartType,
    SubjectKind,
    WorkflowType,
    chair,
    critics,
)
from orchestrator.workflows.panel import VERSION, panel
from orchestrator.workflows.panel.expected import expected
from orchestrator.workflows.panel.live import LIVE
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.result import PanelResult
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.view import VIEW
from shared.models.panel import Panel, Participant


def _moderating(_panel: Panel, options: PanelOptions) -> tuple[Participant, ...]:
    return () if options.moderator is None else (options.moderator,)


def _debater_as_judge(panel: Panel, options: PanelOptions) -> str | None:
    """Who debates can neither judge nor moderate the debate."""
    debaters = {critic.name for critic in panel.critics}
    for role, holder in (("judge", panel.chair), ("moderator", options.moderator)):
        if holder is not None and holder.name in debaters:
            return f"{holder.name} takes part in the debate and cannot be its {role}"
    return None


WORKFLOW: WorkflowType[PanelOptions] = WorkflowType(
    name="panel",
    version=VERSION,
    options=PanelOptions,
    result=PanelResult,
    view=VIEW,
    section="debate",
    live=LIVE,
    start=panel,
    expected=expected,
    subject=SubjectKind.QUESTION,
    parts=(
        PartType(CRITIC, "debater", (PanelRole.BALLOT, PanelRole.ARGUMENT), critics, many=True),
        PartType("chair", "judge", (PanelRole.JUDGEMENT,), chair, leads=True),
        PartType("moderator", "moderator", (PanelRole.MODERATION,), _moderating, in_options=True),
    ),
    gate=lambda options: GateRule(requires_consensus=options.require_consensus),
    round_roles=(PanelRole.ARGUMENT,),
    rounds=lambda options: options.max_rounds,
    objection=_debater_as_judge,
)
