"""Batches: many runs that are submitted together, counted and paid as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class BatchState(StrEnum):
    """Where a batch stands: its items are still being stored, they may begin, or none begins any more."""

    FILLING = "filling"
    OPEN = "open"
    CANCELLED = "cancelled"


class ItemState(StrEnum):
    """Where an item stands; every item of a batch is in exactly one of these at any moment.

    `missing` is not stored yet, because its submission has not come that far; `deciding` waits for a person; a `failed`
    one may be tried again.
    """

    MISSING = "missing"
    WAITING = "waiting"
    RUNNING = "running"
    DECIDING = "deciding"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


LAST = "last"
"""Instead of a name: the newest."""
ENDED = (ItemState.SUCCEEDED, ItemState.FAILED, ItemState.CANCELLED)


@dataclass(frozen=True)
class BatchLimits:
    """What a batch may take; None: no limit of its own."""

    max_usd: float | None = None
    max_running: int | None = None


@dataclass(frozen=True)
class BatchRow:
    """A batch as it is stored. `exhausted`: its budget did not pay for a call, so nothing more of it begins."""

    name: str
    source: str
    fingerprint: str
    total: int
    state: BatchState
    limits: BatchLimits
    paused: bool
    exhausted: bool
    created_at: datetime
    opened_at: datetime | None


@dataclass(frozen=True)
class BatchStatus:
    """A batch and its items, counted at one moment; `spent` is None where nobody asked for it."""

    batch: BatchRow
    counts: Mapping[ItemState, int]
    spent: Mapping[str, Any] | None = None

    @property
    def ended(self) -> int:
        """How many items have come to an end."""
        return sum(self.counts[state] for state in ENDED)

    @property
    def is_over(self) -> bool:
        """Whether every item has ended."""
        not_to_come = self.counts[ItemState.MISSING] if self._is_cancelled else 0
        return self.ended + not_to_come == self.batch.total

    @property
    def state(self) -> str:
        """What the batch is doing, in one word."""
        if self.batch.state is BatchState.FILLING:
            return "filling"
        if self.is_over:
            return "cancelled" if self._is_cancelled else "ended"
        if self._is_cancelled:
            return "cancelling"
        return self._hold_reason or "running"

    @property
    def _is_cancelled(self) -> bool:
        return self.batch.state is BatchState.CANCELLED

    @property
    def _hold_reason(self) -> str | None:
        """Why nothing more of it begins."""
        if not self.counts[ItemState.WAITING]:
            return "deciding" if not self.counts[ItemState.RUNNING] else None
        if self.batch.paused:
            return "paused"
        return "over_budget" if self.batch.exhausted else None

    @property
    def stands(self) -> bool:
        """Whether nothing of it moves until a person does something."""
        return self.is_over or (self.state != "running" and not self.counts[ItemState.RUNNING])
