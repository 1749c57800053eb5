"""The turns that wait for a person, as lists show them; `people.py` answers them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shared.store.database import Connection
from shared.store.projects import seen, seen_projects
from shared.store.requests import REQUEST
from shared.store.run_filter import label_of


@dataclass(frozen=True)
class WaitingTurn:
    """A person's turn. `answers` is how many unusable answers it has had, `answer_by` the turn's own deadline."""

    run_id: str
    step: str
    participant: str
    role: str
    round: int
    reply_model: str
    asked_at: datetime
    deadline_at: datetime | None
    title: str
    token: int
    answers: int
    answer_by: datetime | None
    workflow: str
    batch: str | None
    repository: str | None


_SELECT = f"""
SELECT s.run_id, s.key AS step, s.participant, s.role, s.round, q.request->>'reply_model' AS reply_model,
       s.created_at AS asked_at, coalesce(r.deadline_at, o.deadline_at) AS deadline_at, r.title, s.token,
       (SELECT count(*) FROM usage u WHERE u.run_id = s.run_id AND u.step = s.key)::int AS answers,
       s.created_at + make_interval(
           secs => (q.request->'participant'->'options'->>'answer_within_s')::float8) AS answer_by,
       r.workflow, r.batch, {label_of("s.run_id", "repository")} AS repository
  FROM steps s JOIN runs r ON r.id = s.run_id LEFT JOIN runs o ON o.id = r.root_run
 CROSS JOIN LATERAL (SELECT {REQUEST.format(step="s")} AS request) q
 WHERE s.kind = 'turn' AND s.finished_at IS NULL AND s.status = 'pending' AND s.token > 0 AND s.not_before IS NOT NULL
   AND r.status = 'running'
   AND q.request->'participant'->>'provider' = 'person'
"""


def waiting_turns(
    connection: Connection,
    *,
    run: str | None = None,
    repository: str | None = None,
    batch: str | None = None,
    workflow: str | None = None,
) -> list[WaitingTurn]:
    """The turns that wait for a person, the oldest first."""
    wanted = {
        "s.run_id = %(run)s": run is not None,
        f"{label_of('s.run_id', 'repository')} = %(repository)s": repository is not None,
        "r.batch = %(batch)s": batch is not None,
        "r.workflow = %(workflow)s": workflow is not None,
        seen(connection, "s.run_id"): True,
    }
    more = "".join(f" AND {condition}" for condition, applies in wanted.items() if applies)
    rows = connection.execute(
        f"{_SELECT}{more} ORDER BY s.created_at, s.key",
        {
            "run": run,
            "repository": repository,
            "batch": batch,
            "workflow": workflow,
            **seen_projects(connection),
        },
    ).fetchall()
    return [WaitingTurn(**row._asdict()) for row in rows]
