"""Where schedules are: in the store, or behind somebody's service."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from orchestrator.application import schedules
from orchestrator.application.backend import Backend
from orchestrator.application.firing import Started, fire_due, program_of
from orchestrator.application.schedules import ScheduleReport, ScheduleRequest
from orchestrator.embedded.supervisor_files import mark_scheduled
from shared.store.schedules import Schedule


class ScheduleLists(Protocol):
    """Where schedules are looked at."""

    def reports(self) -> list[ScheduleReport]:
        """Every schedule with its last firing."""

    def report(self, name: str, limit: int) -> ScheduleReport:
        """A schedule with its newest firings. Raises UnknownRun."""


class ScheduleControl(Protocol):
    """What people do to schedules."""

    def add(self, request: ScheduleRequest) -> Schedule:
        """Enter a schedule. Raises UserError for times that never come, or a name that is taken."""

    def start(self, name: str) -> list[Started]:
        """Start its run now; what came of it. Raises UnknownRun."""

    def pause(self, name: str, *, paused: bool) -> Schedule:
        """Pause it, or let it go on from now. Raises UnknownRun."""

    def remove(self, name: str) -> None:
        """Forget it; its runs stay. Raises UnknownRun."""


class ScheduleDesk(ScheduleLists, ScheduleControl, Protocol):
    """Where schedules are looked at and changed."""


@dataclass(frozen=True)
class StoredSchedules:
    """The schedules of the servers that this machine knows; the embedded supervisor hears whether there are any."""

    backend: Backend
    environ: Mapping[str, str]

    def reports(self) -> list[ScheduleReport]:
        """Their rows."""
        listed = schedules.reports(self.backend)
        self._mark(scheduled=bool(listed))
        return listed

    def report(self, name: str, limit: int) -> ScheduleReport:
        """Its rows."""
        return schedules.report(self.backend, name, limit)

    def add(self, request: ScheduleRequest) -> Schedule:
        """Store it."""
        schedule = schedules.add(self.backend, request)
        self._mark(scheduled=True)
        return schedule

    def start(self, name: str) -> list[Started]:
        """Enter a firing and take it here."""
        schedules.fire_now(self.backend, name)
        return fire_due(self.backend.database, program_of(self.environ), name)

    def pause(self, name: str, *, paused: bool) -> Schedule:
        """Store when it is due next."""
        schedule = schedules.pause(self.backend, name, paused=paused)
        self._mark(scheduled=True)
        return schedule

    def remove(self, name: str) -> None:
        """Drop its rows."""
        if schedules.remove(self.backend, name):
            self._mark(scheduled=False)

    def _mark(self, *, scheduled: bool) -> None:
        """Let the embedded supervisor know whether a scheduler is needed."""
        if self.backend.settings.external is None:
            mark_scheduled(self.backend.settings.instance, scheduled=scheduled)
