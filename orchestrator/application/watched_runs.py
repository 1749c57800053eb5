"""Look at many runs at once, for pages that are open: whether each has changed, and what is being written in it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from orchestrator.application.backend import Backend
from shared.delivery.live import Watcher
from shared.errors import EnvironmentFault
from shared.store.views import RunHeartbeat, run_heartbeats
from shared.text.unfinished import SoFar


@dataclass(frozen=True)
class SeenRun:
    """A run at a look: `pulse` is another one when it has changed, `written` the end of what turns say, by step."""

    pulse: RunHeartbeat
    written: Mapping[str, SoFar] = field(default_factory=dict)


class RunLooks:
    """Looks at the runs that somebody has open. Asking is what makes their turns stream."""

    def __init__(self, backend: Backend) -> None:
        """Nothing is watched yet."""
        self._backend = backend
        self._watchers: dict[str, Watcher] = {}

    def look(self, runs: Collection[str]) -> dict[str, SeenRun]:
        """Those of the runs that there are; nothing while the database is away."""
        self._keep(runs)
        try:
            beats = self._backend.read(lambda connection: run_heartbeats(connection, list(runs)))
        except EnvironmentFault:
            return {}
        return {
            run: SeenRun(_timeless(beat), self._written(run, beat)) for run, beat in beats.items()
        }

    def close(self) -> None:
        """Watch no more."""
        self._keep(())

    def _keep(self, runs: Collection[str]) -> None:
        for run in self._watchers.keys() - set(runs):
            self._watchers.pop(run).close()

    def _written(self, run: str, beat: RunHeartbeat) -> Mapping[str, SoFar]:
        if beat.settled:
            return {}
        url = self._backend.settings.endpoints.redis_url
        watcher = self._watchers.setdefault(run, Watcher(url, run))
        return watcher.look()


def _timeless(beat: RunHeartbeat) -> RunHeartbeat:
    """Time passes in every run; that is no change."""
    return replace(beat, elapsed_s=0.0)
