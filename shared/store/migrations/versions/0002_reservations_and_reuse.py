"""Reservations of a budget, and answers found by the prompt that they answer.

Revision: 0002, after 0001.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "reservations",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Text(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("usd", sa.Double(), nullable=True),
        sa.Column(
            "at", sa.TIMESTAMP(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_reservations_runs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "step", "attempt", name=op.f("pk_reservations")),
    )
    op.create_index(
        "ix_usage_request_sha",
        "usage",
        ["request_sha", "id"],
        unique=False,
        postgresql_where=sa.text("response IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index(
        "ix_usage_request_sha",
        table_name="usage",
        postgresql_where=sa.text("response IS NOT NULL"),
    )
    op.drop_table("reservations")
