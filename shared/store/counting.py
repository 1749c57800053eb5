"""What operators count: everything that ended is added to `counters` once, by whichever orchestrator sweeps.

So a look at the metrics reads a few hundred rows however many runs there were, and a counter stays what it was when
runs are purged. What ended is found by its moment. A transaction that began earlier may still commit an earlier
moment, so nothing is counted that is younger than the oldest of them: each row is counted once, and none is left out.
"""

from __future__ import annotations

from datetime import datetime

from shared.models.metrics import RUN_SECONDS, SUM, MetricSample
from shared.store.database import Connection
from shared.store.requests import REQUEST

COUNTERS = "counters"
_FOLLOW_LOCK = 0x434F554E  # "COUN"
LONGEST_LABEL = 100
LONGEST_KIND = 40

# Only sessions of ours write what is followed. Those that have not begun to write may do so under the moment at which
# they began.
_SETTLED = """
SELECT least(clock_timestamp(), min(a.xact_start)) AS upto FROM pg_stat_activity a
 WHERE a.datname = current_database() AND a.application_name = current_setting('application_name')
   AND a.pid <> pg_backend_pid()
"""


def settled_moment(connection: Connection) -> datetime:
    """Everything that ended before this moment is committed, and nothing will ever end before it."""
    row = connection.execute(_SETTLED).fetchone()
    assert row is not None
    moment: datetime = row.upto
    return moment


def begin_following(connection: Connection, name: str) -> tuple[datetime | None, datetime] | None:
    """From when until when the follower has to look, in this transaction; None when another one is at it.

    The beginning is None for a follower that has never looked.
    """
    lock = connection.execute(
        "SELECT pg_try_advisory_xact_lock(%s, hashtext(%s)) AS got", (_FOLLOW_LOCK, name)
    ).fetchone()
    if lock is None or not lock.got:
        return None
    row = connection.execute("SELECT upto FROM followed WHERE name = %s", (name,)).fetchone()
    return (None if row is None else row.upto), settled_moment(connection)


def note_followed(connection: Connection, name: str, upto: datetime) -> None:
    """Everything before `upto` was dealt with."""
    connection.execute(
        "INSERT INTO followed (name, upto) VALUES (%s, %s) "
        "ON CONFLICT (name) DO UPDATE SET upto = excluded.upto WHERE followed.upto < excluded.upto",
        (name, upto),
    )


_BETWEEN = "{} >= coalesce(%(since)s::timestamptz, '-infinity') AND {} < %(upto)s"
_OUTCOME = "CASE s.status WHEN 'failed' THEN coalesce(s.failure_kind, 'failed') ELSE s.status END"
_PROVIDER = f"""CASE s.kind WHEN 'turn' THEN coalesce(
    (SELECT u.provider FROM usage u WHERE u.run_id = s.run_id AND u.step = s.key ORDER BY u.id DESC LIMIT 1),
    {REQUEST.format(step="s")} -> 'participant' ->> 'provider', '') ELSE '' END"""
_BATCHED = "EXISTS (SELECT FROM batched_calls b WHERE b.run_id = s.run_id AND b.step = s.key)"

# A step that no worker ever had was copied from another run, if nothing was published for it either.
_STEPS = f"""
SELECT s.kind, left(s.participant, {LONGEST_LABEL}) AS participant, left({_PROVIDER}, {LONGEST_LABEL}) AS provider,
       left({_OUTCOME}, {LONGEST_KIND}) AS outcome, s.kind = 'turn' AND {_BATCHED} AS batched,
       greatest(extract(epoch FROM coalesce(s.held_back_at, s.leased_at, s.finished_at) - s.created_at), 0)::float8
           AS queued_s,
       coalesce(greatest(extract(epoch FROM coalesce(s.leased_at, s.finished_at) - s.held_back_at), 0), 0)::float8
           AS put_off_s,
       greatest(extract(epoch FROM s.finished_at - s.leased_at), 0)::float8 AS worked_s
  FROM steps s WHERE {_BETWEEN.format("s.finished_at", "s.finished_at")} AND s.kind IN ('turn', 'tool')
   AND (s.token > 0 OR s.dispatches > 0)
"""

