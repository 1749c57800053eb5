"""What people and programs read: runs, their timelines, their state. Nothing here writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.errors import UnknownRun, UserError
from shared.models.findings import Stance
from shared.models.outcomes import RunStatus, Verdict
from shared.models.rows import (
    ASIDE,
    LAST_IN,
    OF,
    REPOSITORY,
    RecordRow,
    RunRow,
    StepRow,
    UsageRow,
    is_last,
)
from shared.store.children import TREE
from shared.store.database import Connection
from shared.store.projects import seen, seen_projects
from shared.store.run_filter import ALL_RUNS, RunFilter

_RUN = """
SELECT id, workflow, title, status, phase, verdict, ending, open_steps, blocked_reason,
       (SELECT spec FROM specs WHERE run_id = id) AS spec, outcome, created_at,
       updated_at, finished_at, extract(epoch FROM coalesce(finished_at, now()) - created_at)::float AS elapsed_s,
       parent_run AS parent, parent_step,
       (SELECT coalesce(sum(greatest(0, extract(epoch FROM
               least(coalesce(d.answered_at, now()), coalesce(runs.finished_at, now())) - d.opened_at))), 0)::float
          FROM decisions d WHERE d.run_id = runs.id) AS waited_s
  FROM runs
"""


LIVE = (RunStatus.RUNNING, RunStatus.WAITING)
_IS_LIVE = "status IN ('running', 'waiting')"
_HAS_ENDED = "status NOT IN ('queued', 'running', 'waiting')"
COUNTED_UP_TO = 5_000
LONGEST_NAME = 80


def _run(row: Any) -> RunRow:
    values = row._asdict()
    values["status"] = RunStatus(row.status)
    return RunRow(**values)


def taken_back(connection: Connection, run: str) -> dict[str, Any]:
    """What undoings of a run took back, as `apply` had replied it, by the undoing's own run."""
    rows = connection.execute(
        "SELECT r.id, s.spec -> 'labels' -> 'applied' AS applied FROM runs r "
        "CROSS JOIN LATERAL (SELECT spec FROM specs WHERE run_id = r.id OFFSET 0) s "
        "WHERE r.created_at >= (SELECT created_at FROM runs WHERE id = %s) AND r.verdict = %s "
        "AND s.spec -> 'labels' ->> %s = %s ORDER BY r.created_at DESC",
        (run, Verdict.DONE, OF, run),
    ).fetchall()
    return {row.id: row.applied for row in rows}


def find_run(connection: Connection, name: str) -> RunRow:
    """The run of that id, or of that unique beginning; `last` is the newest that no other run started,
    but never the undoing of one, a look at code or one that was imported. `last@NAME` passes over the runs of other
    repositories than NAME, unless there are no others.

    Raises UnknownRun, or UserError when the beginning fits several.
    """
    if not name.isprintable() or not name:
        # An empty variable of a script must not name the only run there is; Postgres takes no NUL and no surrogate.
        rows = []
    elif is_last(name):
        rows = _last(connection, name)
        name = "last"
    else:
        # A range, which the index knows; LIKE would read every run under a generic plan.
        rows = connection.execute(
            _RUN + " WHERE id BETWEEN %(name)s AND %(name)s || repeat('z', 20) "
            f"AND starts_with(id, %(name)s) AND {seen(connection, 'runs.id')} ORDER BY id LIMIT 4",
            {"name": name, **seen_projects(connection)},
        ).fetchall()
    if not rows:
        shown = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
        raise UnknownRun(
            "there is no run {shown!r}: `quorate list` shows the runs",
            shown=shown,
        )
    if len(rows) > 1:
        more = " and more" if len(rows) > 3 else ""
        raise UserError(
            "{name!r} fits several runs: {runs}{more}",
            name=name,
            runs=", ".join(row.id for row in rows[:3]),
            more=more,
        )
    return _run(rows[0])


def _last(connection: Connection, name: str) -> list[Any]:
    repository = name.removeprefix(LAST_IN) if name.startswith(LAST_IN) else ""
    own = _newest(connection, repository) if repository else []
    return own or _newest(connection)


def _newest(connection: Connection, repository: str | None = None) -> list[Any]:
    """The newest run of that repository, or of none; without a name the newest of all."""
    # What is about no repository counts everywhere, for it may have been asked here: a question, a diff that was piped.
    # Nobody typed an item of a batch.
    own = (
        f"AND (SELECT coalesce(spec -> 'labels' ->> '{REPOSITORY}', "
        "CASE WHEN spec -> 'labels' ? 'batch' THEN NULL ELSE %(own)s END) FROM specs WHERE run_id = id) = %(own)s"
    )
    return connection.execute(
        # Of each run by itself, newest first: joined, all of both tables would be read.
        _RUN
        + " WHERE parent_run IS NULL AND (SELECT spec -> 'labels' ?| %(aside)s FROM specs WHERE run_id = id) "
        "IS NOT TRUE AND NOT EXISTS (SELECT FROM imports i WHERE i.run_id = runs.id) "
        f"{'' if repository is None else own} "
        f"AND {seen(connection, 'runs.id')} ORDER BY created_at DESC LIMIT 1",
        {"aside": [OF, ASIDE], "own": repository, **seen_projects(connection)},
    ).fetchall()


