"""What `quorate schedule` does: enter schedules, show them and what came of them, start one now."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from orchestrator.application import schedules
from orchestrator.application.backend import Backend, connected
from orchestrator.application.firing import Started, fire_due, program_of
from orchestrator.application.schedules import ScheduleReport, ScheduleRequest
from orchestrator.cli.listing import Listing, show_list
from orchestrator.cli.options import take
from orchestrator.core.document import Line, line
from orchestrator.core.timetable import Missed
from orchestrator.embedded.supervisor_files import mark_scheduled
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from orchestrator.workflows import ROWS
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS
from shared.store.schedules import Firing, FiringState, Schedule


def run_add(
    name: str,
    command: tuple[str, ...],
    directory: Path,
    typed: dict[str, Any],
    environ: Mapping[str, str],
) -> int:
    """Enter a schedule; the exit code."""
    parsed = _checked_command(command)
    host = None if typed.pop("any_host") else socket.gethostname()
    missed = Missed(typed.pop("missed"))
    given = {**typed, "name": name, "command": command, "directory": directory, "missed": missed}
    request = take(ScheduleRequest, {**given, "host": host})
    schedules.check_request(request, datetime.now(UTC))
    if request.project is None:
        request = replace(request, project=_project_of(command[0], parsed, directory, environ))
    with connected(environ) as backend:
        schedule = schedules.add(backend, request)
        _mark(backend, scheduled=True)
    when = "paused" if schedule.paused else f"next at {_moment(schedule)}"
    text = f"{schedule.name}: quorate {shlex.join(schedule.command)}, {when}"
    Terminal.of(environ).result([line(text)])
    return ExitCode.OK


def run_list(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the schedules; the exit code."""
    with connected(environ, workers=False) as backend:
        listed = schedules.reports(backend)
        _mark(backend, scheduled=bool(listed))
    return show_list(SCHEDULES, listed, environ, as_json=as_json)


