"""Where runs are: on the servers that this machine knows, or behind somebody's service (`quorate --server`).

Commands that look at runs, follow them and answer their questions know this and nothing below it, so they print the
same and end with the same codes wherever the runs are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from orchestrator.application import decide, lifecycle
from orchestrator.application.archive import RunArchive, StoredArchive
from orchestrator.application.decide import BulkAnswer, DecisionRequest, TurnAnswer
from orchestrator.application.listings import RunLists
from orchestrator.application.report import load_header, load_snapshot
from orchestrator.application.watch import Care, ProcessCare, RunSource, announce_watcher
from orchestrator.presentation.live.progress_events import RunHeader, RunSnapshot
from shared.delivery.live import Watcher
from shared.models.notices import Notice
from shared.models.rows import DecisionRow
from shared.store.views import RunHeartbeat, run_heartbeat
from shared.text.unfinished import SoFar


class RunDesk(Protocol):
    """What is asked about runs, and answered."""

    def decide(self, request: DecisionRequest) -> DecisionRow:
        """Record an answer. Raises UserError, UnknownRun or DecisionConflict."""

    def decide_all(self, choice: str, actor: str, message: str, batch: str | None) -> BulkAnswer:
        """Give every open decision (of a batch) that offers it the same answer. Raises UserError."""

    def take_turn(self, answer: TurnAnswer) -> tuple[str, str]:
        """Take a person's turn; the names of run and step. Raises UserError or DecisionConflict."""

    def cancel(self, run: str, actor: str) -> str:
        """End a run; its id. Raises UserError when it has ended otherwise."""

    def resume(self, run: str) -> str:
        """Try a blocked run again; its id. Raises UserError when it is not blocked."""


class QuorateInstallation(RunSource, RunDesk, RunLists, RunArchive, Protocol):
    """Where runs are looked at, followed and answered."""


@dataclass(frozen=True)
class StoredInstallation(StoredArchive):
    """The servers that this machine knows."""

    _headers: dict[str, RunHeader] = field(default_factory=dict)
    _watchers: dict[str, Watcher] = field(default_factory=dict)

    def decide(self, request: DecisionRequest) -> DecisionRow:
        """The row first, then the signal."""
        return decide.decide(self.backend, request)

    def decide_all(self, choice: str, actor: str, message: str, batch: str | None) -> BulkAnswer:
        """One by one, as far as they still ask what they asked."""
        return decide.decide_all(self.backend, choice, actor, message, batch)

    def take_turn(self, answer: TurnAnswer) -> tuple[str, str]:
        """The row first, then the signal."""
        return decide.take_turn(self.backend, answer)

    def cancel(self, run: str, actor: str) -> str:
        """End a run."""
        return lifecycle.cancel(self.backend, run, actor)

    def resume(self, run: str) -> str:
        """Look at it again."""
        return lifecycle.resume(self.backend, run)

    def heartbeat(self, run: str) -> RunHeartbeat:
        """One cheap row."""
        return self.backend.read(lambda connection: run_heartbeat(connection, run))

    def snapshot(self, run: str, heartbeat: RunHeartbeat) -> RunSnapshot:
        """The run's steps; what stays the same is read once."""
        if run not in self._headers:
            self._headers[run] = self.backend.read(lambda each: load_header(each, run))
        header = self._headers[run]
        return self.backend.read(lambda each: load_snapshot(each, run, heartbeat, header))

    def live(self, run: str) -> Mapping[str, SoFar]:
        """What Redis holds of streaming answers."""
        if run not in self._watchers:
            self._watchers[run] = Watcher(self.backend.settings.endpoints.redis_url, run)
        return self._watchers[run].look()

    def announce(self, run: str, life_s: int) -> None:
        """Say so in Redis."""
        announce_watcher(self.backend, run, life_s)

    def care(self, warn: Callable[[Notice], None]) -> Care:
        """Embedded processes that were killed are started again."""
        return ProcessCare(self.backend, warn)
