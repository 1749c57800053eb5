"""What `quorate schedule` does: enter schedules, show them and what came of them, start one now."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from orchestrator.application import schedules
from orchestrator.application.backend import connected
from orchestrator.application.firing import Started, fire_due, program_of
from orchestrator.application.remote_schedules import RemoteSchedule
from orchestrator.application.schedule_desk import ScheduleDesk, StoredSchedules
from orchestrator.application.schedules import ScheduleReport, ScheduleRequest
from orchestrator.cli.elsewhere import server_of
from orchestrator.cli.listing import Listing, show_list
from orchestrator.cli.options import take
from orchestrator.cli.reader import sentence_line, words_in
from orchestrator.cli.scheduled_commands import check_command, read_command
from orchestrator.client.remote_schedules import RemoteSchedules
from orchestrator.core.lines import Line, line
from orchestrator.core.timetable import Missed
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from orchestrator.presentation.wrapping import filled
from shared.sentences import Sentence
from shared.store.schedules import Firing, FiringState, Schedule


def run_add(
    name: str,
    command: tuple[str, ...],
    directory: Path | None,
    typed: dict[str, Any],
    environ: Mapping[str, str],
) -> int:
    """Enter a schedule; the exit code."""
    check_command(command)
    missed = Missed(typed.pop("missed"))
    given = {**typed, "name": name, "command": command, "missed": missed}
    if server_of(environ) is None:
        host = None if given.pop("any_host") else socket.gethostname()
        where = directory or Path.cwd()
        request = take(ScheduleRequest, {**given, "directory": where, "host": host})
        schedules.check_request(request, datetime.now(UTC))
        if request.project is None:
            asked = read_command(command, where).request
            request = replace(request, project=schedules.project_of(asked, environ))
        with connected(environ) as backend:
            schedule = StoredSchedules(backend, environ).add(request)
    else:
        stated = take(RemoteSchedule, {**given, "directory": directory and str(directory)})
        with remote_schedules(environ) as remote:
            schedule = remote.add_stated(stated)
    when = Sentence("paused") if schedule.paused else Sentence("next at {at}", at=_moment(schedule))
    text = Sentence(
        "{name}: quorate {command}, {when}",
        name=schedule.name,
        command=shlex.join(schedule.command),
        when=when,
    )
    Terminal.of(environ).result([sentence_line(text, environ)])
    return ExitCode.OK


def run_list(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the schedules; the exit code."""
    with schedule_desk(environ, workers=False) as desk:
        listed = desk.reports()
    return show_list(SCHEDULES, listed, environ, as_json=as_json)


