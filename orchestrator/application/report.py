"""Read what the store knows: a run, whole or in part, the runs, what waits for a person, what was spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.application.backend import Backend
from orchestrator.core.replay.commands import RoundRecord
from orchestrator.presentation.listings import RunList
from orchestrator.presentation.live.progress_events import RunHeader, RunSnapshot
from orchestrator.presentation.report import RecordedAssessment, ReportedChild, RunReport
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.models.rows import DecisionRow, RunRow
from shared.models.run import RunSpec
from shared.store.database import Connection
from shared.store.decisions import list_decisions
from shared.store.documents import get_documents
from shared.store.events import list_events
from shared.store.people import WaitingTurn, waiting_turns
from shared.store.requests import step_request
from shared.store.spending import ROW_BY_ROW, Grouping, Spending, spending
from shared.store.views import (
    RunHeartbeat,
    find_run,
    list_assessments,
    list_children,
    list_findings,
    list_records,
    list_runs,
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
        children=tuple(
            ReportedChild(child, run_usage(connection, child.id))
            for child in children_of(connection, run.id)
        ),
        records=tuple(
            row for row in list_records(connection, run.id) if row.kind != RoundRecord.kind
        ),
    )


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
    return tuple(
        RecordedAssessment(
            row["key"],
            Assessment.model_validate({name: row[name] for name in row if name != "key"}),
        )
        for row in rows
    )


def report_of(backend: Backend, name: str) -> RunReport:
    """The run that `name` (an id, its beginning or `last`) means. Raises UnknownRun or UserError."""
    return backend.read(lambda connection: load_report(connection, name))


def runs(backend: Backend, *, limit: int, status: str | None = None) -> RunList:
    """The newest runs, all or those of one status, and what the runs of all started."""

    def read(connection: Connection) -> RunList:
        rows = list_runs(connection, limit=limit, status=status)
        children: dict[str, list[RunRow]] = {}
        generation = rows if status is None else []
        while generation:
            below = list_children(connection, [run.id for run in generation])
            children |= below
            generation = [child for started in below.values() for child in started]
        return RunList(rows, children)

    return backend.read(read)


def events_of(backend: Backend, run: str) -> list[tuple[int, str, Mapping[str, Any]]]:
    """A run's event log: number, type and body."""
    return backend.read(lambda connection: list_events(connection, run))


@dataclass(frozen=True)
class Inbox:
    """What waits for a person, the oldest first."""

    decisions: tuple[DecisionRow, ...]
    turns: tuple[WaitingTurn, ...]


def inbox(backend: Backend) -> Inbox:
    """The open decisions and the turns of people."""
    return Inbox(tuple(backend.read(list_decisions)), tuple(backend.read(waiting_turns)))


@dataclass(frozen=True)
class StepRequest:
    """What a step was asked, and the documents that it refers to, by address."""

    request: Mapping[str, Any]
    document: Callable[[str], bytes]


def request_of(backend: Backend, run: str, step: str) -> StepRequest:
    """What a step was asked. Raises UserError for a step that is not there."""

    def document(name: str) -> bytes:
        return backend.read(lambda connection: get_documents(connection, [name]))[name]

    request = backend.read(lambda connection: step_request(connection, run, step))
    return StepRequest(request, document)


LATELY_S = 7 * 86_400.0
"""How far back runs, turns and batches are listed unless somebody asks for more: there is no end of them."""


@dataclass(frozen=True)
class Spent:
    """What was spent, by participant, run, day, ...; `total` None: nothing, `since_s` None: at any time."""

    run: str | None
    since_s: float | None
    rows: tuple[Spending, ...]
    total: Spending | None


def spent(backend: Backend, by: Grouping, *, run: str | None, since_s: float | None) -> Spent:
    """Sum what calls used; by run, turn or batch only lately, unless a run or a time is named.

    Raises UnknownRun or UserError for the name of a run.
    """
    if since_s is None and run is None and by in ROW_BY_ROW:
        since_s = LATELY_S

    def read(connection: Connection) -> Spent:
        name = None if run is None else find_run(connection, run).id
        rows = spending(connection, by, run=name, since_s=since_s)
        totals = spending(connection, Grouping.TOTAL, run=name, since_s=since_s)
        return Spent(name, since_s, tuple(rows), totals[0] if totals else None)

    return backend.read(read)
