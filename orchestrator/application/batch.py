"""Batches that are stored: how they stand, what came of them, and what people do to them."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import uuid4

from orchestrator.application.backend import Backend
from orchestrator.application.batch_standing import batch_status, named_batch
from orchestrator.application.report import load_report
from orchestrator.engine.children import new_run_id
from orchestrator.presentation.formats.json import as_json
from shared.errors import UserError
from shared.models.batches import (
    ENDED,
    BatchLimits,
    BatchState,
    BatchStatus,
    ItemState,
)
from shared.store.batch_items import (
    FailedRun,
    ItemRow,
    NextAttempt,
    failed_runs,
    items_after,
    try_again,
)
from shared.store.batch_money import settle_batches
from shared.store.batches import (
    cancel_batch,
    discard_batch,
    pause_batch,
    set_limits,
)
from shared.store.database import Connection
from shared.store.runs import cancel_run, unblock_run

PAGE = 200
AGAIN_AT_ONCE = 100


# ---- results ------------------------------------------------------------------------------------


def items_of(backend: Backend, name: str) -> Iterator[ItemRow]:
    """The items of a batch in the order of its file, read in pages."""
    row = backend.read(lambda connection: named_batch(connection, name))
    after = -1
    while page := backend.read(partial(items_after, batch=row.name, after=after, limit=PAGE)):
        yield from page
        after = page[-1].position


def page_of_items(
    backend: Backend,
    name: str,
    *,
    after: int,
    limit: int,
    states: Sequence[ItemState] = tuple(ItemState),
) -> list[ItemRow]:
    """The items after that position that stand so, in the order of the file."""
    row = backend.read(lambda connection: named_batch(connection, name))
    wanted = partial(items_after, batch=row.name, after=after, limit=limit, states=states)
    return backend.read(wanted)


def results_of(
    backend: Backend, name: str, states: Sequence[ItemState]
) -> Iterator[dict[str, Any]]:
    """A row for each item that stands so: `custom_id`, and what `quorate show --json` says of its run."""
    for item in items_of(backend, name):
        if item.state in states:
            yield _result(backend, item)


def _result(backend: Backend, item: ItemRow) -> dict[str, Any]:
    report = backend.read(lambda connection: load_report(connection, item.run))
    return {
        "custom_id": item.custom_id,
        **({"metadata": item.body["metadata"]} if "metadata" in item.body else {}),
        "attempts": item.attempt + 1,
        "result": {"type": item.state.value, **as_json(report)},
    }


# ---- what people do -----------------------------------------------------------------------------


def cancel(backend: Backend, name: str, actor: str, *, at_once: bool = False) -> BatchStatus:
    """Let nothing more of a batch begin; what is under way comes to its end, or is ended too (`at_once`).

    A batch whose submission was interrupted is forgotten: its file can be submitted again.
    """
    row = backend.read(lambda connection: named_batch(connection, name))
    if row.state is BatchState.FILLING and backend.write(partial(discard_batch, name=row.name)):
        forgotten = {**dict.fromkeys(ItemState, 0), ItemState.MISSING: row.total}
        return BatchStatus(replace(row, state=BatchState.CANCELLED), forgotten)
    backend.write(lambda connection: cancel_batch(connection, row.name, actor))
    if at_once:
        for item in items_of(backend, row.name):
            if item.state not in ENDED:
                backend.write(partial(cancel_run, run=item.run, actor=actor))
    return batch_status(backend, row.name)


def pause(backend: Backend, name: str, *, paused: bool) -> BatchStatus:
    """Let nothing more of a batch begin for now, or let it go on. Raises UserError when it stands so already."""
    row = backend.read(lambda connection: named_batch(connection, name))
    if not backend.write(partial(pause_batch, name=row.name, paused=paused)):
        raise UserError(
            "the batch {batch} is {value}",
            batch=row.name,
            value="paused already" if paused else "not paused",
        )
    return batch_status(backend, row.name)


def retry(
    backend: Backend, name: str, limits: BatchLimits, *, cancelled: bool = False
) -> tuple[BatchStatus, int]:
    """Ask again for what failed (and what was cancelled), each as a new run that costs again; for how many items.

    A blocked run goes on where it stopped. Raises UserError where the batch was cancelled or is being submitted.
    """
    row = backend.read(lambda connection: named_batch(connection, name))
    if row.state is not BatchState.OPEN:
        raise UserError(
            "the batch {batch} is {state}: nothing of it can begin",
            batch=row.name,
            state=row.state.value,
        )
    backend.write(partial(set_limits, name=row.name, limits=limits))
    states = [ItemState.FAILED, *([ItemState.CANCELLED] if cancelled else [])]
    items = 0
    while failed := backend.read(
        partial(failed_runs, batch=row.name, states=states, limit=AGAIN_AT_ONCE)
    ):
        again = sum(_again(backend, run, limits) for run in failed)
        items += again
        if not again:  # somebody else is at the same
            break
    return batch_status(backend, row.name), items


def _again(backend: Backend, failed: FailedRun, limits: BatchLimits) -> int:
    """Let it go on, or put a new run into its place; how many items that helps."""
    if backend.write(partial(unblock_run, run=failed.run)):
        backend.wake(failed.run)
        return 1
    budget = failed.spec.budget
    if limits.max_usd is not None and budget.max_usd is not None:
        budget = budget.model_copy(update={"max_usd": max(budget.max_usd, limits.max_usd)})
    spec = failed.spec.model_copy(update={"seed": secrets.token_hex(16), "budget": budget})
    key = f"{failed.key}:{failed.attempt + 1}"
    following = NextAttempt(failed.run, new_run_id(), str(uuid4()), key, spec)

    def put(connection: Connection) -> int:
        settle_batches(connection, after_s=0)
        return try_again(connection, [following])

    return backend.write(put)
