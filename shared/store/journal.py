"""What is recorded of runs, as a replay reads it: locked and loaded together by an advance, or only read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from shared.store.database import Connection, Cursor
from shared.store.runs import LockedRun, lock_runs


@dataclass(frozen=True)
class JournalRow:
    """A step of the journal as the reducer needs it."""

    key: str
    kind: str
    participant: str
    role: str
    round: int
    fingerprint: str
    status: str
    reply: dict[str, Any] | None
    failure_kind: str | None
    failure_message: str | None
    note: str
    tokens: int | None
    cost_usd: float | None
    elapsed_s: float

    @property
    def is_open(self) -> bool:
        """Whether it has not ended yet."""
        return self.status in ("pending", "leased")


@dataclass(frozen=True)
class StoredRecord:
    """A fact that a workflow wrote into its journal; `kind` names its type."""

    key: str
    kind: str
    body: dict[str, Any]


@dataclass(frozen=True)
class StoredJournal:
    """A run's steps, its records in their order, and its decisions with their answers (None while open)."""

    steps: tuple[JournalRow, ...]
    records: tuple[StoredRecord, ...]
    decisions: dict[str, dict[str, Any] | None]


@dataclass(frozen=True)
class Wanted:
    """What is to be read of a run: its whole journal, or only the `steps` and the `decision` that a replay awaits.

    `spec`: also what the run captured at its submission, which never changes.
    """

    run: str
    whole: bool = True
    steps: tuple[str, ...] = ()
    decision: str | None = None
    spec: bool = False


@dataclass(frozen=True)
class Loaded:
    """A locked run and what was wanted of it; `spec` is JSON."""

    run: LockedRun
    journal: StoredJournal
    spec: str | None


_STEPS = """
SELECT json_agg(json_build_array(
           s.key, s.kind, s.participant, s.role, s.round, s.fingerprint, s.status, s.reply, s.failure_kind,
           s.failure_message, s.note, s.tokens, s.cost_usd,
           greatest(extract(epoch FROM s.finished_at - coalesce(r.admitted_at, r.created_at)), 0)::float)
           ORDER BY s.position)
  FROM steps s WHERE s.run_id = r.id
"""

# The runs are named twice: of JSON the planner expects a hundred rows, and would read all runs for them.
_LOAD = f"""
SELECT r.id, CASE WHEN w.spec THEN (SELECT p.spec::text FROM specs p WHERE p.run_id = r.id) END AS spec,
       CASE WHEN w.whole THEN ({_STEPS}) ELSE ({_STEPS} AND s.key = ANY(w.steps)) END AS steps,
       (SELECT json_agg(json_build_array(c.key, c.kind, c.body) ORDER BY c.position)
          FROM records c WHERE c.run_id = r.id AND w.whole) AS records,
       (SELECT json_object_agg(d.key, d.answer)
          FROM decisions d WHERE d.run_id = r.id AND (w.whole OR d.key = w.decision)) AS decisions
  FROM jsonb_to_recordset(%(wanted)s::jsonb)
           AS w(run text, whole boolean, steps text[], decision text, spec boolean)
  JOIN runs r ON r.id = w.run
 WHERE r.id = ANY(%(runs)s)
"""


def lock_with_journals(
    connection: Connection, wanted: Sequence[Wanted], *, wait: bool = True
) -> list[Loaded]:
    """Lock runs' rows as `lock_runs` does, then load what is wanted of them; one round trip.

    Two statements, because one sees nothing of what was committed while it waited for the lock.
    """
    locked = lock_runs(connection, [each.run for each in wanted], wait=wait)
    answer = _ask(connection, wanted)
    runs = {run.id: run for run in locked}
    rows = {row.id: row for row in answer}
    return [
        Loaded(runs[name], _journal(rows[name]), rows[name].spec)
        for name in (each.run for each in wanted)
        if name in runs
    ]


def load_journals(connection: Connection, runs: Sequence[str]) -> dict[str, StoredJournal]:
    """Everything recorded of runs, by run; steps are in the order in which they were scheduled. One statement."""
    answer = _ask(connection, [Wanted(run) for run in runs])
    return {row.id: _journal(row) for row in answer}


def load_journal(connection: Connection, run: str) -> StoredJournal:
    """Everything recorded of a run, which there must be."""
    return load_journals(connection, [run])[run]


def _ask(connection: Connection, wanted: Sequence[Wanted]) -> Cursor:
    runs = [each.run for each in wanted]
    text = to_json([each.__dict__ for each in wanted]).decode()
    return connection.execute(_LOAD, {"runs": runs, "wanted": text})


def _journal(row: Any) -> StoredJournal:
    return StoredJournal(
        steps=tuple(JournalRow(*values) for values in row.steps or ()),
        records=tuple(StoredRecord(*values) for values in row.records or ()),
        decisions=row.decisions or {},
    )
