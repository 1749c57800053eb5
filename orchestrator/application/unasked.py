"""A change about which nobody has to be asked: its result without a run, without servers and without a call."""

from __future__ import annotations

from datetime import UTC, datetime

from orchestrator.application.prepare import PreparedRun
from orchestrator.core.findings.unasked import unasked
from orchestrator.core.findings.verdict import derive_unasked
from orchestrator.core.replay.commands import Outcome
from orchestrator.core.results import ChangeResult
from orchestrator.presentation.report import RunReport
from orchestrator.workflows.display import display_of
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.outcomes import RunStatus
from shared.models.rows import RunRow, UsageRow
from shared.models.run import RunSpec
from shared.models.subject import Subject

NO_RUN = ""
"""The id in a report of what was never submitted."""


def unasked_report(prepared: PreparedRun) -> RunReport | None:
    """The result of a change that the panel need not be asked about; None where a run is needed."""
    workflow = WORKFLOWS[prepared.workflow]
    result = display_of(workflow).result
    if not issubclass(result, ChangeResult):
        return None
    spec: RunSpec = prepared.make_spec(workflow_version=workflow.version)
    subject = Subject.model_validate_json(prepared.documents[spec.subject])
    settled = unasked(subject, spec.panel.critics, prepared.nothing)
    if settled is None:
        return None
    outcome = Outcome(
        verdict=derive_unasked(settled.coverage, workflow.gate_of(spec)),
        ending=None,
        summary="",
        result=result(coverage=settled.coverage, not_asked=settled.why),
    )
    spec = spec.model_copy(update={"cautions": prepared.cautions})
    return RunReport(_row(prepared, spec, outcome), (), (), (), (), UsageRow(0, 0, 0, 0, 0.0, 0))


def _row(prepared: PreparedRun, spec: RunSpec, outcome: Outcome) -> RunRow:
    now = datetime.now(UTC)
    return RunRow(
        id=NO_RUN,
        workflow=prepared.workflow,
        title=prepared.title,
        status=RunStatus.COMPLETED,
        phase="",
        verdict=outcome.verdict,
        ending=None,
        open_steps=0,
        blocked_reason=None,
        spec=spec.model_dump(mode="json"),
        outcome={"summary": "", "findings": [], "detail": outcome.detail},
        created_at=now,
        updated_at=now,
        finished_at=now,
        elapsed_s=0.0,
    )
