"""Schedules: what starts runs by itself."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from orchestrator.application import schedules
from orchestrator.application.remote_schedules import RemoteSchedule, checked_schedule
from orchestrator.application.schedule_desk import StoredSchedules
from orchestrator.application.schedules import ScheduleReport
from orchestrator.core.timetable import Missed
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Body, Name, Text
from orchestrator.web.api.replies import done_json, read_json, require_version
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Operator, Viewer
from orchestrator.web.once import OnceRoute
from shared.errors import NotAllowed
from shared.store.schedules import Schedule

router = APIRouter(route_class=OnceRoute)


class ScheduleBody(Body):
    """A schedule: a command of a workflow, as it is typed after `quorate`, and its times."""

    name: Text = Field(max_length=64, examples=["nightly"])
    cron: Text = Field(
        max_length=200,
        description="minute, hour, day of month, month, day of week",
        examples=["0 3 * * MON-FRI"],
    )
    command: tuple[Text, ...] = Field(
        min_length=1, max_length=100, examples=[["review", "HEAD~1..HEAD"]]
    )
    directory: Text | None = Field(
        default=None,
        max_length=1000,
        description="a folder of the service's machine that the operator opened; null: the service's own",
    )
    timezone: Text = Field(default="UTC", max_length=100)
    jitter_s: float = Field(default=0.0, ge=0, le=86_400, allow_inf_nan=False)
    missed: Missed = Missed.ONCE
    any_host: bool = Field(default=False, description="any machine may start it")
    paused: bool = False


def desk_of(context: WebContext) -> StoredSchedules:
    """The schedules of the installation."""
    return StoredSchedules(context.backend, context.environ)


def add_stated(context: WebContext, body: ScheduleBody) -> Schedule:
    """Enter what is stated, within the reach of a request. Raises UserError, NotAllowed."""
    if context.backend.projects is not None:
        raise NotAllowed(
            "a schedule's command says which project its runs belong to: only somebody who sees all projects adds one"
        )
    stated = body.model_dump(exclude={"directory", "any_host"})
    asked = RemoteSchedule(**stated, directory=body.directory, any_host=body.any_host)
    wanted = checked_schedule(asked, context.read_command, context.reach, context.environ)
    return desk_of(context).add(wanted)


def _schedule(report: ScheduleReport) -> dict[str, Any]:
    return {**asdict(report.schedule), "firings": [asdict(each) for each in report.firings]}


@router.get(
    "/schedules", summary="Schedules", tags=["schedules"], response_model=shapes.SchedulesShape
)
def list_schedules(request: Request, context: Context, _: Viewer) -> Response:
    """Each with its last firing."""
    listed = schedules.reports(context.backend)
    return read_json(request, {"schedules": [_schedule(each) for each in listed]})


@router.post(
    "/schedules",
    summary="Add a schedule",
    tags=["schedules"],
    status_code=201,
    response_model=shapes.ScheduleAnswer,
)
def add_schedule(request: Request, context: Context, body: ScheduleBody, _: Operator) -> Response:
    """Starts `command` whenever `cron` says so, with what a submission may name: no files but those of opened folders.

    An expression that is wrong or never due, an unknown time zone and a name that is taken are 422; an option that only
    a person at the terminal may type, and a folder that was not opened, are 403.
    """
    added = add_stated(context, body)
    content = {"schedule": _schedule(ScheduleReport(added, ()))}
    location = f"{request.url.path}/{added.name}"
    return done_json(content, status=201, location=location)


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
    desk_of(context).pause(name, paused=True)
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
    desk_of(context).pause(name, paused=False)
    return done_json({"done": f"{name} goes on"})


@router.delete(
    "/schedules/{name}", summary="Forget it", tags=["schedules"], response_model=shapes.DoneShape
)
def remove_schedule(request: Request, context: Context, name: Name, _: Operator) -> Response:
    """Its runs stay. `If-Match` protects against changes meanwhile."""
    _require_schedule(request, context, name)
    desk_of(context).remove(name)
    return done_json({"done": f"{name} is removed"})


def _require_schedule(request: Request, context: Context, name: str) -> None:
    report = schedules.report(context.backend, name, 20)
    require_version(request, {"schedule": _schedule(report)})
