"""Schedules and their firings.

Revision: 0013, after 0012.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

MOMENT = sa.TIMESTAMP(timezone=True)


def upgrade() -> None:
    op.create_table(
        "schedules",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("cron", sa.Text(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("command", JSONB(), nullable=False),
        sa.Column("directory", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("jitter_s", sa.Double(), nullable=False),
        sa.Column("missed", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=True),
        sa.Column("next_at", MOMENT, nullable=True),
        sa.Column("created_at", MOMENT, server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_schedules")),
    )
    op.create_table(
        "firings",
        sa.Column("schedule", sa.Text(), nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("token", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("claimed_until", MOMENT, nullable=True),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["schedule"],
            ["schedules.name"],
            name=op.f("fk_firings_schedule_schedules"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("schedule", "due_at", name=op.f("pk_firings")),
    )
    op.create_index(
        "ix_firings_due", "firings", ["due_at"], postgresql_where=sa.text("state = 'due'")
    )


def downgrade() -> None:
    op.drop_table("firings")
    op.drop_table("schedules")