def run_show(name: str, limit: int, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print a schedule with its history; the exit code."""
    with schedule_desk(environ, workers=False) as desk:
        report = desk.report(name, limit)
    terminal = Terminal.of(environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "schedule": _as_json(report)}))
        return ExitCode.OK
    words = words_in(environ=environ)
    terminal.result(
        [*_head(report.schedule, words), line(""), *_history(report, words, terminal.columns)]
    )
    return ExitCode.OK


def run_now(name: str | None, environ: Mapping[str, str]) -> int:
    """Start one schedule's run, or what is due; the exit code."""
    if name is None:
        if server_of(environ) is not None:
            raise click.UsageError(
                Sentence(
                    "--due is for a trigger on the installation's own machine: through a service name the schedule"
                )
            )
        with connected(environ) as backend:
            started = fire_due(backend.database, program_of(environ))
    else:
        with schedule_desk(environ) as desk:
            started = desk.start(name)
    terminal = Terminal.of(environ)
    terminal.result([sentence_line(text, environ) for text in map(_outcome, started)])
    failed = any(each.state is FiringState.FAILED for each in started)
    return ExitCode.INCONCLUSIVE if failed else ExitCode.OK


def run_pause(name: str, environ: Mapping[str, str], *, paused: bool) -> int:
    """Pause a schedule or let it go on; the exit code."""
    with schedule_desk(environ, workers=not paused) as desk:
        schedule = desk.pause(name, paused=paused)
    text = Sentence("{name} is paused", name=name)
    if not paused:
        text = Sentence("{name} goes on, next at {at}", name=name, at=_moment(schedule))
    Terminal.of(environ).result([sentence_line(text, environ)])
    return ExitCode.OK


def run_rm(name: str, environ: Mapping[str, str]) -> int:
    """Forget a schedule; the exit code."""
    with schedule_desk(environ, workers=False) as desk:
        desk.remove(name)
    Terminal.of(environ).result(
        [sentence_line(Sentence("{name} is removed; its runs stay", name=name), environ)]
    )
    return ExitCode.OK


@contextmanager
def schedule_desk(environ: Mapping[str, str], *, workers: bool = True) -> Iterator[ScheduleDesk]:
    """Where schedules are; `workers` False starts no processes here, only the servers."""
    if server_of(environ) is not None:
        with remote_schedules(environ) as remote:
            yield remote
        return
    with connected(environ, workers=workers) as backend:
        yield StoredSchedules(backend, environ)


@contextmanager
def remote_schedules(environ: Mapping[str, str]) -> Iterator[RemoteSchedules]:
    """The schedules behind the service that is named."""
    from orchestrator.client.remote_installation import client_of

    with client_of(environ) as client:
        yield RemoteSchedules(client)


def _moment(schedule: Schedule, moment: datetime | None = None) -> str:
    """A moment in the schedule's own time zone."""
    moment = moment or schedule.next_at
    if moment is None:
        return Sentence("never")
    return f"{moment.astimezone(ZoneInfo(schedule.timezone)):%Y-%m-%d %H:%M %Z}"


def _row(report: ScheduleReport, words: Translator) -> tuple[str, ...]:
    schedule, last = report.schedule, next(iter(report.firings), None)
    return (
        schedule.name,
        words.sentence(Sentence("paused") if schedule.paused else Sentence("on")),
        f"{schedule.cron} {schedule.timezone}",
        "-" if schedule.paused else words.sentence(_moment(schedule)),
        "-" if last is None else _state(last, words),
        "-" if last is None or last.run is None else last.run,
        shlex.join(schedule.command),
    )


def _state(firing: Firing, words: Translator) -> str:
    """What came of a firing, its run's verdict included."""
    if firing.verdict:
        return firing.verdict.replace("_", " ")
    state = firing.status or firing.state
    return words.word(f"state_{state}", state.replace("_", " "))


def _head(schedule: Schedule, words: Translator) -> list[Line]:
    where = Sentence("{folder} on any machine", folder=schedule.directory)
    if schedule.host:
        where = Sentence("{folder} on {host}", folder=schedule.directory, host=schedule.host)
    later = Sentence(", up to {s:.0f} s later", s=schedule.jitter_s)
    times = Sentence(
        "{cron} ({timezone}){jitter}; missed: {missed}",
        cron=schedule.cron,
        timezone=schedule.timezone,
        jitter=later if schedule.jitter_s else "",
        missed=words.word(f"schedule_missed_{schedule.missed}", str(schedule.missed)),
    )
    following: str = _moment(schedule)
    if schedule.paused:
        following = Sentence("{at} (paused)", at=following)
    rows = (
        ("command", f"quorate {shlex.join(schedule.command)}"),
        ("folder", where),
        ("times", times),
        ("next_start", following),
        *([("project", schedule.project)] if schedule.project else []),
    )
    return [
        line(f"{filled(words.message(f'schedule_{name}'), 11)} {words.sentence(text)}")
        for name, text in rows
    ]


def _history(report: ScheduleReport, words: Translator, width: int | None) -> list[Line]:
    if not report.firings:
        return [line(words.sentence(Sentence("It was not due yet.")))]
    rows = [
        (
            _moment(report.schedule, firing.due_at),
            _state(firing, words),
            firing.run or "-",
            firing.message or "",
        )
        for firing in report.firings
    ]
    return table(heads(("due", "came_to", "run", "note"), words), rows, width)


def _outcome(started: Started) -> str:
    return started.run or started.message or started.state.value


def _as_json(report: ScheduleReport) -> dict[str, object]:
    firings = [asdict(firing) for firing in report.firings]
    return {**asdict(report.schedule), "firings": firings}


SCHEDULES = Listing(
    "schedules",
    ("schedule", "state", "cron", "next_start", "last", "run", "command"),
    _row,
    Sentence("There is no schedule: `quorate schedule add` makes one."),
    as_json=_as_json,
    spare=(2, 5),
)
