"""Who begins next: runs that nobody waits for are queued, and admitted while there are places.

A run waits in the *line* of its batch; all that belong to no batch are one line. Watched runs and child runs are in no
line (`batch` is NULL) and begin at once. There are twice as many places as living turn workers have slots, so that a
slot finds work while a run is between two stages or at a tool.

A free place goes to the line with the fewest runs under way, and there to whoever came first. A line below its share
of the places (all places divided by the number of lines) does not wait for the others' runs to end: while it catches
up, at most twice as many runs are under way as there are places. A run that nothing has happened to for `STILL_S`,
because a person or a provider takes long, gives its place up and goes on without one.

A line that is a stored batch (shared/store/batches.py) has at most as many runs under way as that allows, and none of
it begins before the batch is open, while it is paused, or after its budget was used up.
"""

from __future__ import annotations

from shared.models.run import RunSpec
from shared.store.batch_money import note_begun, settle_batches
from shared.store.database import Connection
from shared.store.processes import SILENCE_S

RUNS_A_SLOT = 2
PLACES_UNKNOWN = 64
"""Places while no turn worker is known, as before the first one has started."""
STILL_S = 600
ADMITTED_AT_ONCE = 64
_MOST_READ = 10_000
_LONGEST_NAME = 200

_PLACES = f"""(SELECT coalesce(nullif(sum(p.slots), 0) * {RUNS_A_SLOT}, {PLACES_UNKNOWN})::int FROM processes p
   WHERE p.kind = 'turns' AND p.seen_at > now() - make_interval(secs => {SILENCE_S}))"""

_MOVING = f"u.updated_at > now() - make_interval(secs => {STILL_S})"
_UNDER_WAY = f"u.status = 'running' AND u.batch IS NOT NULL AND {_MOVING}"

# A new run of the line %(batch)s: whoever finds a queue joins it, and is admitted from there.
FIRST_STATUS = f"""CASE WHEN %(batch)s::text IS NULL THEN 'running'
     WHEN EXISTS (SELECT FROM runs q WHERE q.status = 'queued') THEN 'queued'
     WHEN (SELECT count(*) FROM (SELECT FROM runs u WHERE {_UNDER_WAY} LIMIT {_PLACES}) n) >= {_PLACES} THEN 'queued'
     ELSE 'running' END"""


def line_of(spec: RunSpec) -> str | None:
    """The batch that a run with no parent belongs to, '' for none; None when somebody waits for it."""
    if spec.watched:
        return None
    batch = spec.labels.get("batch")
    return batch[:_LONGEST_NAME] if isinstance(batch, str) else ""


def is_anything_queued(connection: Connection) -> bool:
    """Whether any run waits for a place."""
    row = connection.execute("SELECT FROM runs WHERE status = 'queued' LIMIT 1").fetchone()
    return row is not None


# Nothing here reads a whole line: the lines are found by one look into the index each, and the head of each is read as
# far as there are places for it. The inner, constant LIMIT is for the planner, which knows no bound otherwise and would
# have a statement compiled that takes a millisecond.
_ADMIT = f"""
WITH RECURSIVE heads AS (
    (SELECT q.batch FROM runs q WHERE q.status = 'queued' ORDER BY q.batch LIMIT 1)
    UNION ALL
    SELECT (SELECT q.batch FROM runs q WHERE q.status = 'queued' AND q.batch > h.batch ORDER BY q.batch LIMIT 1)
      FROM heads h WHERE h.batch IS NOT NULL
), under_way AS (
    SELECT u.batch, count(*)::int AS all_runs, (count(*) FILTER (WHERE {_MOVING}))::int AS runs
      FROM runs u WHERE u.status = 'running' AND u.batch IS NOT NULL GROUP BY u.batch
), known AS (
    SELECT batch, coalesce(under_way.runs, 0) AS runs,
           CASE WHEN heads.batch IS NULL OR b.state <> 'open' OR b.paused OR b.exhausted_at IS NOT NULL THEN 0
                ELSE greatest(coalesce(b.max_running, {_MOST_READ}) - coalesce(under_way.all_runs, 0), 0) END AS most
      FROM heads FULL JOIN under_way USING (batch) LEFT JOIN batches b ON b.name = batch WHERE batch IS NOT NULL
), lines AS (
    SELECT * FROM known WHERE most > 0 OR runs > 0
), room AS (
    SELECT {_PLACES} - sum(runs)::int AS free, greatest({_PLACES} / count(*)::int, 1) AS share,
           greatest({_MOST_READ} / count(*)::int, 1) AS readable
      FROM lines HAVING count(*) > 0
), next AS (
    SELECT w.id, w.level, row_number() OVER (ORDER BY w.level, w.created_at, w.id) AS place
      FROM (SELECT c.id, c.created_at, l.runs + row_number() OVER (PARTITION BY l.batch ORDER BY c.created_at, c.id)
                   AS level
              FROM room, lines l CROSS JOIN LATERAL (SELECT * FROM (
                   SELECT q.id, q.created_at FROM runs q WHERE q.status = 'queued' AND q.batch = l.batch
                    ORDER BY q.created_at, q.id LIMIT {ADMITTED_AT_ONCE}) h
                    LIMIT least(greatest(room.free, room.share - l.runs, 0), room.readable, l.most)) c) w
), free AS (
    SELECT r.id FROM runs r WHERE r.status = 'queued' AND r.id = ANY(ARRAY(
           SELECT n.id FROM next n, room WHERE n.place <= room.free OR n.level <= room.share
            ORDER BY n.place LIMIT {ADMITTED_AT_ONCE})) FOR UPDATE SKIP LOCKED
)
UPDATE runs r SET status = 'running', admitted_at = now(), updated_at = clock_timestamp(),
       deadline_at = r.deadline_at + (now() - r.created_at)
  FROM free WHERE r.id = free.id RETURNING r.id
"""


def admit_runs(connection: Connection) -> list[str]:
    """Admit the next runs, `ADMITTED_AT_ONCE` at most; their clocks run from now on. To be advanced after the commit.

    Two at once may admit more than there are places. Rows that somebody else has locked are left out.
    """
    settle_batches(connection)
    admitted = [row.id for row in connection.execute(_ADMIT).fetchall()]
    if admitted:
        note_begun(connection, admitted)
    return admitted