_RUNS = f"""
SELECT r.workflow, r.status, coalesce(r.verdict, '') AS verdict, r.ending,
       greatest(extract(epoch FROM r.finished_at - r.created_at) - coalesce((
           SELECT sum(extract(epoch FROM coalesce(d.answered_at, r.finished_at) - d.opened_at))
             FROM decisions d WHERE d.run_id = r.id), 0), 0)::float8 AS seconds
  FROM runs r WHERE {_BETWEEN.format("r.finished_at", "r.finished_at")} AND r.parent_run IS NULL
"""

# Those that a fork took over were asked and answered in no time at all.
_DECISIONS = f"""
SELECT r.workflow, left(d.kind, {LONGEST_KIND}) AS kind, d.state,
       left(coalesce(d.answer ->> 'channel', ''), {LONGEST_KIND}) AS channel,
       extract(epoch FROM d.answered_at - d.opened_at)::float8 AS waited_s
  FROM decisions d JOIN runs r ON r.id = d.run_id
 WHERE {_BETWEEN.format("d.answered_at", "d.answered_at")} AND d.answered_at > d.opened_at
"""

_COUNT = f"""
WITH ended AS MATERIALIZED ({_STEPS}), runs_ended AS MATERIALIZED ({_RUNS}), decided AS MATERIALIZED ({_DECISIONS}),
waits AS (
    SELECT provider, batched, queued_s, put_off_s, coalesce(worked_s, 0) AS worked_s FROM ended WHERE kind = 'turn'
), found (name, labels, value) AS (
    SELECT 'quorate_runs_submitted_total', ARRAY[r.workflow], 1::float8
      FROM runs r WHERE {_BETWEEN.format("r.created_at", "r.created_at")} AND r.parent_run IS NULL
 UNION ALL SELECT 'quorate_runs_ended_total', ARRAY[workflow, status, verdict], 1 FROM runs_ended
 UNION ALL SELECT 'quorate_discussions_ended_total', ARRAY[workflow, ending], 1
      FROM runs_ended WHERE ending IS NOT NULL
 UNION ALL SELECT 'quorate_run_seconds', ARRAY[workflow, coalesce(
               (SELECT min(b)::text FROM unnest(%(buckets)s::float8[]) b WHERE seconds <= b), '+Inf')], 1
      FROM runs_ended
 UNION ALL SELECT 'quorate_run_seconds', ARRAY[workflow, '{SUM}'], seconds FROM runs_ended
 UNION ALL SELECT 'quorate_turns_total', ARRAY[participant, provider, outcome], 1 FROM ended WHERE kind = 'turn'
 UNION ALL SELECT 'quorate_tool_runs_total', ARRAY[participant, outcome], 1 FROM ended WHERE kind = 'tool'
 UNION ALL SELECT 'quorate_turn_wait_seconds_total', ARRAY[w.provider, c.cause], c.seconds
      FROM waits w, LATERAL (VALUES
           ('queue', CASE WHEN provider <> 'person' THEN queued_s END),
           ('limit', CASE WHEN provider <> 'person' AND NOT batched THEN put_off_s END),
           ('model', CASE WHEN provider <> 'person' THEN worked_s + CASE WHEN batched THEN put_off_s ELSE 0 END END),
           ('human', CASE WHEN provider = 'person' THEN queued_s + put_off_s + worked_s END)
      ) AS c (cause, seconds) WHERE c.seconds > 0
 UNION ALL SELECT 'quorate_decisions_ended_total', ARRAY[workflow, kind, state, channel], 1 FROM decided
 UNION ALL SELECT 'quorate_decision_wait_seconds_total', ARRAY[workflow], waited_s FROM decided
)
INSERT INTO counters AS c (name, labels, value)
SELECT name, labels, sum(value) FROM found GROUP BY name, labels ORDER BY name, labels
ON CONFLICT (name, labels) DO UPDATE SET value = c.value + excluded.value
"""


def count(connection: Connection) -> bool:
    """Count what has ended since the last time; False when another session is at it.

    Must run in one transaction. Harmless twice and at the same time.
    """
    span = begin_following(connection, COUNTERS)
    if span is None:
        return False
    since, upto = span
    if since is None or since < upto:
        names = {"since": since, "upto": upto, "buckets": list(RUN_SECONDS)}
        connection.execute(_COUNT, names)
        note_followed(connection, COUNTERS, upto)
    return True


def counted(connection: Connection) -> list[MetricSample]:
    """All that was counted."""
    rows = connection.execute("SELECT name, labels, value FROM counters ORDER BY name, labels")
    return [MetricSample(row.name, tuple(row.labels), row.value) for row in rows.fetchall()]
