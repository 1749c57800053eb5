"""The same as the other resources, whole and in the store's own shapes: for `quorate --server` of the same version."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from orchestrator.application import batch as batches
from orchestrator.application.archive import Events
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.listings import Inbox, WaitingFilter
from orchestrator.application.rows_text import Pulse, Submitted, rows_text
from orchestrator.presentation.listings import RunList
from orchestrator.presentation.report import RunReport
from orchestrator.web.api.bodies import Name, RunName
from orchestrator.web.api.runs import Word
from orchestrator.web.api.submissions import RunBody, submitted_of
from orchestrator.web.context import Context
from orchestrator.web.identity import Submitter, Viewer
from orchestrator.web.once import OnceRoute
from shared.models.batches import BatchStatus
from shared.models.outcomes import RunStatus
from shared.store.run_filter import RunFilter
from shared.store.views import find_run

router = APIRouter(prefix="/rows", include_in_schema=False, route_class=OnceRoute)
MOST = 10_000


def _rows(kind: Any, value: Any) -> Response:
    return Response(rows_text(kind, value), media_type="application/json")


@router.get("/runs")
def list_(
    context: Context,
    _: Viewer,
    *,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 20,
    status: RunStatus | None = None,
    workflow: Word | None = None,
    repository: Word | None = None,
    batch: Word | None = None,
    pipeline: Word | None = None,
    since_s: Annotated[float | None, Query(gt=0, le=1e10)] = None,
) -> Response:
    """A list with the runs that the listed ones started."""
    wanted = RunFilter(
        status=status,
        workflow=workflow,
        repository=repository,
        batch=batch,
        pipeline=pipeline,
        since_s=since_s,
    )
    return _rows(RunList, StoredInstallation(context.backend).listed(limit, wanted))


@router.post("/runs")
def submit(request: Request, context: Context, body: RunBody, identity: Submitter) -> Response:
    """As POST /runs; where nobody has to be asked, the whole result."""
    return _rows(Submitted, submitted_of(request, context, body, identity))


@router.get("/runs/{run}")
def report(context: Context, run: RunName, _: Viewer) -> Response:
    """A run with everything that is known about it."""
    return _rows(RunReport, StoredInstallation(context.backend).report(run))


@router.get("/runs/{run}/pulse")
def pulse(context: Context, run: RunName, _: Viewer) -> Response:
    """A run as it stands, for whoever follows it."""
    installation = StoredInstallation(context.backend)
    name = context.backend.read(lambda connection: find_run(connection, run)).id
    heartbeat = installation.heartbeat(name)
    return _rows(Pulse, Pulse(heartbeat, installation.snapshot(name, heartbeat)))


@router.get("/runs/{run}/events")
def events(context: Context, run: RunName, _: Viewer) -> Response:
    """A run's log."""
    name = context.backend.read(lambda connection: find_run(connection, run)).id
    return _rows(Events, StoredInstallation(context.backend).events(name))


@router.get("/inbox")
def inbox(
    context: Context, _: Viewer, repository: Word | None = None, batch: Word | None = None
) -> Response:
    """What waits for a person."""
    wanted = WaitingFilter(repository, batch)
    return _rows(Inbox, StoredInstallation(context.backend).inbox(wanted))


@router.get("/batches")
def list_batches(
    context: Context, _: Viewer, limit: Annotated[int, Query(ge=1, le=1000)] = 20
) -> Response:
    """The newest batches."""
    return _rows(list[BatchStatus], batches.all_batches(context.backend, limit))


@router.get("/batches/{batch}")
def show_batch(context: Context, batch: Name, _: Viewer) -> Response:
    """How a batch stands."""
    return _rows(BatchStatus, batches.batch_status(context.backend, batch))
