"""The items of batches: stored in portions with their runs, read in pages, tried again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue

from shared.models.batches import ItemState
from shared.models.run import RunSpec
from shared.store.batches import ITEM_STATE
from shared.store.database import Connection
from shared.store.documents import put_documents
from shared.store.outbox import reopen_batches
from shared.store.projects import OF_SPEC
from shared.store.sealing import seal_json, sealer_of
from shared.store.splicing import spliced


@dataclass(frozen=True)
class NewItem:
    """An item with the run that answers it, unless another item of the batch asked the same under this `key`.

    `body` is what the file said besides the question: metadata and labels.
    """

    position: int
    custom_id: str
    key: str
    run: str
    title: str
    root_task: str
    spec: RunSpec
    body: Mapping[str, JsonValue]


@dataclass(frozen=True)
class ItemRow:
    """An item as it stands; `seconds` from its admission to its end."""

    position: int
    custom_id: str
    run: str
    state: ItemState
    attempt: int
    workflow: str
    verdict: str | None
    ending: str | None
    blocked_reason: str | None
    body: Mapping[str, Any]
    seconds: float | None


_ADD = f"""
WITH given AS (
    SELECT * FROM jsonb_to_recordset(%(items)s::jsonb) AS g(
           position int, custom_id text, key text, run text, title text, root_task text, workflow text, calls int,
           tokens bigint, usd float8, seconds float8, external boolean, models boolean, spec jsonb, body jsonb)
), created AS (
    INSERT INTO runs (id, workflow, title, status, root_task, idempotency_key, max_calls, max_tokens, max_usd,
                      deadline_at, batch, allow_external, allow_models, logged)
    SELECT DISTINCT ON (g.key) g.run, g.workflow, g.title, 'queued', g.root_task, g.key, g.calls, g.tokens, g.usd,
           now() + make_interval(secs => g.seconds), %(batch)s, g.external, g.models, 1
      FROM given g ORDER BY g.key, g.position
    ON CONFLICT DO NOTHING RETURNING id, idempotency_key
), captured AS (
    INSERT INTO specs (run_id, spec) SELECT c.id, g.spec FROM created c JOIN given g ON g.run = c.id
), belonging AS (
    SELECT array_agg(DISTINCT project) AS projects FROM (SELECT {OF_SPEC} AS project FROM given) named
), told AS (
    UPDATE batches b SET projects = ARRAY(SELECT unnest(b.projects || g.projects) GROUP BY 1 ORDER BY 1)
      FROM belonging g WHERE b.name = %(batch)s AND NOT b.projects @> g.projects
)
INSERT INTO batch_items (batch, position, custom_id, key, run_id, body)
SELECT %(batch)s, g.position, g.custom_id, g.key,
       coalesce((SELECT c.id FROM created c WHERE c.idempotency_key = g.key),
                (SELECT r.id FROM runs r WHERE r.idempotency_key = g.key)), g.body
  FROM given g
