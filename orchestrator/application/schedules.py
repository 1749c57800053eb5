"""Schedules: commands that start runs by themselves. What they do when their time comes is in firing.py."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from orchestrator.application.backend import Backend
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.core.timetable import Missed, Timetable
from orchestrator.settings.loading import load_configuration
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import UnknownRun, UserError
from shared.git.repository import open_repository
from shared.sentences import Sentence
from shared.store.database import Connection
from shared.store.schedules import (
    Firing,
    Schedule,
    add_firing,
    add_schedule,
    find_schedule,
    last_firings,
    list_schedules,
    now_of,
    remove_schedule,
    set_next,
)

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OF_REPOSITORIES = (SubjectKind.CHANGE, SubjectKind.TASK)


@dataclass(frozen=True)
class ScheduleRequest:
    """A schedule as it is asked for; `host` None: any machine starts its runs, `project` None: it belongs to none."""

    name: str
    cron: str
    command: tuple[str, ...]
    directory: Path
    timezone: str = "UTC"
    host: str | None = None
    jitter_s: float = 0.0
    missed: Missed = Missed.ONCE
    paused: bool = False
    project: str | None = None


@dataclass(frozen=True)
class ScheduleReport:
    """A schedule and its newest firings, the newest first."""

    schedule: Schedule
    firings: Sequence[Firing]


def timetable_of(schedule: Schedule) -> Timetable:
    """When a schedule is due."""
    return Timetable(schedule.name, schedule.cron, schedule.timezone, schedule.jitter_s)


def project_of(request: SubmissionRequest, environ: Mapping[str, str]) -> str | None:
    """What a run of that belongs to: the project that is configured, else the repository that it looks at."""
    config = None if request.config is None else request.directory / request.config
    configuration = load_configuration(
        request.directory, environ, explicit=config, trust_project=request.trust_project
    )
    configured = request.settings.get("project", configuration.settings.project)
    looks_at_repository = WORKFLOWS[request.workflow].subject in _OF_REPOSITORIES
    if configured is not None or not looks_at_repository:
        return None if configured is None else str(configured)
    try:
        return open_repository(request.directory, environ).place.name
    except UserError:
        return None


def check_request(request: ScheduleRequest, now: datetime) -> Timetable:
    """What the request says about its times. Raises UserError for a wrong one; nothing is started for that."""
    if NAME.fullmatch(request.name) is None:
        raise UserError(
            "{name!r} cannot be a schedule's name: up to 64 letters, digits, '.', '_' and '-', a "
            "letter or digit first",
            name=request.name,
        )
    if not request.directory.is_dir():
        raise UserError(
            "--directory {directory}: there is no such folder", directory=request.directory
        )
    table = Timetable(request.name, request.cron, request.timezone, request.jitter_s)
    table.check(now)
    return table


def add(backend: Backend, request: ScheduleRequest) -> Schedule:
    """Store a schedule. Raises UserError when its name is taken."""

    def store(connection: Connection) -> Schedule:
        table = check_request(request, now_of(connection))
        due = table.next_due(now_of(connection))
        schedule = Schedule(
            name=request.name,
            cron=request.cron,
            timezone=request.timezone,
            command=request.command,
            directory=str(request.directory.resolve()),
            host=request.host,
            jitter_s=request.jitter_s,
            missed=request.missed.value,
            paused=request.paused,
            due_at=due,
            next_at=None if due is None else table.start_of(due),
            project=request.project,
        )
        if not add_schedule(connection, schedule):
            raise UserError(
                "there is a schedule {name} already: choose another name, or remove it with `quorate "
                "schedule rm {name}`",
                name=request.name,
            )
        return schedule

    return backend.write(store)


def pause(backend: Backend, name: str, *, paused: bool) -> Schedule:
    """Pause a schedule, or let it go on from now: what was due meanwhile is not made up for. Raises UserError."""

    def change(connection: Connection) -> Schedule:
        schedule = _known(connection, name, lock=True)
        table = timetable_of(schedule)
        due = table.next_due(now_of(connection))
        start = None if due is None else table.start_of(due)
        set_next(connection, name, due, start, paused=paused)
        return replace(schedule, due_at=due, next_at=start, paused=paused)

    return backend.write(change)


def fire_now(backend: Backend, name: str) -> datetime:
    """Enter a firing for this moment, which is its name; its times stay as they are. Raises UserError."""

    def enter(connection: Connection) -> datetime:
        _known(connection, name)
        due = now_of(connection)
        add_firing(connection, name, due)
        return due

    return backend.write(enter)


def remove(backend: Backend, name: str) -> bool:
    """Forget a schedule; True when it was the last one. Its runs stay. Raises UserError."""

    def drop(connection: Connection) -> bool:
        _known(connection, name)
        remove_schedule(connection, name)
        return not list_schedules(connection)

    return backend.write(drop)


def report(backend: Backend, name: str, limit: int) -> ScheduleReport:
    """A schedule and its newest firings. Raises UserError."""

    def read(connection: Connection) -> ScheduleReport:
        schedule = _known(connection, name)
        return ScheduleReport(schedule, last_firings(connection, [name], limit))

    return backend.read(read)


def reports(backend: Backend, firings: int = 1) -> list[ScheduleReport]:
    """Every schedule with so many of its last firings, the newest first."""

    def read(connection: Connection) -> list[ScheduleReport]:
        stored = list_schedules(connection)
        by_name: dict[str, list[Firing]] = {schedule.name: [] for schedule in stored}
        for firing in last_firings(connection, list(by_name), firings):
            by_name[firing.schedule].append(firing)
        return [ScheduleReport(each, by_name[each.name]) for each in stored]

    return backend.read(read)


def _known(connection: Connection, name: str, *, lock: bool = False) -> Schedule:
    schedule = find_schedule(connection, name, lock=lock)
    if schedule is None:
        names = ", ".join(each.name for each in list_schedules(connection))
        known = Sentence("; there are {names}", names=names) if names else "; there is none"
        raise UnknownRun("there is no schedule {name}{known}", name=name, known=known)
    return schedule
