"""Where batches are: in the store, or behind somebody's service. They are looked at, followed and changed alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from orchestrator.application import batch as batches
from orchestrator.application.backend import Backend
from orchestrator.application.batch_report import Cohort, cohort_of
from orchestrator.application.batch_standing import all_batches, batch_status
from orchestrator.application.watch import Care, ProcessCare
from orchestrator.evaluation.scoring import ReadingRules
from orchestrator.presentation.json_rows import dumps
from shared.models.batches import ENDED, BatchLimits, BatchStatus, ItemState
from shared.models.notices import Notice
from shared.store.batch_items import failed_runs

POLL_S = 0.5


class BatchLists(Protocol):
    """Where batches are looked at."""

    def batch(self, name: str) -> BatchStatus:
        """How a batch stands (`last`: the newest). Raises UnknownRun."""

    def batches(self, limit: int) -> list[BatchStatus]:
        """The newest batches."""

    def result_lines(self, name: str, *, errors: bool) -> Iterator[str]:
        """A JSON object for each item that has ended, or of those only what failed or was cancelled."""

    def cohort(self, name: str) -> Cohort:
        """What a batch came to. Raises UnknownRun."""


class BatchSource(Protocol):
    """Where a batch is followed."""

    def standing(self, name: str) -> BatchStatus:
        """How a batch stands, without its costs. Raises UnknownRun."""

    def running(self, name: str) -> str | None:
        """A run of it that goes on, which processes here may have to be started for."""

    def care(self, warn: Callable[[Notice], None]) -> Care:
        """Looks after what a run needs; `warn` hears what keeps it from going on."""


class BatchControl(Protocol):
    """What people do to a batch."""

    def cancel_batch(self, name: str, actor: str, *, at_once: bool) -> BatchStatus:
        """Let nothing more of it begin, for good."""

    def pause_batch(self, name: str, *, paused: bool) -> BatchStatus:
        """Let nothing more of it begin for now, or let it go on. Raises UserError when it stands so already."""

    def retry_batch(
        self, name: str, limits: BatchLimits, *, cancelled: bool
    ) -> tuple[BatchStatus, int]:
        """Ask again for what failed (and what was cancelled); for how many items."""


class BatchDesk(BatchLists, BatchSource, BatchControl, Protocol):
    """Where batches are looked at, followed and changed."""


class BatchObserver(Protocol):
    """Whoever waits for a batch."""

    def changed(self, status: BatchStatus) -> None:
        """Items began or ended."""

    def warn(self, notice: Notice) -> None:
        """What keeps it from going on."""


@dataclass(frozen=True)
class StoredBatches:
    """The batches of the servers that this machine knows."""

    backend: Backend

    def batch(self, name: str) -> BatchStatus:
        """The batch's rows."""
        return batch_status(self.backend, name)

    def batches(self, limit: int) -> list[BatchStatus]:
        """The newest ones."""
        return all_batches(self.backend, limit)

    def result_lines(self, name: str, *, errors: bool) -> Iterator[str]:
        """Read item by item."""
        lost = (ItemState.FAILED, ItemState.CANCELLED)
        for row in batches.results_of(self.backend, name, lost if errors else ENDED):
            yield dumps(row, indent=None)

    def cohort(self, name: str) -> Cohort:
        """Read run by run."""
        return cohort_of(self.backend, name, ReadingRules())

    def standing(self, name: str) -> BatchStatus:
        """Its counts alone."""
        return batch_status(self.backend, name, costs=False)

    def running(self, name: str) -> str | None:
        """Any one of them."""
        row = self.backend.read(
            lambda connection: failed_runs(connection, name, [ItemState.RUNNING], 1)
        )
        return row[0].run if row else None

    def care(self, warn: Callable[[Notice], None]) -> Care:
        """Embedded processes that were killed are started again."""
        return ProcessCare(self.backend, warn)

    def cancel_batch(self, name: str, actor: str, *, at_once: bool) -> BatchStatus:
        """End it in the store."""
        return batches.cancel(self.backend, name, actor, at_once=at_once)

    def pause_batch(self, name: str, *, paused: bool) -> BatchStatus:
        """Pause it in the store."""
        return batches.pause(self.backend, name, paused=paused)

    def retry_batch(
        self, name: str, limits: BatchLimits, *, cancelled: bool
    ) -> tuple[BatchStatus, int]:
        """New runs in the place of those that failed."""
        return batches.retry(self.backend, name, limits, cancelled=cancelled)


def watch_batch(
    source: BatchSource, name: str, observer: BatchObserver, timeout_s: float | None
) -> BatchStatus:
    """Report what changes until nothing of it moves by itself, or until `timeout_s` is over; how it stands then."""
    began = time.monotonic()
    care = source.care(observer.warn)
    before: Mapping[ItemState, int] | None = None
    while True:
        now = time.monotonic()
        status = source.standing(name)
        if status.counts != before:
            observer.changed(status)
            care.progressed()
            before = status.counts
        if status.stands or (timeout_s is not None and now - began >= timeout_s):
            return status
        if (running := source.running(status.batch.name)) is not None:
            care.look(running)
        time.sleep(max(POLL_S, 5 * (time.monotonic() - now)))  # a large one is looked at less often
