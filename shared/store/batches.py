"""Batches: stored item by item, opened as a whole, counted in one statement, and paid from one budget.

    filling ──open──> open ──cancel──> cancelled
       └──────────────discard: as if it had never been

The items' runs are queued under the batch's name from the beginning (`shared/store/admission.py`); none of them is
admitted before the batch is open, or while it is paused or its budget is used up. Items that ask the same share a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shared.models.batches import BatchLimits, BatchRow, BatchState, ItemState
from shared.models.outcomes import NO_ANSWER
from shared.store.database import Connection
from shared.store.outbox import announce_runs
from shared.store.projects import seen_all, seen_projects

_COLUMNS = """name, source, fingerprint, total, state, max_usd, max_running, paused,
       exhausted_at IS NOT NULL AS exhausted, created_at, opened_at"""

_NOT_ANSWERED = ", ".join(f"'{ending}'" for ending in sorted(NO_ANSWER))

# Of the run `r` of an item.
ITEM_STATE = f"""CASE WHEN r.status = 'queued' THEN 'waiting' WHEN r.status = 'running' THEN 'running'
     WHEN r.status = 'waiting' THEN 'deciding' WHEN r.status = 'cancelled' THEN 'cancelled'
     WHEN r.status = 'completed' AND coalesce(r.ending, '') NOT IN ({_NOT_ANSWERED}) THEN 'succeeded'
     ELSE 'failed' END"""


def _row(values: Any) -> BatchRow:
    return BatchRow(
        name=values.name,
        source=values.source,
        fingerprint=values.fingerprint,
        total=values.total,
        state=BatchState(values.state),
        limits=BatchLimits(values.max_usd, values.max_running),
        paused=values.paused,
        exhausted=values.exhausted,
        created_at=values.created_at,
        opened_at=values.opened_at,
    )


def create_batch(
    connection: Connection,
    *,
    name: str,
    source: str,
    fingerprint: str,
    total: int,
    limits: BatchLimits,
    project: str | None = None,
) -> BatchRow | None:
    """Store a batch unless its name is taken; the one that has the name, None where that is not seen.

    It belongs to `project` even before its first item is stored; None: to those of its items.
    """
    projects = [] if project is None else [project]
    connection.execute(
        "INSERT INTO batches (name, source, fingerprint, total, state, max_usd, max_running, projects) "
        "VALUES (%s, %s, %s, %s, 'filling', %s, %s, %s) ON CONFLICT DO NOTHING",
        (name, source, fingerprint, total, limits.max_usd, limits.max_running, projects),
    )
    return find_batch(connection, name)


def find_batch(connection: Connection, name: str) -> BatchRow | None:
    """The batch of that name."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM batches WHERE name = %(name)s AND {seen_all(connection, 'projects')}",
        {"name": name, **seen_projects(connection)},
    ).fetchone()
    return None if row is None else _row(row)


