"""Long lists of runs, a page at a time: of the listed runs only the few columns that a list shows are read."""

from __future__ import annotations

from shared.models.outcomes import RunStatus, Verdict
from shared.models.rows import OF, ListedRun
from shared.store.database import Connection
from shared.store.projects import seen, seen_projects
from shared.store.run_filter import ALL_RUNS, NOT_ASIDE, RunFilter

NEWEST = 1_000
"""Among so many runs words are looked for one by one: what is frequent is found there, what is seldom by its index."""

_LISTED = """
WITH wanted AS ({wanted})
SELECT r.id, r.workflow, r.title, r.status, r.phase, r.verdict, r.ending, r.created_at,
       greatest(0, extract(epoch FROM coalesce(r.finished_at, now()) - r.created_at) - w.waited_s)::float AS worked_s,
       coalesce(s.labels ->> 'repository', '') AS repository, coalesce(s.labels ->> 'batch', '') AS batch,
       (SELECT sum(cost_usd) FROM usage u WHERE u.run_id = r.id) AS cost_usd,
       CASE WHEN r.verdict = '{done}' THEN s.labels ->> '{of}' END AS took_back_from
  FROM wanted CROSS JOIN LATERAL (SELECT * FROM runs WHERE id = wanted.id OFFSET 0) r
  LEFT JOIN LATERAL (SELECT spec -> 'labels' AS labels FROM specs WHERE run_id = r.id OFFSET 0) s ON true
 CROSS JOIN LATERAL (
       SELECT coalesce(sum(greatest(0, extract(epoch FROM
              least(coalesce(d.answered_at, now()), coalesce(r.finished_at, now())) - d.opened_at))), 0) AS waited_s
         FROM decisions d WHERE d.run_id = r.id) w
 ORDER BY r.created_at DESC, r.id DESC
"""


_WANTED = (
    "SELECT id FROM {runs} WHERE {conditions} ORDER BY created_at DESC, id DESC LIMIT %(limit)s"
)
_NEWEST = f"(SELECT * FROM runs WHERE {{conditions}} ORDER BY created_at DESC, id DESC LIMIT {NEWEST}) runs"


def page_of_runs(
    connection: Connection, *, limit: int, wanted: RunFilter = ALL_RUNS
) -> list[ListedRun]:
    """The newest runs that are wanted; `wanted.before_at` and `before_id` go on after the last one of a page."""
    every = _WANTED.format(
        runs="runs", conditions=" AND ".join((*wanted.conditions, seen(connection, "id")))
    )
    if wanted.words is None:
        return _listed(connection, every, limit, wanted)
    costly = [each for each in wanted.conditions if each in (wanted.words_condition, NOT_ASIDE)]
    others = [each for each in wanted.conditions if each not in costly]
    newest = _NEWEST.format(conditions=" AND ".join((*others, seen(connection, "id"))))
    lately = _WANTED.format(runs=newest, conditions=" AND ".join(costly))
    found = _listed(connection, lately, limit, wanted)
    return found if len(found) >= limit else _listed(connection, every, limit, wanted)


def _listed(connection: Connection, which: str, limit: int, wanted: RunFilter) -> list[ListedRun]:
    statement = _LISTED.format(wanted=which, done=Verdict.DONE.value, of=OF)
    with connection.transaction():
        # Which index serves best depends on how frequent the word, the label or the verdict is that is asked for.
        connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        values = {"limit": limit, **wanted.parameters, **seen_projects(connection)}
        rows = connection.execute(statement, values).fetchall()
    return [ListedRun(**{**row._asdict(), "status": RunStatus(row.status)}) for row in rows]
