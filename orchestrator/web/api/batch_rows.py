"""Batches, whole and in the store's own shapes: for `quorate --server` of the same version."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from orchestrator.application.batch_desk import StoredBatches
from orchestrator.application.batch_report import Cohort
from orchestrator.application.rows_text import Retried
from orchestrator.web.api.batches import CancelBody, RetryBody
from orchestrator.web.api.bodies import Name
from orchestrator.web.api.rows import rows_json
from orchestrator.web.context import Context
from orchestrator.web.identity import Submitter, Viewer
from orchestrator.web.once import OnceRoute
from shared.models.batches import BatchLimits, BatchStatus

router = APIRouter(prefix="/rows/batches", include_in_schema=False, route_class=OnceRoute)


@router.get("")
def list_(
    context: Context, _: Viewer, limit: Annotated[int, Query(ge=1, le=1000)] = 20
) -> Response:
    """The newest batches."""
    return rows_json(list[BatchStatus], StoredBatches(context.backend).batches(limit))


@router.get("/{batch}")
def show(context: Context, batch: Name, _: Viewer, costs: bool = True) -> Response:
    """How a batch stands."""
    desk = StoredBatches(context.backend)
    return rows_json(BatchStatus, desk.batch(batch) if costs else desk.standing(batch))


@router.get("/{batch}/cohort")
def cohort(context: Context, batch: Name, _: Viewer) -> Response:
    """What it came to, with the rows that it counts."""
    return rows_json(Cohort, StoredBatches(context.backend).cohort(batch))


@router.post("/{batch}/cancel")
def cancel(context: Context, batch: Name, identity: Submitter, body: CancelBody) -> Response:
    """As POST /batches/BATCH/cancel."""
    desk = StoredBatches(context.backend)
    return rows_json(BatchStatus, desk.cancel_batch(batch, identity.actor, at_once=body.at_once))


@router.post("/{batch}/pause")
def pause(context: Context, batch: Name, _: Submitter) -> Response:
    """As POST /batches/BATCH/pause."""
    return rows_json(BatchStatus, StoredBatches(context.backend).pause_batch(batch, paused=True))


@router.post("/{batch}/resume")
def resume(context: Context, batch: Name, _: Submitter) -> Response:
    """As POST /batches/BATCH/resume."""
    return rows_json(BatchStatus, StoredBatches(context.backend).pause_batch(batch, paused=False))


@router.post("/{batch}/retry")
def retry(context: Context, batch: Name, _: Submitter, body: RetryBody) -> Response:
    """As POST /batches/BATCH/retry, and for how many items."""
    limits = BatchLimits(body.max_usd, body.max_running)
    desk = StoredBatches(context.backend)
    status, items = desk.retry_batch(batch, limits, cancelled=body.cancelled)
    return rows_json(Retried, Retried(status, items))