def list_runs(
    connection: Connection, *, limit: int = 20, wanted: RunFilter = ALL_RUNS
) -> list[RunRow]:
    """Runs, the newest first: those of a status, or all that no other run started (`list_children` has those)."""
    rows = connection.execute(
        f"{_RUN} WHERE {' AND '.join((*wanted.conditions, seen(connection, 'runs.id')))} "
        "ORDER BY created_at DESC LIMIT %(limit)s",
        {"limit": limit, **wanted.parameters, **seen_projects(connection)},
    ).fetchall()
    return [_run(row) for row in rows]


def list_children(connection: Connection, runs: Sequence[str]) -> dict[str, list[RunRow]]:
    """The runs that these runs started, by parent in the order of their start; a parent without any is left out."""
    rows = connection.execute(
        f"{_RUN} WHERE parent_run = ANY(%s) ORDER BY created_at, id", (list(runs),)
    ).fetchall()
    children: dict[str, list[RunRow]] = {}
    for row in rows:
        children.setdefault(row.parent, []).append(_run(row))
    return children


# A step without a paid call has no usage row; its tokens are 0.
_STEPS = """
SELECT s.key, s.kind, s.participant, s.role, s.round, s.status, s.attempts,
       extract(epoch FROM s.created_at - r.created_at)::float AS queued,
       extract(epoch FROM s.leased_at - r.created_at)::float AS leased,
       extract(epoch FROM s.finished_at - r.created_at)::float AS finished,
       s.reply, s.failure_kind, s.failure_message, s.note, s.tokens, s.cost_usd,
       CASE WHEN s.tokens = 0 THEN 0 ELSE u.input END AS input_tokens,
       CASE WHEN s.tokens = 0 THEN 0 ELSE u.output END AS output_tokens,
       extract(epoch FROM s.held_back_at - r.created_at)::float AS held_back,
       extract(epoch FROM s.not_before - r.created_at)::float AS again
  FROM steps s
  JOIN runs r ON r.id = s.run_id
  LEFT JOIN (SELECT step,
                    CASE WHEN count(input_tokens) = count(*) THEN sum(input_tokens)::bigint END AS input,
                    CASE WHEN count(output_tokens) = count(*) THEN sum(output_tokens)::bigint END AS output
               FROM usage WHERE run_id = %(run)s GROUP BY step) u ON u.step = s.key
 WHERE s.run_id = %(run)s
 ORDER BY s.position
"""


def list_steps(connection: Connection, run: str) -> list[StepRow]:
    """The steps of a run in the order in which they were scheduled.

    Tokens are those of all calls of a step, and None when one of them is not known; of a fork's copies only the sum is.
    """
    rows = connection.execute(_STEPS, {"run": run}).fetchall()
    return [StepRow(*row) for row in rows]


def awaited_participants(connection: Connection) -> list[str]:
    """Who has a turn that is not finished, in any run, by name."""
    rows = connection.execute(
        "SELECT DISTINCT participant FROM steps WHERE finished_at IS NULL AND status IN ('pending', 'leased') "
        "AND kind = 'turn' ORDER BY participant"
    ).fetchall()
    return [row.participant for row in rows]


def list_assessments(connection: Connection, run: str) -> list[dict[str, Any]]:
    """The assessments of a run, in order."""
    rows = connection.execute(
        "SELECT key, body FROM records WHERE run_id = %s AND kind = 'assessment' ORDER BY position",
        (run,),
    ).fetchall()
    return [{"key": row.key, **row.body["assessment"]} for row in rows]


def list_records(connection: Connection, run: str) -> list[RecordRow]:
    """Everything that a run's workflow wrote into its journal, in order."""
    rows = connection.execute(
        "SELECT w.key, w.kind, w.body, extract(epoch FROM w.at - r.created_at)::float AS at_s "
        "FROM records w JOIN runs r ON r.id = w.run_id WHERE w.run_id = %s ORDER BY w.position",
        (run,),
    ).fetchall()
    return [RecordRow(*row) for row in rows]


def list_findings(connection: Connection, run: str) -> list[dict[str, Any]]:
    """The findings of a run as they stood after its last recorded round."""
    rows = connection.execute(
        "SELECT body FROM findings WHERE run_id = %s ORDER BY length(id), id", (run,)
    ).fetchall()
    return [row.body for row in rows]


def list_stances(connection: Connection, run: str) -> list[Stance]:
    """Who stood where on which finding, and why, in the order of the rounds; reviews of a fix after the first one."""
    rows = connection.execute(
        "SELECT round, participant, role, finding, position, reason FROM stances WHERE run_id = %s "
        "ORDER BY length(record), record, round, participant, role, finding",
        (run,),
    ).fetchall()
    return [Stance.model_validate(row._asdict()) for row in rows]