def list_batches(connection: Connection, limit: int) -> list[BatchRow]:
    """The newest batches."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM batches WHERE {seen_all(connection, 'projects')} "
        "ORDER BY created_at DESC, name LIMIT %(limit)s",
        {"limit": limit, **seen_projects(connection)},
    ).fetchall()
    return [_row(row) for row in rows]


def set_limits(connection: Connection, name: str, limits: BatchLimits) -> None:
    """Change what a batch may take, where something is said; a higher budget lets it go on."""
    connection.execute(
        "UPDATE batches SET max_usd = coalesce(%(usd)s, max_usd), max_running = coalesce(%(running)s, max_running), "
        "exhausted_at = CASE WHEN %(usd)s > max_usd THEN NULL ELSE exhausted_at END WHERE name = %(name)s",
        {"name": name, "usd": limits.max_usd, "running": limits.max_running},
    )


def pause_batch(connection: Connection, name: str, *, paused: bool) -> bool:
    """Let nothing more of a batch begin, or let it go on; False when it stood so already."""
    row = connection.execute(
        "UPDATE batches SET paused = %s WHERE name = %s AND paused <> %s RETURNING name",
        (paused, name, paused),
    ).fetchone()
    return row is not None


def paused_batches(connection: Connection) -> list[str]:
    """The names of those that are paused and have not ended."""
    rows = connection.execute(
        "SELECT name FROM batches WHERE paused AND state IN ('filling', 'open') AND finished_at IS NULL ORDER BY name"
    )
    return [row.name for row in rows]


def open_batch(connection: Connection, name: str) -> bool:
    """Let its items begin; False unless all of them are stored and it was not open yet."""
    row = connection.execute(
        "UPDATE batches SET state = 'open', opened_at = now() WHERE name = %s AND state = 'filling' "
        "AND total = (SELECT count(*) FROM batch_items i WHERE i.batch = batches.name) RETURNING name",
        (name,),
    ).fetchone()
    return row is not None


def discard_batch(connection: Connection, name: str) -> bool:
    """Forget a batch that is not open yet, with its runs; False where it is not there or open."""
    row = connection.execute(
        "SELECT FROM batches WHERE name = %s AND state = 'filling' FOR UPDATE", (name,)
    ).fetchone()
    if row is None:
        return False
    runs = connection.execute(
        "DELETE FROM batch_items WHERE batch = %s RETURNING run_id", (name,)
    ).fetchall()
    connection.execute(
        "DELETE FROM runs WHERE id = ANY(%s) AND status = 'queued'", ([row.run_id for row in runs],)
    )
    connection.execute("DELETE FROM batches WHERE name = %s", (name,))
    return True


_CANCEL_QUEUED = """
WITH ended AS (
    UPDATE runs SET status = 'cancelled', finished_at = now(), updated_at = now(), logged = logged + 1
     WHERE batch = %(name)s AND status = 'queued' RETURNING id, logged
), told AS (
    INSERT INTO events (run_id, seq, type, body)
    SELECT id, logged, 'run.cancelled', jsonb_build_object('actor', %(actor)s::text) FROM ended
)
SELECT array_agg(id) AS runs FROM ended
"""


def cancel_batch(connection: Connection, name: str, actor: str) -> int:
    """Let nothing more of it begin, for good; how many runs were waiting. What is under way is not touched."""
    connection.execute("UPDATE batches SET state = 'cancelled' WHERE name = %s", (name,))
    row = connection.execute(_CANCEL_QUEUED, {"name": name, "actor": actor}).fetchone()
    assert row is not None
    announce_runs(connection, row.runs or [])
    return len(row.runs or [])


_COUNTS = f"""
SELECT b.name, b.total, coalesce(n.state, 'missing') AS state, coalesce(n.items, 0)::int AS items
  FROM batches b LEFT JOIN LATERAL (
       SELECT {ITEM_STATE} AS state, count(*) AS items FROM batch_items i JOIN runs r ON r.id = i.run_id
        WHERE i.batch = b.name GROUP BY 1) n ON true
 WHERE b.name = ANY(%s)
"""


def count_items(connection: Connection, names: Sequence[str]) -> dict[str, dict[ItemState, int]]:
    """How many items of each batch stand in each state, all of one moment: they add up to its total."""
    counts: dict[str, dict[ItemState, int]] = {}
    totals: dict[str, int] = {}
    for row in connection.execute(_COUNTS, (list(names),)).fetchall():
        states = counts.setdefault(row.name, dict.fromkeys(ItemState, 0))
        states[ItemState(row.state)] += row.items
        totals[row.name] = row.total
    for name, states in counts.items():
        states[ItemState.MISSING] = totals[name] - sum(
            number for state, number in states.items() if state is not ItemState.MISSING
        )
    return counts


_SPENT = """
WITH roots AS (
    SELECT DISTINCT unnest(i.run_id || i.earlier) AS run_id FROM batch_items i WHERE i.batch = %(name)s
), trees AS (
    SELECT unnest(t.run_id || ARRAY(SELECT c.id FROM runs c WHERE c.root_run = t.run_id)) AS run_id FROM roots t
)
SELECT sum(u.cost_usd) AS usd, count(*)::int AS calls, (count(*) - count(u.cost_usd))::int AS unknown
  FROM trees t JOIN usage u ON u.run_id = t.run_id
"""


def spent_on(connection: Connection, name: str) -> Mapping[str, Any]:
    """What all calls of a batch cost, those of its earlier attempts and of child runs included."""
    row = connection.execute(_SPENT, {"name": name}).fetchone()
    assert row is not None
    return {"calls": row.calls, "cost_usd": row.usd, "unknown_costs": row.unknown}
