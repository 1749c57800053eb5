"""Facts of any kind that workflows write; what were assessments is one kind of them.

Revision: 0003, after 0002.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

# A fork's first advance judged all copied rounds at one moment: round/2 comes before round/10, the ending last.
_FORTH = """
INSERT INTO records (run_id, key, kind, position, body, at)
SELECT run_id, key, 'assessment',
       row_number() OVER (PARTITION BY run_id ORDER BY at, key = 'ending', length(key), key) - 1, body, at
  FROM assessments
"""
# What the older version cannot read (other kinds) has no place there.
_BACK = """
INSERT INTO assessments (run_id, key, round, detector, agreement_ratio, avg_stability, overall_score, recommendation,
                         ending, body, at)
SELECT run_id, key, (a->>'round')::int, m->>'detector', (m->>'agreement_ratio')::float8,
       (m->>'avg_stability')::float8, (m->>'overall_score')::float8, m->>'recommendation', a->>'ending', body, at
  FROM (SELECT r.*, body->'assessment' AS a, body->'assessment'->'metrics' AS m
          FROM records r WHERE kind = 'assessment') stored
"""


def _run_id(table: str) -> tuple[sa.Column[str], sa.ForeignKeyConstraint]:
    foreign = sa.ForeignKeyConstraint(
        ["run_id"], ["runs.id"], name=op.f(f"fk_{table}_runs"), ondelete="CASCADE"
    )
    return sa.Column("run_id", sa.Text(), nullable=False), foreign


def _at() -> sa.Column[object]:
    now = sa.text("now()")
    return sa.Column("at", sa.TIMESTAMP(timezone=True), server_default=now, nullable=False)


def upgrade() -> None:
    op.create_table(
        "records",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("body", JSONB(), nullable=False),
        _at(),
        *_run_id("records"),
        sa.PrimaryKeyConstraint("run_id", "key", name=op.f("pk_records")),
    )
    op.execute(_FORTH)
    op.drop_table("assessments")


def downgrade() -> None:
    op.create_table(
        "assessments",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("detector", sa.Text(), nullable=False),
        sa.Column("agreement_ratio", sa.Double(), nullable=False),
        sa.Column("avg_stability", sa.Double(), nullable=True),
        sa.Column("overall_score", sa.Double(), nullable=False),
        sa.Column("recommendation", sa.Text(), nullable=False),
        sa.Column("ending", sa.Text(), nullable=True),
        sa.Column("body", JSONB(), nullable=False),
        _at(),
        *_run_id("assessments"),
        sa.PrimaryKeyConstraint("run_id", "key", name=op.f("pk_assessments")),
    )
    op.execute(_BACK)
    op.drop_table("records")