def run_usage(connection: Connection, run: str) -> UsageRow:
    """What a run has consumed, with its child runs. `cost_usd` is None when no call has a known price."""
    row = connection.execute(
        "SELECT count(*) AS calls, coalesce(sum(input_tokens), 0) AS i, coalesce(sum(output_tokens), 0) AS o, "
        "coalesce(sum(cached_tokens), 0) AS c, sum(cost_usd) AS cost, count(*) FILTER (WHERE cost_usd IS NULL) AS u "
        f"FROM usage WHERE run_id = ANY({TREE.format(run='%s')})",
        (run,),
    ).fetchone()
    assert row is not None
    return UsageRow(row.calls, int(row.i), int(row.o), int(row.c), row.cost, row.u)


@dataclass(frozen=True)
class RunHeartbeat:
    """What tells cheaply whether a run has changed since the last look; equal pulses, equal runs."""

    status: RunStatus
    phase: str
    advances: int
    steps: int
    leased: int
    finished: int
    open_decision: str | None
    below: int
    elapsed_s: float

    @property
    def settled(self) -> bool:
        """True when only a person can move the run, or nobody any more."""
        stands = self.status.final or self.status is RunStatus.BLOCKED
        return stands or self.open_decision is not None


def run_heartbeat(connection: Connection, run: str) -> RunHeartbeat:
    """The heartbeat of a run. Raises UnknownRun."""
    found = run_heartbeats(connection, [run]).get(run)
    if found is None:
        raise UnknownRun("there is no run {run!r}", run=run)
    return found


def run_heartbeats(connection: Connection, runs: Sequence[str]) -> dict[str, RunHeartbeat]:
    """The heartbeats of those of the runs that there are."""
    rows = connection.execute(
        "SELECT r.id, r.status, r.phase, r.advances, count(s.key) AS steps, "
        "count(*) FILTER (WHERE s.status = 'leased') AS leased, "
        "count(*) FILTER (WHERE s.status IN ('done', 'failed', 'cancelled')) AS finished, "
        "(SELECT min(d.key) FROM decisions d WHERE d.run_id = r.id AND d.state = 'open') AS open_decision, "
        "(SELECT coalesce(sum(c.advances), 0) FROM runs c WHERE c.parent_run = r.id) AS below, "
        "extract(epoch FROM coalesce(r.finished_at, now()) - r.created_at)::float AS elapsed_s "
        "FROM runs r LEFT JOIN steps s ON s.run_id = r.id WHERE r.id = ANY(%s) GROUP BY r.id",
        (list(runs),),
    ).fetchall()
    beats = {}
    for row in rows:
        values = row._asdict()
        name = values.pop("id")
        beats[name] = RunHeartbeat(**{**values, "status": RunStatus(row.status)})
    return beats


def count_live_runs(connection: Connection) -> dict[str, int]:
    """How many runs go on or wait for a person, by status; no others are read."""
    rows = connection.execute(
        f"SELECT status, count(*) AS runs FROM runs WHERE {_IS_LIVE} GROUP BY status ORDER BY status"
    ).fetchall()
    return {row.status: row.runs for row in rows}


@dataclass(frozen=True)
class RunCounts:
    """How many runs there are of each status. `estimated`: those that ended were not counted one by one.

    `queued`: how many of the queued ones are of each batch, '' for none.
    """

    by_status: dict[str, int]
    estimated: bool = False
    queued: dict[str, int] = field(default_factory=dict)


_ESTIMATES = """
SELECT v.status, round(greatest(c.reltuples, 0) * v.part)::bigint AS runs
  FROM pg_class c JOIN pg_stats s ON s.schemaname = c.relnamespace::regnamespace::text AND s.tablename = c.relname,
       unnest(s.most_common_vals::text::text[], s.most_common_freqs) AS v(status, part)
 WHERE c.oid = 'runs'::regclass AND s.attname = 'status' AND c.reltuples > %s
"""


def count_runs(connection: Connection) -> RunCounts:
    """All runs. Of a large table the ended ones are what Postgres' own statistics say."""
    live = count_live_runs(connection)
    queued = queued_by_batch(connection)
    if queued:
        live[RunStatus.QUEUED.value] = sum(queued.values())
    rows = connection.execute(_ESTIMATES, (COUNTED_UP_TO,)).fetchall()
    estimated = bool(rows)
    if not estimated:
        rows = connection.execute(
            f"SELECT status, count(*) AS runs FROM runs WHERE {_HAS_ENDED} GROUP BY status"
        ).fetchall()
    ended = {row.status: row.runs for row in rows if row.status not in (*LIVE, RunStatus.QUEUED)}
    return RunCounts(dict(sorted({**live, **ended}.items())), estimated, queued)


def queued_by_batch(connection: Connection) -> dict[str, int]:
    """How many runs wait in each line; '' is that of all that belong to no batch."""
    rows = connection.execute(
        "SELECT batch, count(*) AS runs FROM runs WHERE status = 'queued' GROUP BY batch ORDER BY batch"
    ).fetchall()
    return {row.batch: row.runs for row in rows}


def schema_revision(connection: Connection) -> str | None:
    """The migration that a database is at; None for an empty one."""
    known = connection.execute("SELECT to_regclass('public.alembic_version')").fetchone()
    if known is None or known[0] is None:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])
