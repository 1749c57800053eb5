"""Turns that a worker has given back: what they wait for, and until when. Those of people are in `waiting_turns.py`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from shared.store.database import Connection
from shared.store.projects import seen, seen_projects
from shared.store.requests import REQUEST


@dataclass(frozen=True)
class HeldTurns:
    """The turns of a participant that wait: in how many runs, what a worker noted last, when the next try is."""

    participant: str
    turns: int
    runs: int
    why: str
    again_at: datetime


def held_turns(connection: Connection) -> list[HeldTurns]:
    """By participant, those that are tried again first on top."""
    rows = connection.execute(
        f"""
        SELECT s.participant, count(*)::int AS turns, count(DISTINCT s.run_id)::int AS runs,
               (array_agg(s.note ORDER BY s.held_back_at DESC))[1] AS why, min(s.not_before) AS again_at
          FROM steps s JOIN runs r ON r.id = s.run_id AND r.status = 'running'
         WHERE s.kind = 'turn' AND s.finished_at IS NULL AND s.status = 'pending' AND s.not_before > now()
           AND s.note <> '' AND {seen(connection, "s.run_id")}
           AND {REQUEST.format(step="s")}->'participant'->>'provider' IS DISTINCT FROM 'person'
         GROUP BY s.participant ORDER BY again_at, s.participant
        """,
        seen_projects(connection),
    ).fetchall()
    return [HeldTurns(*row) for row in rows]
