"""Runs that nobody waits for are queued, and admitted in turn.

Revision: 0007, after 0006.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("batch", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("admitted_at", sa.TIMESTAMP(timezone=True), nullable=True))
    op.add_column("processes", sa.Column("slots", sa.Integer(), server_default="0", nullable=False))
    op.create_index(
        "ix_runs_queued",
        "runs",
        ["batch", "created_at", "id"],
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "ix_runs_under_way",
        "runs",
        ["batch"],
        postgresql_where=sa.text("status = 'running' AND batch IS NOT NULL"),
    )


def downgrade() -> None:
    # What is queued begins at once, as it did before there were queues.
    op.execute(
        "UPDATE runs SET status = 'running', deadline_at = deadline_at + (now() - created_at) WHERE status = 'queued'"
    )
    for name in ("ix_runs_queued", "ix_runs_under_way"):
        op.drop_index(name, table_name="runs")
    op.drop_column("processes", "slots")
    for column in ("batch", "admitted_at"):
        op.drop_column("runs", column)