ON CONFLICT (batch, position) DO NOTHING
"""


def add_items(
    connection: Connection, batch: str, items: Sequence[NewItem], documents: Mapping[str, bytes]
) -> bool:
    """Store items, their runs (queued, under the batch's name) and what these refer to; those that are there stay.

    False where the batch has been discarded: nothing is stored then.
    """
    if (
        connection.execute(
            "SELECT FROM batches WHERE name = %s FOR NO KEY UPDATE", (batch,)
        ).fetchone()
        is None
    ):
        return False
    put_documents(connection, documents)
    rows = ", ".join(_as_json(connection, item) for item in items)
    connection.execute(_ADD, {"batch": batch, "items": f"[{rows}]"})
    return True


def _as_json(connection: Connection, item: NewItem) -> str:
    budget = item.spec.budget
    fields = {
        "position": item.position,
        "custom_id": item.custom_id,
        "key": item.key,
        "run": item.run,
        "title": item.title,
        "root_task": item.root_task,
        "workflow": item.spec.workflow,
        "calls": budget.max_calls,
        "tokens": budget.max_tokens,
        "usd": budget.max_usd,
        "seconds": budget.max_seconds,
        "external": item.spec.allow_external,
        "models": item.spec.allow_models,
        "body": sealer_of(connection).seal_value(dict(item.body)),
    }
    return spliced(fields, spec=seal_json(connection, item.spec.model_dump_json()))


def stored_positions(connection: Connection, batch: str) -> set[int]:
    """Which items of a batch are stored."""
    rows = connection.execute(
        "SELECT position FROM batch_items WHERE batch = %s", (batch,)
    ).fetchall()
    return {row.position for row in rows}


_PAGE = f"""
SELECT i.position, i.custom_id, i.run_id, {ITEM_STATE} AS state, cardinality(i.earlier) AS attempt,
       r.workflow, r.verdict, r.ending, r.blocked_reason, i.body,
       extract(epoch FROM r.finished_at - coalesce(r.admitted_at, r.created_at))::float8 AS seconds
  FROM batch_items i JOIN runs r ON r.id = i.run_id
 WHERE i.batch = %(batch)s AND i.position > %(after)s AND {ITEM_STATE} = ANY(%(states)s)
 ORDER BY i.position LIMIT %(limit)s
"""


def items_after(
    connection: Connection,
    batch: str,
    after: int,
    limit: int,
    states: Sequence[ItemState] = tuple(ItemState),
) -> list[ItemRow]:
    """The next items in the order of the file that stand so, after that position."""
    named = {"batch": batch, "after": after, "limit": limit, "states": list(states)}
    rows = connection.execute(_PAGE, named).fetchall()
    return [ItemRow(**_fields(row)) for row in rows]


def _fields(row: Any) -> dict[str, Any]:
    fields: dict[str, Any] = row._asdict()
    fields["run"] = fields.pop("run_id")
    fields["state"] = ItemState(row.state)
    return fields


_RETRY = f"""
WITH failed AS (
    SELECT DISTINCT i.run_id FROM batch_items i JOIN runs r ON r.id = i.run_id
     WHERE i.batch = %(batch)s AND {ITEM_STATE} = ANY(%(states)s) ORDER BY i.run_id LIMIT %(limit)s
)
SELECT f.run_id, p.spec, r.title, i.key, i.attempt
  FROM failed f JOIN runs r ON r.id = f.run_id JOIN specs p ON p.run_id = f.run_id
  CROSS JOIN LATERAL (SELECT key, cardinality(earlier) AS attempt FROM batch_items i WHERE i.run_id = f.run_id
                       ORDER BY position LIMIT 1) i
"""


@dataclass(frozen=True)
class FailedRun:
    """A run of a batch that may be asked for again."""

    run: str
    spec: RunSpec
    title: str
    key: str
    attempt: int


def failed_runs(
    connection: Connection, batch: str, states: Sequence[ItemState], limit: int
) -> list[FailedRun]:
    """Runs whose items stand so."""
    rows = connection.execute(
        _RETRY, {"batch": batch, "states": list(states), "limit": limit}
    ).fetchall()
    return [
        FailedRun(row.run_id, RunSpec.model_validate(row.spec), row.title, row.key, row.attempt)
        for row in rows
    ]


_AGAIN = """
WITH given AS (
    SELECT * FROM jsonb_to_recordset(%(runs)s::jsonb) AS g(old text, run text, root_task text, key text, spec jsonb)
), created AS (
    INSERT INTO runs (id, workflow, title, status, root_task, idempotency_key, max_calls, max_tokens, max_usd,
                      deadline_at, batch, allow_external, allow_models, logged)
    SELECT g.run, r.workflow, r.title, 'queued', g.root_task, g.key, r.max_calls, r.max_tokens,
           CASE WHEN r.max_usd IS NOT NULL THEN (g.spec->'budget'->>'max_usd')::float8 END,
           now() + make_interval(secs => (g.spec->'budget'->>'max_seconds')::float8), r.batch, r.allow_external,
           r.allow_models, 1
      FROM given g JOIN runs r ON r.id = g.old
    ON CONFLICT DO NOTHING RETURNING id
), captured AS (
    INSERT INTO specs (run_id, spec) SELECT c.id, g.spec FROM created c JOIN given g ON g.run = c.id
)
UPDATE batch_items i SET run_id = g.run, earlier = i.earlier || g.old, unsettled = false
  FROM given g JOIN created c ON c.id = g.run WHERE i.run_id = g.old
"""


@dataclass(frozen=True)
class NextAttempt:
    """A run in the place of a failed one."""

    old: str
    run: str
    root_task: str
    key: str
    spec: RunSpec


def try_again(connection: Connection, attempts: Sequence[NextAttempt]) -> int:
    """Put new runs into the place of failed ones; for how many items. Twice, it is done once."""
    rows = ", ".join(
        spliced(
            {"old": each.old, "run": each.run, "root_task": each.root_task, "key": each.key},
            spec=seal_json(connection, each.spec.model_dump_json()),
        )
        for each in attempts
    )
    items = connection.execute(_AGAIN, {"runs": f"[{rows}]"}).rowcount
    for each in attempts:
        reopen_batches(connection, each.run)
    return items
