"""Runs are found by their title.

Revision: 9999, after the newest.
"""

from __future__ import annotations

from alembic import op

revision = "9999"
down_revision = "NEWEST"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_runs_by_title", "runs", ["title"])


def downgrade() -> None:
    op.drop_index("ix_runs_by_title", table_name="runs")
