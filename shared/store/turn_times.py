"""How long the turns of participants take, and how many fail, over the newest runs."""

from __future__ import annotations

from dataclasses import dataclass

from shared.store.database import Connection
from shared.store.projects import seen, seen_projects

NEWEST_RUNS = 500
"""So many runs are looked at, however many there are: what a participant did lately says how it is now."""

_TIMES = """
WITH newest AS (
    SELECT id FROM runs WHERE parent_run IS NULL AND created_at >= now() - make_interval(secs => %(since_s)s)
       AND {seen} ORDER BY created_at DESC LIMIT %(runs)s
)
SELECT s.participant, count(*) FILTER (WHERE s.status = 'done') AS answered,
       count(*) FILTER (WHERE s.status = 'failed') AS failed,
       percentile_cont(ARRAY[0.5, 0.9, 0.99]) WITHIN GROUP (
           ORDER BY extract(epoch FROM s.finished_at - s.leased_at)::float)
           FILTER (WHERE s.status = 'done' AND s.leased_at IS NOT NULL) AS seconds,
       count(DISTINCT s.run_id) AS runs
  FROM newest n JOIN steps s ON s.run_id = n.id
 WHERE s.kind = 'turn' AND s.finished_at IS NOT NULL AND NOT starts_with(s.note, 'copied from ')
 GROUP BY s.participant ORDER BY s.participant
"""


@dataclass(frozen=True)
class TurnTimes:
    """A participant's turns: how many were answered and failed, in how many runs, and how long answers took.

    Seconds are the median, the 90th and the 99th percentile; None where nothing was answered.
    """

    participant: str
    answered: int
    failed: int
    runs: int
    p50_s: float | None
    p90_s: float | None
    p99_s: float | None

    @property
    def failing(self) -> float:
        """The share of turns that failed."""
        return self.failed / max(self.answered + self.failed, 1)


def turn_times(connection: Connection, since_s: float) -> list[TurnTimes]:
    """The turns of the newest runs of the last `since_s` seconds, by participant. Copies of forks took no time."""
    rows = connection.execute(
        _TIMES.format(seen=seen(connection, "runs.id")),
        {"since_s": since_s, "runs": NEWEST_RUNS, **seen_projects(connection)},
    ).fetchall()
    return [
        TurnTimes(
            row.participant,
            row.answered,
            row.failed,
            row.runs,
            *(row.seconds or (None, None, None)),
        )
        for row in rows
    ]
