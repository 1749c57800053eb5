"""Batches as people and programs read them: a line of counts, a list, an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.tables import table
from shared.models.batches import BatchRow, BatchStatus, ItemState
from shared.text.amounts import dollars

_SHOWN = tuple(state for state in ItemState if state is not ItemState.MISSING)
_ADVISED = frozenset({"filling", "paused", "over_budget", "deciding", "ended"})
"""States in which a person can do something."""


def counts_text(status: BatchStatus, words: Translator) -> str:
    """`1,000 items: 600 succeeded, 3 failed, 397 waiting`; what nobody is in is left out."""
    counts = [
        words.message(f"batch_{state}", n=f"{number:,}")
        for state, number in status.counts.items()
        if number
    ]
    return words.message("batch_counts", n=f"{status.batch.total:,}", states=tuple(counts))


def status_lines(status: BatchStatus, words: Translator) -> list[Line]:
    """How a batch stands, and what can be done where a person has to do something."""
    batch = status.batch
    state = words.message(f"batch_is_{status.state}")
    lines = [line(Span(words.message("batch_head", name=batch.name, state=state), Style.STRONG))]
    lines.append(line(counts_text(status, words)))
    if status.spent is not None:
        lines.append(line(cost_text(status, words)))
    if batch.limits.max_running is not None:
        lines.append(line(words.message("batch_at_once", n=batch.limits.max_running)))
    if status.state in _ADVISED:
        advice = words.message(f"batch_do_{status.state}", name=batch.name)
        lines.append(line(Span(advice, Style.DIM)))
    return lines


def cost_text(status: BatchStatus, words: Translator) -> str:
    """What was spent of which budget, and for how many calls."""
    spent, limit = status.spent or {}, status.batch.limits.max_usd
    known = spent.get("cost_usd")
    shown = (
        words.message("cost_unknown")
        if known is None and spent.get("calls")
        else dollars(known or 0.0)
    )
    if spent.get("unknown_costs") and known is not None:
        shown = f"{shown} {words.message('calls_unpriced', n=spent['unknown_costs'])}"
    if limit is None:
        return words.message("batch_cost", cost=shown, calls=spent.get("calls", 0))
    return words.message(
        "batch_cost_of", cost=shown, limit=dollars(limit), calls=spent.get("calls", 0)
    )


def batches_table(listed: Sequence[BatchStatus], words: Translator) -> list[Line]:
    """One line a batch."""
    if not listed:
        return [line(Span(words.message("batch_none"), Style.DIM))]
    rows = [
        (
            each.batch.name,
            words.message(f"batch_is_{each.state}"),
            f"{each.batch.created_at:%Y-%m-%d %H:%M}",
            f"{each.batch.total:,}",
            *(f"{each.counts[state]:,}" for state in _SHOWN),
        )
        for each in listed
    ]
    names = ("batch", "state", "created", "items", *(f"items_{state}" for state in _SHOWN))
    return table(heads(names, words), rows)


def status_json(status: BatchStatus) -> dict[str, Any]:
    """A batch as an object; the counts add up to `total`."""
    batch: BatchRow = status.batch
    return {
        "name": batch.name,
        "state": status.state,
        "source": batch.source,
        "total": batch.total,
        "counts": {state.value: number for state, number in status.counts.items()},
        "ended": status.ended,
        **({} if status.spent is None else {"spent": dict(status.spent)}),
        "max_usd": batch.limits.max_usd,
        "max_running": batch.limits.max_running,
        "paused": batch.paused,
        "over_budget": batch.exhausted,
        "created_at": batch.created_at.isoformat(),
        "opened_at": None if batch.opened_at is None else batch.opened_at.isoformat(),
    }
