"""Batches and their items.

Revision: 0012, after 0011.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def _moment(name: str, *, now: bool = False) -> sa.Column[object]:
    default = sa.text("now()") if now else None
    return sa.Column(name, sa.TIMESTAMP(timezone=True), nullable=not now, server_default=default)


def upgrade() -> None:
    op.create_table(
        "batches",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("max_usd", sa.Double()),
        sa.Column("max_running", sa.Integer()),
        sa.Column("paused", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("settled_usd", sa.Double(), server_default="0", nullable=False),
        _moment("exhausted_at"),
        _moment("created_at", now=True),
        _moment("opened_at"),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_batches")),
    )
    op.create_table(
        "batch_items",
        sa.Column("batch", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("custom_id", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("earlier", ARRAY(sa.Text()), server_default="{}", nullable=False),
        sa.Column("body", JSONB(), nullable=False),
        sa.Column("unsettled", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["batch"],
            ["batches.name"],
            name=op.f("fk_batch_items_batch_batches"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_batch_items_run_id_runs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("batch", "position", name=op.f("pk_batch_items")),
    )
    op.create_index("uq_batch_items_custom_id", "batch_items", ["batch", "custom_id"], unique=True)
    op.create_index("ix_batch_items_run_id", "batch_items", ["run_id"])
    op.create_index(
        "ix_batch_items_unsettled", "batch_items", ["batch"], postgresql_where=sa.text("unsettled")
    )


def downgrade() -> None:
    op.drop_table("batch_items")
    op.drop_table("batches")
