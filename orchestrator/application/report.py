"""Read a run from the store, whole or as it is at this moment; `listings.py` reads single rows."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from itertools import chain
from typing import Any

from pydantic import TypeAdapter, ValidationError

from orchestrator.application.backend import Backend
from orchestrator.core.cycle_names import cycle_at, renamed
from orchestrator.core.findings.excuses import IGNORES, INLINE, Ignore, excused
from orchestrator.core.findings.identity import fingerprints
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.replay.commands import RoundRecord
from orchestrator.presentation.live.progress_events import RunHeader, RunSnapshot
from orchestrator.presentation.report import ReportedChild, RunReport
from shared.errors import UnknownRun
from shared.models.assessment import Assessment, RecordedAssessment
from shared.models.findings import Finding, Ground
from shared.models.review_replies import Applied
from shared.models.rows import RunRow
from shared.models.run import RunSpec
from shared.models.subject import Subject
from shared.store.database import Connection
from shared.store.documents import get_documents
from shared.store.listed_decisions import list_decisions
from shared.store.views import (
    RunHeartbeat,
    find_run,
    list_assessments,
    list_children,
    list_findings,
    list_records,
    list_stances,
    list_steps,
    run_usage,
    taken_back,
)


def load_report(connection: Connection, name: str) -> RunReport:
    """The run that `name` (an id, its beginning or `last`) means. Raises UnknownRun or UserError."""
    run = find_run(connection, name)
    report = RunReport(
        run=run,
        steps=tuple(list_steps(connection, run.id)),
        assessments=_assessments(list_assessments(connection, run.id)),
        recorded=tuple(Finding.model_validate(body) for body in list_findings(connection, run.id)),
        decisions=tuple(list_decisions(connection, run=run.id, only_open=False)),
        usage=run_usage(connection, run.id),
        children=tuple(
            ReportedChild(child, run_usage(connection, child.id))
            for child in children_of(connection, run.id)
        ),
        records=tuple(
            row for row in list_records(connection, run.id) if row.kind != RoundRecord.kind
        ),
        ledger=tuple(list_stances(connection, run.id)),
    )
    report = _with_texts(connection, report)
    if not report.applied:
        return report
    undoings = taken_back(connection, run.id).items()
    undone = {undoing: Applied.model_validate(applied) for undoing, applied in undoings}
    report = replace(report, undone=undone)
    return replace(report, run=replace(run, verdict=report.verdict)) if undone else report


def _with_texts(connection: Connection, report: RunReport) -> RunReport:
    """The report with the reviewed files in which findings stand, and with what excuses findings from the gate.

    All files of the change where callers are evidence; none once they are purged.
    """
    placed = {finding.place.path for finding in report.findings if finding.place is not None}
    if not report.is_of_change or not report.findings:
        return report
    labels = report.spec.labels
    try:
        stored = get_documents(connection, [report.spec.subject])
        subject = Subject.model_validate_json(stored[report.spec.subject])
        if Ground.CALLERS not in chain.from_iterable(report.checks.values()):
            subject = _narrowed(subject, placed)
        sources = _texts(connection, subject)
        before = _texts(connection, _as_before(subject)) if labels.get(INLINE) else {}
    except (UnknownRun, ValidationError):
        sources, before = {}, {}
    ignores = TypeAdapter(list[Ignore]).validate_python(labels.get(IGNORES, []))
    marks = fingerprints(report.findings, sources)
    reasons = excused(report.findings, marks, ignores, sources, before)
    return replace(report, sources=sources, excused=reasons)


def _texts(connection: Connection, subject: Subject) -> dict[str, str]:
    names = [file.after for file in subject.files if file.after is not None]
    documents = get_documents(connection, names)
    return SubjectTexts(subject, documents.__getitem__).reviewed_files()


def _as_before(subject: Subject) -> Subject:
    """The files, under their names of now, as they were before the change."""
    files = tuple(
        file.model_copy(update={"after": file.before, "status": "modified"})
        for file in subject.files
    )
    return subject.model_copy(update={"files": files})


def _narrowed(subject: Subject, paths: Container[str]) -> Subject:
    files = tuple(file for file in subject.files if file.path in paths)
    return subject.model_copy(update={"files": files})


def children_of(connection: Connection, run: str) -> tuple[RunRow, ...]:
    """The runs that a run started."""
    return tuple(list_children(connection, [run]).get(run, ()))


def load_header(connection: Connection, run: str) -> RunHeader:
    """What stays the same while the run goes on."""
    row = find_run(connection, run)
    return RunHeader.of(row, RunSpec.model_validate(row.spec))


def load_snapshot(
    connection: Connection, run: str, heartbeat: RunHeartbeat, header: RunHeader
) -> RunSnapshot:
    """A run as it is at this moment."""
    steps = tuple(list_steps(connection, run))
    has_children = any(step.kind == "run" for step in steps)
    return RunSnapshot(
        run=run,
        status=heartbeat.status,
        phase=heartbeat.phase,
        elapsed_s=heartbeat.elapsed_s,
        steps=steps,
        assessments=_assessments(list_assessments(connection, run)),
        usage=run_usage(connection, run),
        children=children_of(connection, run) if has_children else (),
        header=header,
    )


def _assessments(rows: list[dict[str, Any]]) -> tuple[RecordedAssessment, ...]:
    return tuple(_assessment(**row) for row in rows)


def _assessment(key: str, **figures: Any) -> RecordedAssessment:
    """A round names findings as its own review does; whoever reads a run knows them by their names in all of it."""
    prefix = cycle_at(key).prefix
    return RecordedAssessment(
        key, renamed(Assessment.model_validate(figures), lambda name: prefix + name)
    )


def report_of(backend: Backend, name: str) -> RunReport:
    """The run that `name` (an id, its beginning or `last`) means. Raises UnknownRun or UserError."""
    return backend.read(lambda connection: load_report(connection, name))
