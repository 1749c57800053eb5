"""What batches have spent: runs that ended long enough ago are summed up, the others are looked up call by call.

So a reservation reads the calls of the runs that are under way, however large the batch is. An item is `unsettled` from
its admission on; its run is settled once, in the transaction that adds what it cost to its batch.
"""

from __future__ import annotations

from collections.abc import Sequence

from shared.store.daily_spending import CHARGED_USD
from shared.store.database import Connection

# A call that was under way when its run was cancelled is still charged to it.
SETTLED_AFTER_S = 60

_UNSETTLED_RUNS = """
SELECT DISTINCT unnest(i.run_id || ARRAY(SELECT c.id FROM runs c WHERE c.root_run = i.run_id))
  FROM batch_items i WHERE i.batch = %(batch)s AND i.unsettled"""
SPENT_BY_BATCH = f"""
SELECT 0 AS calls, 0 AS tokens,
       (SELECT settled_usd FROM batches WHERE name = %(batch)s)
       + (SELECT coalesce(sum({CHARGED_USD}), 0) FROM usage u WHERE u.run_id = ANY(ARRAY({_UNSETTLED_RUNS}))) AS usd"""
HELD_BY_BATCH = f"v.run_id = ANY(ARRAY({_UNSETTLED_RUNS}))"

# Look-ups one by one, also where the planner knows nothing of the tables yet: a run that is not among them is not read.
_SETTLE = f"""
WITH ended AS (
    UPDATE batch_items i SET unsettled = false
     WHERE i.unsettled
       AND (SELECT r.finished_at FROM runs r WHERE r.id = i.run_id) < now() - make_interval(secs => %(after)s)
 RETURNING i.batch, i.run_id
), trees AS (
    SELECT e.batch, unnest(e.run_id || ARRAY(SELECT c.id FROM runs c WHERE c.root_run = e.run_id)) AS run_id
      FROM (SELECT DISTINCT batch, run_id FROM ended) e
), costs AS (
    SELECT t.batch, sum((SELECT sum({CHARGED_USD}) FROM usage u WHERE u.run_id = t.run_id)) AS usd
      FROM trees t GROUP BY t.batch
)
UPDATE batches b SET settled_usd = b.settled_usd + c.usd FROM costs c WHERE c.batch = b.name AND c.usd > 0
"""


def note_begun(connection: Connection, runs: Sequence[str]) -> None:
    """These runs were admitted: what they spend counts from now on."""
    connection.execute(
        "UPDATE batch_items SET unsettled = true WHERE run_id = ANY(%s)", (list(runs),)
    )


def settle_batches(connection: Connection, *, after_s: int = SETTLED_AFTER_S) -> None:
    """Sum up the runs that ended so long ago."""
    connection.execute(_SETTLE, {"after": after_s})


def batch_limit(connection: Connection, batch: str) -> float | None:
    """What a batch may spend, its row locked until the transaction ends; None without a limit."""
    row = connection.execute(
        "SELECT max_usd FROM batches WHERE name = %s AND max_usd IS NOT NULL FOR UPDATE", (batch,)
    ).fetchone()
    return None if row is None else row.max_usd


def exhaust_batch(connection: Connection, batch: str) -> None:
    """A call could not be paid any more: nothing further of the batch begins."""
    connection.execute(
        "UPDATE batches SET exhausted_at = now() WHERE name = %s AND exhausted_at IS NULL", (batch,)
    )
