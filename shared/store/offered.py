"""What was offered to people for fixing, by whom it was raised, and whether they took it: the newest decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shared.store.database import Connection
from shared.store.projects import seen, seen_projects

NEWEST = 200
"""So many decisions are looked at: what people think of a model now says more than what they thought of it once."""
NOBODY = ("deadline", "policy")
"""Channels through which no person answers."""


@dataclass(frozen=True)
class OfferedRow:
    """Findings of one kind that a participant raised and a decision offered; its answer means `picked` of them."""

    name: str
    provider: str
    model: str | None
    severity: str
    category: str
    offered: int
    picked: int


@dataclass(frozen=True)
class DecidedOffer:
    """What a decision offered, and the choice that was made."""

    choice: str
    rows: Sequence[OfferedRow]


# A decision's question and its run's specification are large, and every submission wants to know what came of the
# newest decisions: so the few numbers that count are written down once, with the answer.
_NOTE = """
UPDATE decisions d SET offered = (
  SELECT coalesce(jsonb_agg(to_jsonb(c)), '[]') FROM (
    SELECT p->>'name' AS name, p->>'provider' AS provider, p->>'model' AS model,
           f->>'severity' AS severity, coalesce(f->>'category', '') AS category, count(*) AS offered,
           count(*) FILTER (WHERE coalesce(a.only, 'null') = 'null'::jsonb OR a.only ? (f->>'id')) AS picked
      FROM (SELECT d.answer->'only' AS only, d.question->'selectable' AS selectable,
                   d.question #> '{shown,findings}' AS findings, s.spec #> '{panel,critics}' AS critics
              FROM specs s WHERE s.run_id = d.run_id OFFSET 0) a
     CROSS JOIN LATERAL jsonb_array_elements(
           CASE WHEN jsonb_typeof(a.findings) = 'array' AND jsonb_typeof(a.selectable) = 'array'
                THEN a.findings ELSE '[]' END) f
     CROSS JOIN LATERAL jsonb_array_elements(a.critics) p
     WHERE a.selectable ? (f->>'id') AND f->'raised_by' ? (p->>'name')
     GROUP BY 1, 2, 3, 4, 5) c)
 WHERE d.run_id = %s AND d.key = %s
"""


def note_offered(connection: Connection, run: str, key: str) -> None:
    """Keep with a decision that a person has answered what it offered, and what of it the answer means."""
    connection.execute(_NOTE, (run, key))


def decided_offers(connection: Connection) -> list[DecidedOffer]:
    """The newest decisions, as far as people answered them; read by their index, without any large column."""
    rows = connection.execute(
        "SELECT choice, offered FROM (SELECT answer->>'choice' AS choice, offered FROM decisions d "
        f"WHERE state = 'answered' AND {seen(connection, 'd.run_id')} ORDER BY answered_at DESC LIMIT %(most)s) newest "
        "WHERE offered IS NOT NULL",
        {"most": NEWEST, **seen_projects(connection)},
    ).fetchall()
    return [DecidedOffer(row.choice, [OfferedRow(**each) for each in row.offered]) for row in rows]
