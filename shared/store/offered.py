"""What was offered to people for fixing, by whom it was raised, and whether they accepted it: the newest decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.store.database import Connection

NEWEST = 200
"""So many decisions are looked at: what people think of a model now says more than what they thought of it once."""
NOBODY = ("deadline", "policy")
"""Channels through which no person answers."""


@dataclass(frozen=True)
class OfferedRow:
    """Findings of a participant that were offered; `severity` None: the sum, with the number of its decisions."""

    name: str
    provider: str
    model: str | None
    severity: str | None
    category: str | None
    accepted: bool | None
    findings: int
    decisions: int


# The newest are read by their index alone, before anything is asked of their large columns; each of those is read once.
# `only` is null where everything that was offered is meant.
_OFFERED = """
WITH newest AS MATERIALIZED (
    SELECT run_id, key, answer, question FROM decisions
     WHERE state = 'answered' ORDER BY answered_at DESC LIMIT %(newest)s
), answered AS MATERIALIZED (
    SELECT n.run_id, n.key, n.answer->>'choice' = ANY(%(writes)s) AS applied, n.answer->'only' AS picked,
           n.question->'selectable' AS selectable, n.question->'shown'->'findings' AS findings,
           (SELECT s.spec->'panel'->'critics' FROM specs s WHERE s.run_id = n.run_id) AS critics
      FROM newest n WHERE n.answer->>'channel' <> ALL(%(nobody)s)
), offered AS MATERIALIZED (
    SELECT a.run_id, a.key, a.critics, f->>'severity' AS severity, f->>'category' AS category,
           f->'raised_by' AS raised_by,
           a.applied AND (coalesce(a.picked, 'null') = 'null'::jsonb OR a.picked ? (f->>'id')) AS accepted
      FROM answered a CROSS JOIN LATERAL jsonb_array_elements(
           CASE WHEN jsonb_typeof(a.findings) = 'array' AND jsonb_typeof(a.selectable) = 'array'
                THEN a.findings ELSE '[]' END) f
     WHERE a.selectable ? (f->>'id')
)
SELECT p->>'name' AS name, p->>'provider' AS provider, p->>'model' AS model, o.severity, o.category, o.accepted,
       count(*)::int AS findings, count(DISTINCT (o.run_id, o.key))::int AS decisions
  FROM offered o CROSS JOIN LATERAL jsonb_array_elements(o.critics) p
 WHERE o.raised_by ? (p->>'name')
 GROUP BY GROUPING SETS ((1, 2, 3, o.severity, o.category, o.accepted), (1, 2, 3))
 ORDER BY 1, 2, 3, 4 NULLS FIRST, 5, 6
"""


def offered_findings(connection: Connection, writes: Sequence[str]) -> list[OfferedRow]:
    """What the newest decisions of people offered, by participant; `writes` are the answers that apply a fix."""
    rows = connection.execute(
        _OFFERED, {"nobody": list(NOBODY), "newest": NEWEST, "writes": list(writes)}
    ).fetchall()
    return [OfferedRow(*row) for row in rows]
