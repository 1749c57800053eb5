"""Turns whose calls go through a stand-in's batch API, and a courier that looks when a test says so."""

from __future__ import annotations

from typing import Any

from shared.models.panel import Participant
from shared.store.database import Database
from tests.support.batch_stand import BatchStand
from tests.support.runs import execute, fetch
from tests.support.turns import until, work
from workers.turns.courier import Courier, Pace
from workers.turns.steps import StepWorker

AT_ONCE = Pace(tick_s=0.05, quiet_s=0, longest_s=0, look_s=3600, rest_s=0, lease_s=60, settled_s=0)
PRICE = {"in": 3.0, "out": 15.0}
# 1,000 tokens at 3 dollars and 100 at 15 a million, and half of that.
FULL_USD = 0.0045
HALF_USD = FULL_USD / 2
PATHS = {
    "anthropic": "",
    "openai": "/v1",
    "openai-responses": "/v1",
    "gemini": "/v1beta",
}


def batched(stand: BatchStand, provider: str = "anthropic", **fields: Any) -> Participant:
    """A participant behind the stand, through batches unless its options say otherwise."""
    options = {
        "base_url": stand.url + PATHS[provider],
        "api_key_env": "HOME",  # any variable that is set: the stand takes every key
        "batch": True,
        "price": PRICE,
        **fields.pop("options", {}),
    }
    values = {"name": "critic", "model": "stub", **fields}
    return Participant(provider=provider, options=options, **values)


def courier(database: Database, **fields: Any) -> Courier:
    """A courier for which everything is due at once."""
    return Courier(database, **{"pace": AT_ONCE, **fields})


def state(database: Database, run: str) -> Any:
    """The newest batched call of a run."""
    return fetch(
        database, "SELECT * FROM batched_calls WHERE run_id = %s ORDER BY created_at DESC", run
    )


def make_due(database: Database) -> None:
    """As if every wait of the courier were over."""
    execute(database, "UPDATE provider_batches SET due_at = now() WHERE status <> 'ended'")


def carry(database: Database, stand: BatchStand, carrier: Courier) -> None:
    """Queued calls to the stand, and its answers back."""
    carrier.tick()
    stand.finish()
    make_due(database)
    carrier.tick()


def finished(worker: StepWorker, database: Database, run: str, step: str = "a") -> Any:
    """Work on a step that was woken; its row."""
    until(lambda: _is_ready(database, run, step), 10)
    work(worker, run, step)
    return fetch(database, "SELECT * FROM steps WHERE run_id = %s AND key = %s", run, step)


def _is_ready(database: Database, run: str, step: str) -> bool:
    row = fetch(
        database,
        "SELECT status, not_before IS NULL OR not_before <= now() AS due FROM steps WHERE run_id = %s AND key = %s",
        run,
        step,
    )
    return bool(row.due)
