"""Read a run from the store, whole for a result or in part for a look."""

from __future__ import annotations

from typing import Any

from orchestrator.presentation.live.progress import Look, Setting
from orchestrator.presentation.report import RecordedAssessment, RunReport
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.models.run import RunSpec
from shared.store.database import Connection
from shared.store.decisions import list_decisions
from shared.store.views import (
    Pulse,
    find_run,
    list_assessments,
    list_findings,
    list_steps,
    run_usage,
)


def load_report(connection: Connection, name: str) -> RunReport:
    """The run that `name` (an id, its beginning or `last`) means. Raises UnknownRun or UserError."""
    run = find_run(connection, name)
    return RunReport(
        run=run,
        steps=tuple(list_steps(connection, run.id)),
        assessments=_assessments(list_assessments(connection, run.id)),
        recorded=tuple(Finding.model_validate(body) for body in list_findings(connection, run.id)),
        decisions=tuple(list_decisions(connection, run=run.id, only_open=False)),
        usage=run_usage(connection, run.id),
    )


def load_setting(connection: Connection, run: str) -> Setting:
    """What stays the same while the run goes on."""
    row = find_run(connection, run)
    return Setting.of(row, RunSpec.model_validate(row.spec))


def load_look(connection: Connection, run: str, pulse: Pulse, setting: Setting) -> Look:
    """A run as it is at this moment."""
    return Look(
        run=run,
        status=pulse.status,
        phase=pulse.phase,
        elapsed_s=pulse.elapsed_s,
        steps=tuple(list_steps(connection, run)),
        assessments=_assessments(list_assessments(connection, run)),
        usage=run_usage(connection, run),
        setting=setting,
    )


def _assessments(rows: list[dict[str, Any]]) -> tuple[RecordedAssessment, ...]:
    return tuple(
        RecordedAssessment(
            row["key"],
            Assessment.model_validate({name: row[name] for name in row if name != "key"}),
        )
        for row in rows
    )
