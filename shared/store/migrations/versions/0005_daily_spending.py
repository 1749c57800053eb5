"""Sums of what was spent by day, and the newest runs of each status by an index.

The sums begin empty: sweepers sum up what there is, and what is not summed up yet is read from `usage`.

Revision: 0005, after 0004.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_LIVE = "status IN ('running', 'waiting')"


def upgrade() -> None:
    op.create_table(
        "daily_spending",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("participant", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.Double(), nullable=True),
        sa.Column("unknown_costs", sa.BigInteger(), nullable=False),
        sa.Column("unknown_tokens", sa.BigInteger(), nullable=False),
        sa.Column("charged_usd", sa.Double(), nullable=False),
        sa.Column("upto", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint(
            "day", "participant", "provider", "model", name=op.f("pk_daily_spending")
        ),
    )
    op.create_index("ix_daily_spending_upto", "daily_spending", ["upto"])
    op.drop_index("ix_runs_created_at", table_name="runs")
    op.create_index(
        "ix_runs_created_at",
        "runs",
        [sa.literal_column("created_at DESC")],
        postgresql_where=sa.text("parent_run IS NULL"),
    )
    op.create_index("ix_runs_status", "runs", ["status", sa.literal_column("created_at DESC")])
    op.drop_index("ix_runs_live", table_name="runs")


def downgrade() -> None:
    op.create_index("ix_runs_live", "runs", ["id"], postgresql_where=sa.text(_LIVE))
    op.drop_index("ix_runs_status", table_name="runs")
    op.drop_index("ix_runs_created_at", table_name="runs")
    op.create_index("ix_runs_created_at", "runs", [sa.literal_column("created_at DESC")])
    op.drop_table("daily_spending")
