"""What a trace of a run is made of: moments, names and numbers of everything that ended, and no text of anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from shared.store.counting import begin_following, note_followed
from shared.store.database import Connection
from shared.store.requests import REQUEST

TRACES = "traces"
RUNS_AT_ONCE = 100


@dataclass(frozen=True)
class TracedStep:
    """A turn, a tool run or a child run that ended. None: it never began, or was not given back."""

    run: str
    key: str
    kind: str
    participant: str
    role: str
    round: int
    status: str
    failure_kind: str | None
    attempts: int
    created_at: datetime
    held_back_at: datetime | None
    leased_at: datetime | None
    finished_at: datetime
    provider: str | None
    wanted_model: str | None
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True)
class TracedDecision:
    """A question that a person was asked, and what was chosen."""

    run: str
    key: str
    kind: str
    state: str
    choice: str | None
    channel: str | None
    opened_at: datetime
    answered_at: datetime


@dataclass(frozen=True)
class TracedRun:
    """A run that ended, with all that ended in it. `root` is the run that its whole family hangs under."""

    id: str
    root: str
    parent: str | None
    parent_step: str | None
    workflow: str
    status: str
    verdict: str | None
    ending: str | None
    batch: str | None
    created_at: datetime
    finished_at: datetime
    steps: Sequence[TracedStep] = ()
    decisions: Sequence[TracedDecision] = ()


# All that ended in the same moment come together: the next look begins after it.
_RUNS = f"""
SELECT id, coalesce(root_run, id) AS root, parent_run AS parent, parent_step, workflow, status, verdict, ending,
       nullif(batch, '') AS batch, created_at, finished_at
  FROM runs WHERE finished_at >= %(since)s AND finished_at < %(upto)s
 ORDER BY finished_at FETCH FIRST {RUNS_AT_ONCE} ROWS WITH TIES
"""

# Steps that a fork took over are another run's.
_STEPS = f"""
SELECT s.run_id, s.key, s.kind, s.participant, s.role, s.round, s.status, s.failure_kind, s.attempts, s.created_at,
       s.held_back_at, s.leased_at, s.finished_at,
       coalesce(u.provider, q.request -> 'participant' ->> 'provider') AS provider,
       q.request -> 'participant' ->> 'model' AS wanted_model, u.model, u.input, u.output, u.cached, s.cost_usd
  FROM steps s
  LEFT JOIN LATERAL (SELECT {REQUEST.format(step="s")} AS request OFFSET 0) q ON true
  LEFT JOIN LATERAL (
       SELECT max(provider) AS provider, max(model) AS model, sum(input_tokens)::bigint AS input,
              sum(output_tokens)::bigint AS output, sum(cached_tokens)::bigint AS cached
         FROM usage WHERE run_id = s.run_id AND step = s.key) u ON true
 WHERE s.run_id = ANY(%s) AND s.finished_at IS NOT NULL AND s.kind IN ('turn', 'tool', 'run')
   AND (s.token > 0 OR s.dispatches > 0) ORDER BY s.run_id, s.position
"""

_DECISIONS = """
SELECT run_id, key, kind, state, answer ->> 'choice' AS choice, answer ->> 'channel' AS channel, opened_at, answered_at
  FROM decisions WHERE run_id = ANY(%s) AND answered_at > opened_at ORDER BY run_id, opened_at, key
"""


@dataclass(frozen=True)
class EndedRuns:
    """Runs that ended and were not traced yet, the earliest first; once they are, everything before `upto` is."""

    runs: Sequence[TracedRun]
    upto: datetime


def untraced_runs(connection: Connection) -> EndedRuns | None:
    """What ended since it was noted last, a portion of it; None when another session looks.

    Must run in one transaction. What ended before the first look is nobody's trace.
    """
    span = begin_following(connection, TRACES)
    if span is None:
        return None
    since, upto = span
    if since is None:
        return EndedRuns((), upto)
    runs = _runs(connection, since, upto)
    if len(runs) >= RUNS_AT_ONCE:
        upto = runs[-1].finished_at + timedelta(microseconds=1)
    return EndedRuns(runs, upto)


def _runs(connection: Connection, since: datetime, upto: datetime) -> list[TracedRun]:
    rows = connection.execute(_RUNS, {"since": since, "upto": upto}).fetchall()
    ids = [row.id for row in rows]
    steps: dict[str, list[TracedStep]] = {run: [] for run in ids}
    for row in connection.execute(_STEPS, (ids,)).fetchall():
        steps[row.run_id].append(TracedStep(*row))
    asked: dict[str, list[TracedDecision]] = {run: [] for run in ids}
    for row in connection.execute(_DECISIONS, (ids,)).fetchall():
        asked[row.run_id].append(TracedDecision(*row))
    return [replace(TracedRun(*row), steps=steps[row.id], decisions=asked[row.id]) for row in rows]


def note_traced(connection: Connection, upto: datetime) -> None:
    """Everything that ended before `upto` was traced."""
    note_followed(connection, TRACES, upto)
