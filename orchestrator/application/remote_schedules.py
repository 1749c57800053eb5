"""A schedule that somebody adds who is not at the terminal: its command may ask for what a submission may, no more."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from orchestrator.application.prepare import SubmissionRequest
from orchestrator.application.remote_requests import RemoteReach, request_faults
from orchestrator.application.schedules import ScheduleRequest, check_request, project_of
from orchestrator.core.timetable import Missed
from orchestrator.settings.loading import load_configuration
from shared.errors import NotAllowed
from shared.sentences import Sentence


@dataclass(frozen=True)
class TypedCommand:
    """What a command asks for. `here` are the options of it that reach for the machine that it is typed on."""

    request: SubmissionRequest
    here: tuple[str, ...] = ()


ReadCommand = Callable[[Sequence[str], Path], TypedCommand]
"""Reads the command of a workflow, which is typed in a folder. Raises UserError for one that cannot be used."""


@dataclass(frozen=True)
class RemoteSchedule:
    """A schedule as it is stated; `directory` None: wherever the service was started."""

    name: str
    cron: str
    command: tuple[str, ...]
    directory: str | None = None
    timezone: str = "UTC"
    jitter_s: float = 0.0
    missed: Missed = Missed.ONCE
    any_host: bool = False
    paused: bool = False


def checked_schedule(
    asked: RemoteSchedule, read: ReadCommand, reach: RemoteReach, environ: Mapping[str, str]
) -> ScheduleRequest:
    """The schedule that is entered. Raises UserError, or NotAllowed for what only a person at the terminal may ask."""
    directory = reach.directory if asked.directory is None else Path(asked.directory)
    if asked.directory is not None and not (directory.is_absolute() and reach.allows(directory)):
        raise NotAllowed(
            "directory {directory}: a schedule runs in a folder below one that the operator opened "
            "(`quorate serve --allow-directory`), named by its whole path",
            directory=asked.directory,
        )
    request = ScheduleRequest(
        name=asked.name,
        cron=asked.cron,
        command=asked.command,
        directory=directory,
        timezone=asked.timezone,
        host=None if asked.any_host else socket.gethostname(),
        jitter_s=asked.jitter_s,
        missed=asked.missed,
        paused=asked.paused,
    )
    check_request(request, datetime.now(UTC))
    typed = read(asked.command, directory)
    if faults := list(_faults(typed, reach, environ)):
        raise NotAllowed(Sentence.joined("; ", faults))
    return replace(request, project=project_of(typed.request, environ))


def _faults(typed: TypedCommand, reach: RemoteReach, environ: Mapping[str, str]) -> Iterator[str]:
    settings = load_configuration(reach.directory, environ, explicit=reach.config).settings
    yield from (f"{option}: only a person at the terminal types it" for option in typed.here)
    yield from request_faults(typed.request, reach, settings)
