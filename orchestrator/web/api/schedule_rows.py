"""Schedules, whole and in the store's own shapes: for `quorate --server` of the same version."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response

from orchestrator.application import schedules
from orchestrator.application.schedules import ScheduleReport
from orchestrator.web.api.bodies import Name
from orchestrator.web.api.rows import rows_json
from orchestrator.web.api.schedules import ScheduleBody, add_stated, desk_of
from orchestrator.web.context import Context
from orchestrator.web.identity import Operator, Viewer
from orchestrator.web.once import OnceRoute
from shared.store.schedules import Schedule

router = APIRouter(prefix="/rows/schedules", include_in_schema=False, route_class=OnceRoute)


@router.get("")
def list_(context: Context, _: Viewer) -> Response:
    """Each with its last firing."""
    return rows_json(list[ScheduleReport], desk_of(context).reports())


@router.post("")
def add(context: Context, body: ScheduleBody, _: Operator) -> Response:
    """As POST /schedules."""
    return rows_json(Schedule, add_stated(context, body))


@router.get("/{name}")
def show(
    context: Context, name: Name, _: Viewer, limit: Annotated[int, Query(ge=1, le=1000)] = 20
) -> Response:
    """With its newest firings."""
    return rows_json(ScheduleReport, desk_of(context).report(name, limit))


@router.post("/{name}/run")
def run(context: Context, name: Name, _: Operator) -> Response:
    """As POST /schedules/NAME/run; the moment that names the firing."""
    return rows_json(datetime, schedules.fire_now(context.backend, name))
