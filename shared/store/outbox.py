"""What webhooks report, entered in the transaction of the fact itself: neither is there without the other.

A message names what happened and where to look: no prompt, no title, no answer leaves the installation by this way.
Child runs are their parent's business and are not reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shared.models.webhooks import WebhookEvent
from shared.store.database import Connection

_UTC = """'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'"""


def _moment(value: str) -> str:
    return f"to_char({value} AT TIME ZONE 'UTC', {_UTC})"


_ENTER = f"""
INSERT INTO webhook_deliveries (id, webhook, event, body)
SELECT 'msg_' || replace(gen_random_uuid()::text, '-', ''), w.name, %(event)s::text, json_build_object(
           'type', %(event)s::text, 'timestamp', {_moment("now()")}, 'data', f.data)::text
  FROM webhooks w CROSS JOIN ({{facts}}) AS f(data)
 WHERE w.disabled_at IS NULL AND %(event)s::text = ANY(w.events)
"""

_RUNS = f"""
SELECT json_build_object('run', r.id, 'workflow', r.workflow, 'status', r.status, 'verdict', r.verdict,
           'ending', r.ending, 'batch', r.batch, 'finished_at', {_moment("r.finished_at")})
  FROM runs r WHERE r.id = ANY(%(runs)s) AND r.parent_run IS NULL
"""

_DECISION = f"""
SELECT json_build_object('run', d.run_id, 'decision', d.key, 'kind', d.kind, 'state', d.state,
           'options', d.question->'options', 'choice', d.answer->>'choice', 'channel', d.answer->>'channel',
           'deadline_at', {_moment("d.deadline_at")})
  FROM decisions d WHERE d.run_id = %(run)s AND d.key = %(key)s
"""

_BATCHES = """
SELECT json_build_object('batch', b.name, 'state', b.state, 'total', b.total)
  FROM batches b WHERE b.name = ANY(%(batches)s)
"""

# `blocked` waits for an operator, and counts as failed (shared/store/batches.py).
_FINISH_BATCHES = """
UPDATE batches b SET finished_at = now()
 WHERE b.finished_at IS NULL AND b.state <> 'filling'
   AND NOT EXISTS (SELECT FROM batch_items i JOIN runs r ON r.id = i.run_id
                    WHERE i.batch = b.name AND r.status IN ('queued', 'running', 'waiting'))
RETURNING b.name
"""


def announce_runs(connection: Connection, runs: Sequence[str]) -> None:
    """These runs have ended."""
    if runs:
        _enter(connection, WebhookEvent.RUN_FINISHED, _RUNS, {"runs": list(runs)})


def announce_decision(connection: Connection, event: WebhookEvent, run: str, key: str) -> None:
    """A decision is open, or has its answer: a person's, or its deadline's."""
    _enter(connection, event, _DECISION, {"run": run, "key": key})


def finish_batches(connection: Connection) -> int:
    """Note and report the batches of which no item is under way any more; how many. For one transaction.

    Two last runs may end at the same moment without seeing one another, so neither of them can tell.
    """
    finished = [row.name for row in connection.execute(_FINISH_BATCHES).fetchall()]
    if finished:
        _enter(connection, WebhookEvent.BATCH_FINISHED, _BATCHES, {"batches": finished})
    return len(finished)


def reopen_batches(connection: Connection, run: str) -> None:
    """A run goes on, or took the place of another: what it belongs to has not finished."""
    connection.execute(
        "UPDATE batches SET finished_at = NULL WHERE finished_at IS NOT NULL "
        "AND name IN (SELECT batch FROM batch_items WHERE run_id = %s)",
        (run,),
    )


def _enter(
    connection: Connection, event: WebhookEvent, facts: str, names: Mapping[str, Any]
) -> None:
    connection.execute(_ENTER.format(facts=facts), {"event": event.value, **names})
