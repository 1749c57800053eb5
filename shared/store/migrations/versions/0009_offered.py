"""What a decision offered is kept in a few numbers beside its answer.

Revision: 0009, after 0008.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

# Older decisions are never looked at again.
_NEWEST = """
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
 WHERE (d.run_id, d.key) IN (
   SELECT run_id, key FROM decisions WHERE state = 'answered' ORDER BY answered_at DESC LIMIT 200)
   AND d.answer->>'channel' NOT IN ('deadline', 'policy')
"""


def upgrade() -> None:
    op.add_column("decisions", sa.Column("offered", JSONB(), nullable=True))
    op.execute(_NEWEST)


def downgrade() -> None:
    op.drop_column("decisions", "offered")
