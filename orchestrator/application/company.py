"""Who is at work on an instance, and which of them run another version than this command."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from orchestrator.embedded.processes import is_alive
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.build import Build, read_build, this_build
from shared.store.batches import paused_batches
from shared.store.database import Connection
from shared.store.held_turns import held_turns
from shared.store.processes import SILENCE_S, ProcessRow, list_processes
from shared.store.views import count_runs


class ProcessState(StrEnum):
    """What is known of a process that has once beaten."""

    LIVING = "living"
    SILENT = "silent"
    """It has lost its steps to others; it may be dead, stopped, or cut off from the database."""
    DEAD = "dead"


class VersionFit(StrEnum):
    """Whether a process can work with those of this command's version."""

    SAME = "same"
    COMPATIBLE = "compatible"
    """Other code, the same messages: side by side on one database."""
    INCOMPATIBLE = "incompatible"


@dataclass(frozen=True)
class Colleague:
    """A process, as this command sees it."""

    row: ProcessRow
    build: Build
    presence: ProcessState
    fit: VersionFit


def colleagues(rows: Iterable[ProcessRow], ours: Build, *, embedded: bool) -> list[Colleague]:
    """All of them, by kind; `embedded`: they run on this machine, where a pid that is gone is a death."""
    found = []
    for row in sorted(rows, key=lambda row: (row.kind, row.host, row.pid)):
        build = read_build(row.version)
        found.append(Colleague(row, build, _presence(row, embedded=embedded), _fit(build, ours)))
    return found


def stored_status(
    connection: Connection, *, embedded: bool, words: Translator = ENGLISH
) -> dict[str, Any]:
    """What the store says of an instance: its processes, its runs, what waits its turn, what is paused or held up.

    The same on the command line and over HTTP; why turns are held up is told in `words`.
    """
    rows = colleagues(list_processes(connection), this_build(), embedded=embedded)
    counts = count_runs(connection)
    return {
        "processes": [
            {**asdict(each.row), "presence": each.presence, "fit": each.fit} for each in rows
        ],
        "runs": counts.by_status,
        "runs_estimated": counts.estimated,
        "queued": counts.queued,
        "paused_batches": paused_batches(connection),
        "held": [
            {**asdict(each), "why": words.column(each.why)} for each in held_turns(connection)
        ],
    }


def _presence(row: ProcessRow, *, embedded: bool) -> ProcessState:
    is_silent = row.silent_s > SILENCE_S
    # A container may bear this machine's name and not show its processes: only silence tells there.
    if row.host == socket.gethostname() and (embedded or is_silent) and not is_alive(row.pid):
        return ProcessState.DEAD
    return ProcessState.SILENT if is_silent else ProcessState.LIVING


def _fit(build: Build, ours: Build) -> VersionFit:
    if build.contract != ours.contract:
        return VersionFit.INCOMPATIBLE
    return VersionFit.SAME if build.digest == ours.digest else VersionFit.COMPATIBLE
