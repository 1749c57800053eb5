"""Replay a stored run under its own rules or others, and compare two runs. Nothing is written, nobody is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from orchestrator.application.backend import Backend
from orchestrator.whatif.changes import Change, change_of, sweep_of, variants
from orchestrator.whatif.comparing import Comparison, Side, compare
from orchestrator.whatif.recording import Recording, make_recording
from orchestrator.whatif.replaying import Check, WhatIf, check, computed_otherwise, what_if
from shared.errors import UserError
from shared.models.notices import Notice
from shared.models.run import RunSpec
from shared.store.database import Connection
from shared.store.documents import get_documents
from shared.store.journal import load_journal
from shared.store.views import find_run, run_usage


@dataclass(frozen=True)
class ReplayRequest:
    """Rules by name, settings as `KEY=VALUE`, sweeps as `NAME=VALUES`. Without any: the run's own rules."""

    run: str
    rules: Mapping[str, str]
    settings: tuple[str, ...] = ()
    sweeps: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReplayResult:
    """`checked`: whether everything is computed as it is stored; `what_if`: what other rules would have come to."""

    recording: Recording
    checked: Check | None = None
    what_if: WhatIf | None = None
    swept: bool = False
    remark: Notice | None = None


def replay(backend: Backend, request: ReplayRequest) -> ReplayResult:
    """Replay the turns that are stored. Raises UnknownRun, UserError or ReplayMismatch."""
    recording = load_recording(backend, request.run)
    changes = changes_of(recording.spec, request.rules, request.settings)
    sweeps = [sweep_of(recording.spec, text) for text in request.sweeps]
    if not changes and not sweeps:
        checked = check(recording)
        return ReplayResult(recording, checked=checked, remark=recording.other_version)
    found = what_if(recording, variants(sweeps, changes))
    remark = recording.other_version or computed_otherwise(recording)
    return ReplayResult(recording, what_if=found, swept=bool(sweeps), remark=remark)


def load_recording(backend: Backend, name: str) -> Recording:
    """Everything recorded of the run that `name` means. Raises UnknownRun, UserError or ReplayMismatch."""

    def read(connection: Connection) -> Recording:
        run = find_run(connection, name)
        return make_recording(run, load_journal(connection, run.id), document)

    @lru_cache(maxsize=256)
    def document(sha256: str) -> bytes:
        return backend.read(lambda connection: get_documents(connection, [sha256]))[sha256]

    return backend.read(read)


def changes_of(
    spec: RunSpec,
    rules: Mapping[str, str],
    settings: tuple[str, ...],
    open_fields: tuple[str, ...] = (),
) -> list[Change]:
    """The changes that are asked for. Raises UserError."""
    changes = [change_of(spec, name, text) for name, text in rules.items()]
    for text in settings:
        name, separator, value = text.partition("=")
        if not separator or not name.strip():
            raise UserError(
                "--set {text}: expected KEY=VALUE, as in thresholds.agreement=0.6", text=text
            )
        changes.append(change_of(spec, name.strip(), value, open_fields=open_fields))
    paths = [change.path for change in changes]
    for change in changes:
        if paths.count(change.path) > 1:
            raise UserError("{path} is given twice", path=".".join(change.path))
    return changes


@dataclass(frozen=True)
class RunComparison:
    """Two stored runs beside each other."""

    first: Side
    second: Side
    comparison: Comparison


def compare_runs(backend: Backend, first: str, second: str) -> RunComparison:
    """What differs between two runs. Raises UnknownRun, UserError or ReplayMismatch."""
    sides = _side(backend, first), _side(backend, second)
    return RunComparison(*sides, compare(*sides))


def _side(backend: Backend, name: str) -> Side:
    recording = load_recording(backend, name)
    usage = backend.read(lambda connection: run_usage(connection, recording.run.id))
    return Side(recording, usage)
