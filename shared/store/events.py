"""A run's log: what happened, in order and numbered without gaps.

Most of it is told by rows that are there anyway: a run was submitted and completed, a step was scheduled and ended, a
fact was written. Only what no row tells is stored, under its number. `runs.logged` counts both kinds, under the run's
lock, and what other rows tell takes the numbers in between, in the order in which it happened:

    at the moment of an advance: the ends of steps before it, the facts that it wrote, the steps that it scheduled

The ends that no advance has seen yet have no number, and are not shown. Logs of earlier versions are stored as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from shared.store.database import Connection
from shared.store.sealing import seal_json

Event = tuple[str, dict[str, Any]]

_APPEND = """
WITH counted AS (
    UPDATE runs SET logged = logged + jsonb_array_length(%(events)s::jsonb) WHERE id = %(run)s RETURNING logged
)
INSERT INTO events (run_id, seq, type, body)
SELECT %(run)s, c.logged - jsonb_array_length(%(events)s::jsonb) + n, e->>0, e->1
  FROM counted c, jsonb_array_elements(%(events)s::jsonb) WITH ORDINALITY AS t(e, n)
"""

# A step that was refused when it was scheduled, which nobody ever held, has not ended: it was scheduled as failed.
_LOG = """
WITH stored AS (
    SELECT seq, type, body, at FROM events WHERE run_id = %(run)s
), happened AS (
    SELECT r.created_at AS at, 0 AS part, 0 AS place, 'run.submitted' AS type, jsonb_strip_nulls(jsonb_build_object(
               'workflow', r.workflow, 'title', r.title, 'parent', r.parent_run, 'step', r.parent_step)) AS body
      FROM runs r WHERE r.id = %(run)s
     UNION ALL
    SELECT s.finished_at, 1, s.position, 'step.' || s.status,
           jsonb_build_object('key', s.key, 'participant', s.participant, 'failure', s.failure_kind)
      FROM steps s
     WHERE s.run_id = %(run)s AND s.status IN ('done', 'failed') AND NOT (s.status = 'failed' AND s.token = 0)
     UNION ALL
    SELECT w.at, 2, w.position, 'record.written', jsonb_build_object('key', w.key, 'kind', w.kind)
      FROM records w WHERE w.run_id = %(run)s AND w.kind <> 'assessment'
     UNION ALL
    SELECT w.at, 2, w.position, 'round.assessed', jsonb_build_object(
               'key', w.key, 'score', round((a->'metrics'->>'overall_score')::numeric, 3),
               'recommendation', a->'metrics'->'recommendation', 'ending', a->'ending')
      FROM records w, jsonb_extract_path(w.body, 'assessment') AS a
     WHERE w.run_id = %(run)s AND w.kind = 'assessment'
     UNION ALL
    SELECT s.created_at, 3, s.position, 'step.scheduled', jsonb_build_object('key', s.key, 'queue', s.queue,
               'status', CASE WHEN s.status = 'failed' AND s.token = 0 THEN 'failed' ELSE 'pending' END)
      FROM steps s WHERE s.run_id = %(run)s
     UNION ALL
    SELECT r.finished_at, 4, 0, 'run.completed', jsonb_build_object('verdict', r.verdict, 'ending', r.ending)
      FROM runs r WHERE r.id = %(run)s AND r.status = 'completed'
), told AS (
    SELECT type, body, at, row_number() OVER (ORDER BY at, part, place) AS nth
      FROM happened
     WHERE (type, coalesce(body->>'key', '')) NOT IN (SELECT type, coalesce(body->>'key', '') FROM stored)
       AND NOT (type LIKE 'step.%%' AND place < {copied})
), free AS (
    SELECT n AS seq, row_number() OVER (ORDER BY n) AS nth
      FROM runs r, generate_series(1, r.logged) AS n
     WHERE r.id = %(run)s AND n NOT IN (SELECT seq FROM stored)
)
SELECT seq, type, body, at FROM stored WHERE seq > %(after)s
 UNION ALL
SELECT f.seq, t.type, t.body, t.at FROM free f JOIN told t ON t.nth = f.nth WHERE f.seq > %(after)s
 ORDER BY seq
""".format(
    # A fork's copies come first, and are told by its own event.
    copied="coalesce((SELECT (body->>'steps')::int FROM stored WHERE type = 'run.forked'), 0)"
)


def append_events(connection: Connection, run: str, events: Sequence[Event]) -> None:
    """Append to a run's log what no other row tells. The run's row must be locked (or new): numbers have no gaps."""
    if events:
        listed = seal_json(connection, json.dumps(events, ensure_ascii=False, default=str))
        connection.execute(_APPEND, {"run": run, "events": listed})


def list_events(connection: Connection, run: str, after: int = 0) -> list[tuple[int, str, Any]]:
    """(number, type, body) of a run's events after number `after`."""
    return [
        (number, kind, body) for number, kind, body, _ in list_timed_events(connection, run, after)
    ]


def list_timed_events(
    connection: Connection, run: str, after: int = 0
) -> list[tuple[int, str, Any, datetime]]:
    """The same, each with its moment."""
    rows = connection.execute(_LOG, {"run": run, "after": after}).fetchall()
    return [(row.seq, row.type, row.body, row.at) for row in rows]


def log_lengths(connection: Connection, runs: Sequence[str]) -> dict[str, tuple[int, bool]]:
    """How many events these runs have, and whether they have ended; those that are not there are left out."""
    rows = connection.execute(
        "SELECT id, logged, status NOT IN ('queued', 'running', 'waiting', 'blocked') AS ended FROM runs "
        "WHERE id = ANY(%s)",
        (list(runs),),
    ).fetchall()
    return {row.id: (row.logged, row.ended) for row in rows}
