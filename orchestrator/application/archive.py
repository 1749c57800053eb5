"""What is kept of runs, as `quorate show` reads it: without what following and answering take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from orchestrator.application import run_details
from orchestrator.application.listings import RunLists, StoredLists
from orchestrator.application.report import report_of
from orchestrator.application.run_details import StepRequest
from orchestrator.presentation.report import RunReport
from shared.models.run_file import Imported
from shared.store.events import list_timed_events

Events = list[tuple[int, str, Mapping[str, Any], datetime]]


class RunArchive(Protocol):
    """What is kept of a run."""

    def report(self, run: str) -> RunReport:
        """The run that `run` (an id, its beginning or `last`) means. Raises UnknownRun or UserError."""

    def events(self, run: str) -> Events:
        """A run's log: number, type, body and moment."""

    def imported(self, run: str) -> Imported | None:
        """Where a run came from that was made elsewhere."""

    def asked(self, run: str, step: str) -> StepRequest:
        """What a step was asked. Raises UserError for a step that is not there."""


class KnownRuns(RunLists, RunArchive, Protocol):
    """Where runs are listed and read."""


@dataclass(frozen=True)
class StoredArchive(StoredLists):
    """The servers that this machine knows."""

    def report(self, run: str) -> RunReport:
        """The run's rows."""
        return report_of(self.backend, run)

    def events(self, run: str) -> Events:
        """The log's rows."""
        return self.backend.read(lambda connection: list_timed_events(connection, run))

    def imported(self, run: str) -> Imported | None:
        """Where it came from."""
        return run_details.imported_from(self.backend, run)

    def asked(self, run: str, step: str) -> StepRequest:
        """The step's request; its documents are read when they are wanted."""
        return run_details.request_of(self.backend, run, step)