def run_show(name: str, limit: int, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print a schedule with its history; the exit code."""
    with connected(environ, workers=False) as backend:
        report = schedules.report(backend, name, limit)
    terminal = Terminal.of(environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "schedule": _as_json(report)}))
        return ExitCode.OK
    terminal.result([*_head(report.schedule), line(""), *_history(report, terminal.columns)])
    return ExitCode.OK


def run_now(name: str | None, environ: Mapping[str, str]) -> int:
    """Start one schedule's run, or what is due; the exit code."""
    with connected(environ) as backend:
        if name is not None:
            schedules.fire_now(backend, name)
        started = fire_due(backend.database, program_of(environ), name)
    terminal = Terminal.of(environ)
    terminal.result([line(text) for text in map(_outcome, started)])
    failed = any(each.state is FiringState.FAILED for each in started)
    return ExitCode.INCONCLUSIVE if failed else ExitCode.OK


def run_pause(name: str, environ: Mapping[str, str], *, paused: bool) -> int:
    """Pause a schedule or let it go on; the exit code."""
    with connected(environ, workers=not paused) as backend:
        schedule = schedules.pause(backend, name, paused=paused)
        _mark(backend, scheduled=True)
    text = "is paused" if paused else f"goes on, next at {_moment(schedule)}"
    Terminal.of(environ).result([line(f"{name} {text}")])
    return ExitCode.OK


def run_rm(name: str, environ: Mapping[str, str]) -> int:
    """Forget a schedule; the exit code."""
    with connected(environ, workers=False) as backend:
        if schedules.remove(backend, name):
            _mark(backend, scheduled=False)
    Terminal.of(environ).result([line(f"{name} is removed; its runs stay")])
    return ExitCode.OK


def _checked_command(command: tuple[str, ...]) -> Mapping[str, Any]:
    """What the command says. Raises UsageError unless it is a workflow's, and its options are."""
    name, *arguments = command
    shown = [row for row in ROWS if row.summary]
    workflows = {name for row in shown for name in (row.name, *row.aliases)}
    if name not in workflows:
        known = ", ".join(sorted(workflows))
        raise click.UsageError(f"{name}: a schedule starts a workflow, one of {known}")
    group = click.get_current_context().find_root().command
    assert isinstance(group, click.Group)
    known_command = group.get_command(click.get_current_context(), name)
    assert known_command is not None
    with known_command.make_context(f"quorate {name}", list(arguments)) as parsed:
        for flag in ("no_wait", "idempotency_key"):
            if parsed.params.get(flag):
                raise click.UsageError("a schedule sets --no-wait and --idempotency-key itself")
        return dict(parsed.params)


def _project_of(
    name: str, parsed: Mapping[str, Any], directory: Path, environ: Mapping[str, str]
) -> str | None:
    """What the runs of a command belong to."""
    if parsed.get("project"):
        return str(parsed["project"])
    row = next(row for row in ROWS if name in (row.name, *row.aliases))
    config = parsed.get("config")
    return schedules.project_at(
        directory,
        environ,
        config=None if config is None else directory / config,
        trust_project=bool(parsed.get("trust_project")),
        of_repository=WORKFLOWS[row.name].subject in (SubjectKind.CHANGE, SubjectKind.TASK),
    )


def _mark(backend: Backend, *, scheduled: bool) -> None:
    """Let the embedded supervisor know whether a scheduler is needed."""
    if backend.settings.external is None:
        mark_scheduled(backend.settings.instance, scheduled=scheduled)


def _moment(schedule: Schedule, moment: datetime | None = None) -> str:
    """A moment in the schedule's own time zone."""
    moment = moment or schedule.next_at
    if moment is None:
        return "never"
    return f"{moment.astimezone(ZoneInfo(schedule.timezone)):%Y-%m-%d %H:%M %Z}"


def _row(report: ScheduleReport) -> tuple[str, ...]:
    schedule, last = report.schedule, next(iter(report.firings), None)
    return (
        schedule.name,
        "paused" if schedule.paused else "on",
        f"{schedule.cron} {schedule.timezone}",
        "-" if schedule.paused else _moment(schedule),
        "-" if last is None else _state(last),
        "-" if last is None or last.run is None else last.run,
        shlex.join(schedule.command),
    )


def _state(firing: Firing) -> str:
    """What came of a firing, its run's verdict included."""
    return (firing.verdict or firing.status or firing.state).replace("_", " ")


def _head(schedule: Schedule) -> list[Line]:
    where = schedule.directory + (f" on {schedule.host}" if schedule.host else " on any machine")
    jitter = f", up to {schedule.jitter_s:.0f} s later" if schedule.jitter_s else ""
    paused = " (paused)" if schedule.paused else ""
    rows = (
        ("command", f"quorate {shlex.join(schedule.command)}"),
        ("in", where),
        ("times", f"{schedule.cron} ({schedule.timezone}){jitter}; missed: {schedule.missed}"),
        ("next start", _moment(schedule) + paused),
        *([("project", schedule.project)] if schedule.project else []),
    )
    return [line(f"{name:<11} {text}") for name, text in rows]


def _history(report: ScheduleReport, width: int | None) -> list[Line]:
    if not report.firings:
        return [line("It was not due yet.")]
    rows = [
        (
            _moment(report.schedule, firing.due_at),
            _state(firing),
            firing.run or "-",
            firing.message or "",
        )
        for firing in report.firings
    ]
    return table(("due", "came to", "run", "note"), rows, width)


def _outcome(started: Started) -> str:
    return started.run or started.message or started.state.value


def _as_json(report: ScheduleReport) -> dict[str, object]:
    firings = [asdict(firing) for firing in report.firings]
    return {**asdict(report.schedule), "firings": firings}


SCHEDULES = Listing(
    "schedules",
    ("schedule", "state", "cron", "next start", "last", "run", "command"),
    _row,
    "There is no schedule: `quorate schedule add` makes one.",
    as_json=_as_json,
    spare=(2, 5),
)
