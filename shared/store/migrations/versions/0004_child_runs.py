"""Runs that other runs start and wait for.

Revision: 0004, after 0003.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_INDEXES = {
    "ix_runs_parent_run": ("parent_run", "parent_run IS NOT NULL"),
    "ix_runs_root_run": ("root_run", "root_run IS NOT NULL"),
    "ix_runs_children": (
        "id",
        "parent_run IS NOT NULL AND status IN ('running', 'waiting', 'blocked')",
    ),
}


def upgrade() -> None:
    op.add_column("runs", sa.Column("parent_run", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("parent_step", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("root_run", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("depth", sa.Integer(), server_default="0", nullable=False))
    op.create_foreign_key(
        op.f("fk_runs_runs"), "runs", "runs", ["parent_run"], ["id"], ondelete="CASCADE"
    )
    for name, (column, condition) in _INDEXES.items():
        op.create_index(name, "runs", [column], postgresql_where=sa.text(condition))


def downgrade() -> None:
    for name in _INDEXES:
        op.drop_index(name, table_name="runs")
    op.drop_constraint(op.f("fk_runs_runs"), "runs", type_="foreignkey")
    for column in ("parent_run", "parent_step", "root_run", "depth"):
        op.drop_column("runs", column)
