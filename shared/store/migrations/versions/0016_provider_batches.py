"""Calls through the batch APIs of providers.

Revision: 0016, after 0015.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

MOMENT = sa.TIMESTAMP(timezone=True)


def upgrade() -> None:
    op.create_table(
        "batched_calls",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("step", sa.Text(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("participant", JSONB(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("request_sha", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("batch", sa.Text(), nullable=True),
        sa.Column("failure", JSONB(), nullable=True),
        sa.Column("created_at", MOMENT, server_default=sa.text("now()"), nullable=False),
        sa.Column("released_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_batched_calls_runs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batched_calls")),
    )
    op.create_index("ix_batched_calls_run_id", "batched_calls", ["run_id", "step"])
    op.create_index("ix_batched_calls_batch", "batched_calls", ["batch"])
    op.create_index(
        "ix_batched_calls_queued",
        "batched_calls",
        ["lane", "created_at"],
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "ix_batched_calls_open",
        "batched_calls",
        ["run_id"],
        postgresql_where=sa.text("released_at IS NULL"),
    )
    op.create_table(
        "provider_batches",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("participant", JSONB(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("remote", sa.Text(), nullable=True),
        sa.Column("refusals", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cancelled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", MOMENT, server_default=sa.text("now()"), nullable=False),
        sa.Column("due_at", MOMENT, server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_provider_batches")),
    )
    op.create_index(
        "ix_provider_batches_due",
        "provider_batches",
        ["due_at"],
        postgresql_where=sa.text("status <> 'ended'"),
    )
    op.create_index(
        "uq_provider_batches_remote", "provider_batches", ["lane", "remote"], unique=True
    )


def downgrade() -> None:
    op.drop_table("provider_batches")
    op.drop_table("batched_calls")
