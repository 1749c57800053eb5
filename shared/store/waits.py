"""What waits without a task: decisions, turns of people, and steps whose child run goes on.

For those who show it, such as Flower: the newest of them, and how those ended that were seen before. Nothing here
writes, and nothing here is a text: who is asked, and the declared words for what.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from shared.patterns import regex
from shared.store.database import Connection
from shared.store.requests import REQUEST

_WORD = regex(r"[A-Za-z][A-Za-z0-9_-]{0,47}")
"""What a workflow declares: kinds and answers of decisions, verdicts. What is no single word is not shown."""


class WaitKind(StrEnum):
    """Whom a run waits for."""

    DECISION = "decision"
    PERSON = "person"
    CHILD = "child"


@dataclass(frozen=True)
class WaitKey:
    """Which wait: of a step or a decision of a run. A person who is asked again for a usable answer waits anew."""

    kind: WaitKind
    run: str
    step: str
    answers: int = 0


@dataclass(frozen=True)
class Wait:
    """What a run waits for since `since`.

    `asked` is a participant or a child run, empty where anyone may decide; `purpose` a kind of decision, a role or the
    child's workflow, and `options` are the answers that are offered.
    """

    key: WaitKey
    asked: str
    purpose: str
    options: tuple[str, ...]
    round: int
    workflow: str
    root_task: str
    since: datetime
    until: datetime | None


@dataclass(frozen=True)
class Waits:
    """The newest waits, the newest first, and how many there are in all."""

    newest: tuple[Wait, ...]
    total: int


class WaitState(StrEnum):
    """Where a wait stands that was seen before."""

    OPEN = "open"
    ANSWERED = "answered"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class WaitLater:
    """What became of a wait, when, and the one word for it: the answer, the child's verdict, the kind of failure."""

    key: WaitKey
    state: WaitState
    word: str
    at: datetime


# As `shared.store.people` has it, a person's turn is a pending step that a worker has given back. All open steps are
# read once; Postgres has an index of them, and of open decisions.
_NEWEST = f"""
WITH open_steps AS MATERIALIZED (
    SELECT CASE s.kind WHEN 'run' THEN 'child' ELSE 'person' END AS kind, s.run_id, s.key,
           CASE s.kind WHEN 'run' THEN 0 ELSE u.answers END AS answers,
           coalesce(c.id, s.participant) AS asked, coalesce(c.workflow, s.role) AS purpose, s.round,
           r.workflow, r.root_task, greatest(s.created_at, u.last_at) AS since,
           s.created_at + make_interval(
               secs => (q.request->'participant'->'options'->>'answer_within_s')::float8) AS until
      FROM steps s JOIN runs r ON r.id = s.run_id AND r.status IN ('running', 'waiting')
      LEFT JOIN runs c ON s.kind = 'run' AND c.parent_run = s.run_id AND c.parent_step = s.key
     CROSS JOIN LATERAL (SELECT CASE s.kind WHEN 'turn' THEN {REQUEST.format(step="s")} END AS request) q
     CROSS JOIN LATERAL (SELECT count(*)::int AS answers, max(at) AS last_at FROM usage u
                          WHERE s.kind = 'turn' AND u.run_id = s.run_id AND u.step = s.key) u
     WHERE s.finished_at IS NULL AND s.status = 'pending'
       AND (c.id IS NOT NULL OR s.kind = 'turn' AND s.token > 0 AND s.not_before IS NOT NULL
            AND q.request->'participant'->>'provider' = 'person')
), newest AS MATERIALIZED (
    SELECT d.run_id, d.key FROM decisions d WHERE d.state = 'open'
     ORDER BY d.opened_at DESC, d.run_id, d.key LIMIT %(limit)s
)
SELECT w.*, (SELECT count(*) FROM decisions WHERE state = 'open') + (SELECT count(*) FROM open_steps) AS total
  FROM (SELECT kind, run_id, key, answers, asked, purpose, '[]'::jsonb AS options, round, workflow, root_task, since,
               until FROM open_steps
        UNION ALL
        SELECT 'decision', d.run_id, d.key, 0, '', d.kind, d.question->'options', 0, r.workflow, r.root_task,
               d.opened_at, d.deadline_at
          FROM newest n JOIN decisions d ON d.run_id = n.run_id AND d.key = n.key JOIN runs r ON r.id = d.run_id) w
 ORDER BY w.since DESC, w.run_id, w.key LIMIT %(limit)s
"""


