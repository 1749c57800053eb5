"""Batches as values for pages: how each stands, its items as a bar that adds up, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.presentation.batches import cost_text
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.run_pages.stations import Badge, verdict_badge
from shared.models.batches import BatchState, BatchStatus, ItemState
from shared.store.batch_items import ItemRow

_STATES = {
    "filling": ("", "schedules"),
    "running": ("working", "run"),
    "paused": ("warning", "schedules"),
    "over_budget": ("bad", "alert"),
    "deciding": ("awaiting", "question"),
    "cancelling": ("", "cross"),
    "cancelled": ("", "cross"),
    "ended": ("good", "check"),
}
_ITEMS = {
    ItemState.MISSING: ("", "schedules"),
    ItemState.WAITING: ("", "schedules"),
    ItemState.RUNNING: ("working", "run"),
    ItemState.DECIDING: ("awaiting", "question"),
    ItemState.SUCCEEDED: ("good", "check"),
    ItemState.FAILED: ("bad", "cross"),
    ItemState.CANCELLED: ("", "cross"),
}
_DRAWN = (
    *(ItemState.SUCCEEDED, ItemState.FAILED, ItemState.CANCELLED),
    *(ItemState.DECIDING, ItemState.RUNNING, ItemState.WAITING, ItemState.MISSING),
)
"""What has ended comes first, so that the bar grows as the batch does."""


@dataclass(frozen=True)
class BatchShare:
    """The items in one state: how many, where their part of the bar begins and how long it is, of 100."""

    state: ItemState
    number: int
    start: float
    length: float
    badge: Badge


@dataclass(frozen=True)
class BatchView:
    """A batch as pages show it; `can` are the things that a submitter may do to it now."""

    status: BatchStatus
    badge: Badge
    shares: tuple[BatchShare, ...]
    progress: str
    wording: str
    cost: str
    can: frozenset[str]


def batch_view(status: BatchStatus, words: Translator) -> BatchView:
    """A batch at one moment: the shares of its bar add up to all items."""
    total, shares = max(status.batch.total, 1), []
    at = 0
    for state in _DRAWN:
        number = status.counts[state]
        if number:
            tone, icon = _ITEMS[state]
            wording = Badge(words.message(f"batch_{state}", n=f"{number:,}"), tone, icon)
            shares.append(
                BatchShare(state, number, 100 * at / total, 100 * number / total, wording)
            )
        at += number
    tone, icon = _STATES[status.state]
    return BatchView(
        status=status,
        badge=Badge(words.message(f"batch_is_{status.state}"), tone, icon),
        shares=tuple(shares),
        progress=f"{status.ended:,} / {status.batch.total:,}",
        wording=", ".join(share.badge.text for share in shares),
        cost="" if status.spent is None else cost_text(status, words),
        can=_can(status),
    )


def _can(status: BatchStatus) -> frozenset[str]:
    if status.batch.state is not BatchState.OPEN:
        return frozenset({"cancel"} if status.batch.state is BatchState.FILLING else ())
    can = set() if status.is_over else {"resume" if status.batch.paused else "pause", "cancel"}
    if status.counts[ItemState.FAILED] or status.batch.exhausted:
        can.add("retry")
    return frozenset(can)


@dataclass(frozen=True)
class ItemLine:
    """An item of the list."""

    row: ItemRow
    badge: Badge
    verdict: Badge | None


def item_lines(rows: Sequence[ItemRow], words: Translator) -> tuple[ItemLine, ...]:
    """The items as the list shows them."""
    return tuple(
        ItemLine(row, item_badge(row.state, words), verdict_badge(row.verdict, words))
        for row in rows
    )


def item_badge(state: ItemState, words: Translator) -> Badge:
    """Where an item stands."""
    tone, icon = _ITEMS[state]
    return Badge(words.message(f"item_is_{state}"), tone, icon)
