"""What people accepted of each participant on this installation, and what that makes of a vote in a new run."""

from __future__ import annotations

from functools import partial

from orchestrator.application.backend import Backend
from orchestrator.evaluation.acceptance import (
    AcceptanceHistory,
    Identity,
    OfferedFindings,
    acceptance,
)
from orchestrator.workflows.registry import decision_choices, workflow_of
from shared.models.run import RunSpec
from shared.store.offered import offered_findings


def accepted_history(backend: Backend) -> AcceptanceHistory:
    """Everybody's record, from the newest decisions."""
    writes = [word for word, choice in decision_choices().items() if choice.writes]
    rows = backend.read(partial(offered_findings, writes=writes))
    decisions, offered = {}, []
    for row in rows:
        who = Identity(row.name, row.provider, row.model)
        if row.severity is None:
            decisions[who] = row.decisions
        else:
            kind = (row.severity, row.category or "", bool(row.accepted))
            offered.append(OfferedFindings(who, *kind, row.findings))
    return acceptance(offered, decisions)


def with_record(backend: Backend, spec: RunSpec) -> RunSpec:
    """The specification with what each participant's vote counts, as it is known now; the run keeps it."""
    if not workflow_of(spec).finds:
        return spec
    trusted = accepted_history(backend).trusted(spec.panel.critics)
    return spec.model_copy(update={"trusted": trusted}) if trusted else spec
