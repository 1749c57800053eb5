"""The schedules behind a service, as commands know them."""

from __future__ import annotations

import time
from dataclasses import asdict
from datetime import datetime

from orchestrator.application.firing import LONGEST_START_S, Started
from orchestrator.application.remote_schedules import RemoteSchedule
from orchestrator.application.schedules import ScheduleReport, ScheduleRequest
from orchestrator.client.remote_rows import RemoteRows, part
from shared.errors import EnvironmentFault
from shared.store.schedules import Firing, FiringState, Schedule

LOOK_S = 0.5
NEWEST = 50


class RemoteSchedules(RemoteRows):
    """Looked at and changed from here; the service's own scheduler starts what is due."""

    def reports(self) -> list[ScheduleReport]:
        """Every schedule with its last firing."""
        return self.read(list[ScheduleReport], "/schedules")

    def report(self, name: str, limit: int) -> ScheduleReport:
        """A schedule with its newest firings."""
        return self.read(ScheduleReport, f"/schedules/{part(name)}", {"limit": limit})

    def add(self, request: ScheduleRequest) -> Schedule:
        """Enter it; whatever machine the service is on starts it."""
        given = {**vars(request), "directory": str(request.directory)}
        any_host = given.pop("host") is None
        return self.add_stated(RemoteSchedule(**given, any_host=any_host))

    def add_stated(self, stated: RemoteSchedule) -> Schedule:
        """Enter it as it is stated."""
        return self.change(Schedule, "/schedules", asdict(stated))

    def start(self, name: str) -> list[Started]:
        """What came of its run, once a scheduler has started it. Raises EnvironmentFault where none does."""
        due = self.change(datetime, f"/schedules/{part(name)}/run")
        ends_at = time.monotonic() + LONGEST_START_S
        while time.monotonic() < ends_at:
            firing = self._firing(name, due)
            if firing is None:
                return []  # its history was removed with it
            if firing.state is not FiringState.DUE:
                return [Started(firing.state, firing.run, firing.message)]
            time.sleep(LOOK_S)
        raise EnvironmentFault(
            "no scheduler of the service has started {name} within {seconds:g} s; it stays due",
            name=name,
            seconds=LONGEST_START_S,
        )

    def pause(self, name: str, *, paused: bool) -> Schedule:
        """Pause it, or let it go on from now."""
        self.client.post(f"/schedules/{part(name)}/{'pause' if paused else 'resume'}")
        return self.report(name, 1).schedule

    def remove(self, name: str) -> None:
        """Forget it."""
        self.client.delete(f"/schedules/{part(name)}")

    def _firing(self, name: str, due: datetime) -> Firing | None:
        firings = self.report(name, NEWEST).firings
        return next((firing for firing in firings if firing.due_at == due), None)