def newest_waits(connection: Connection, limit: int) -> Waits:
    """What waits now, at most the `limit` newest."""
    rows = connection.execute(_NEWEST, {"limit": limit}).fetchall()
    newest = [
        Wait(
            WaitKey(WaitKind(row.kind), row.run_id, row.key, row.answers),
            asked=row.asked,
            purpose=row.purpose if row.kind != WaitKind.DECISION else _declared(row.purpose),
            options=tuple(filter(None, map(_declared, row.options))),
            round=row.round,
            workflow=row.workflow,
            root_task=row.root_task,
            since=row.since,
            until=row.until,
        )
        for row in rows
    ]
    return Waits(tuple(newest), rows[0].total if rows else 0)


_GIVEN = """unnest(%(kinds)s::text[], %(runs)s::text[], %(steps)s::text[], %(answers)s::int[])
       AS w(kind, run, step, answers)"""

# An answer counts from the moment it is stored; a step that a worker looks at in between has not ended.
_LATER = f"""
SELECT w.*, CASE d.state WHEN 'expired' THEN 'answered' ELSE d.state END AS state, d.answer->>'choice' AS word,
       coalesce(d.answered_at, now()) AS at
  FROM {_GIVEN} JOIN decisions d ON w.kind = 'decision' AND d.run_id = w.run AND d.key = w.step
UNION ALL
SELECT w.*, CASE WHEN a.at IS NOT NULL THEN 'answered' WHEN s.status = 'failed' THEN 'failed'
            WHEN s.status = 'cancelled' THEN 'cancelled' WHEN s.finished_at IS NOT NULL THEN 'answered'
            ELSE 'open' END,
       CASE WHEN a.at IS NOT NULL THEN 'answered' ELSE coalesce(s.failure_kind, s.status) END,
       coalesce(a.at, s.finished_at, now())
  FROM {_GIVEN} JOIN steps s ON w.kind = 'person' AND s.run_id = w.run AND s.key = w.step
  JOIN runs r ON r.id = s.run_id AND (r.status = 'running' OR s.finished_at IS NOT NULL)
  LEFT JOIN LATERAL (SELECT u.at FROM usage u WHERE u.run_id = s.run_id AND u.step = s.key
                      ORDER BY u.id OFFSET w.answers LIMIT 1) a ON true
UNION ALL
SELECT w.*, CASE WHEN s.finished_at IS NULL THEN 'open' WHEN s.status = 'cancelled' THEN 'cancelled'
            WHEN c.status = 'completed' THEN 'answered' WHEN c.status = 'cancelled' THEN 'cancelled'
            ELSE 'failed' END,
       CASE WHEN c.status = 'completed' THEN coalesce(c.verdict, c.ending, c.status) ELSE coalesce(c.status, s.status)
            END,
       coalesce(s.finished_at, now())
  FROM {_GIVEN} JOIN steps s ON w.kind = 'child' AND s.run_id = w.run AND s.key = w.step
  JOIN runs r ON r.id = s.run_id AND (r.status IN ('running', 'waiting') OR s.finished_at IS NOT NULL)
  LEFT JOIN runs c ON c.parent_run = s.run_id AND c.parent_step = s.key
"""


def later(connection: Connection, waits: Sequence[WaitKey]) -> list[WaitLater]:
    """What became of these waits; of those whose run is gone, or waits no more without an end, nothing is said."""
    if not waits:
        return []
    given = {
        "kinds": [wait.kind for wait in waits],
        "runs": [wait.run for wait in waits],
        "steps": [wait.step for wait in waits],
        "answers": [wait.answers for wait in waits],
    }
    return [
        WaitLater(
            WaitKey(WaitKind(row.kind), row.run, row.step, row.answers),
            WaitState(row.state),
            _declared(row.word or "") or row.state,
            row.at,
        )
        for row in connection.execute(_LATER, given).fetchall()
    ]


def _declared(word: str) -> str:
    return word if _WORD.fullmatch(word) else ""
