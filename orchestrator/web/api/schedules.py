"""Schedules: what starts runs by itself."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from orchestrator.application import schedules
from orchestrator.application.schedules import ScheduleReport
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Name
from orchestrator.web.api.replies import done_json, read_json, require_version
from orchestrator.web.context import Context
from orchestrator.web.identity import Operator, Viewer
from orchestrator.web.once import OnceRoute

router = APIRouter(route_class=OnceRoute)


def _schedule(report: ScheduleReport) -> dict[str, Any]:
    return {**asdict(report.schedule), "firings": [asdict(each) for each in report.firings]}


@router.get(
    "/schedules", summary="Schedules", tags=["schedules"], response_model=shapes.SchedulesShape
)
def list_schedules(request: Request, context: Context, _: Viewer) -> Response:
    """Each with its last firing. They are made at the terminal: a schedule runs a command."""
    listed = schedules.reports(context.backend)
    return read_json(request, {"schedules": [_schedule(each) for each in listed]})


@router.get(
    "/schedules/{name}",
    summary="A schedule",
    tags=["schedules"],
    response_model=shapes.ScheduleAnswer,
)
def show_schedule(
    request: Request,
    context: Context,
    name: Name,
    _: Viewer,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Response:
    """With its newest firings."""
    report = schedules.report(context.backend, name, limit)
    return read_json(request, {"schedule": _schedule(report)})


@router.post(
    "/schedules/{name}/run",
    summary="Start it now",
    tags=["schedules"],
    response_model=shapes.DoneShape,
)
def run_schedule(context: Context, name: Name, _: Operator) -> Response:
    """A scheduler starts its run within seconds; its times stay as they are."""
    schedules.fire_now(context.backend, name)
    return done_json({"done": f"{name} is due"})


@router.post(
    "/schedules/{name}/pause",
    summary="Pause it",
    tags=["schedules"],
    response_model=shapes.DoneShape,
)
def pause_schedule(request: Request, context: Context, name: Name, _: Operator) -> Response:
    """Nothing is started until it is resumed. `If-Match` protects against changes meanwhile."""
    _require_schedule(request, context, name)
    schedules.pause(context.backend, name, paused=True)
    return done_json({"done": f"{name} is paused"})


@router.post(
    "/schedules/{name}/resume",
    summary="Let it go on",
    tags=["schedules"],
    response_model=shapes.DoneShape,
)
def resume_schedule(request: Request, context: Context, name: Name, _: Operator) -> Response:
    """From now on: what was due meanwhile is not made up for."""
    _require_schedule(request, context, name)
    schedules.pause(context.backend, name, paused=False)
    return done_json({"done": f"{name} goes on"})


@router.delete(
    "/schedules/{name}", summary="Forget it", tags=["schedules"], response_model=shapes.DoneShape
)
def remove_schedule(request: Request, context: Context, name: Name, _: Operator) -> Response:
    """Its runs stay. `If-Match` protects against changes meanwhile."""
    _require_schedule(request, context, name)
    schedules.remove(context.backend, name)
    return done_json({"done": f"{name} is removed"})


def _require_schedule(request: Request, context: Context, name: str) -> None:
    report = schedules.report(context.backend, name, 20)
    require_version(request, {"schedule": _schedule(report)})
