"""Long lists of runs are searched and filtered by indexes; a step remembers when it was first given back.

Revision: 0017, after 0016.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_TITLE_TERMS = "to_tsvector('simple', translate(title, './-_@#~^', '        '))"
_LABELS = ("repository", "batch")


def upgrade() -> None:
    op.add_column("steps", sa.Column("held_back_at", sa.TIMESTAMP(timezone=True)))
    op.create_index("ix_runs_workflow", "runs", ["workflow", sa.text("created_at DESC")])
    op.create_index(
        "ix_runs_verdict",
        "runs",
        ["verdict", sa.text("created_at DESC")],
        postgresql_where=sa.text("verdict IS NOT NULL"),
    )
    op.create_index("ix_runs_title", "runs", [sa.text(_TITLE_TERMS)], postgresql_using="gin")
    for name in _LABELS:
        label = f"((spec -> 'labels'::text) ->> '{name}'::text)"
        op.create_index(
            f"ix_specs_{name}",
            "specs",
            [sa.text(label)],
            postgresql_where=sa.text(f"{label} IS NOT NULL"),
        )


def downgrade() -> None:
    for name in _LABELS:
        op.drop_index(f"ix_specs_{name}", "specs")
    for name in ("title", "verdict", "workflow"):
        op.drop_index(f"ix_runs_{name}", "runs")
    op.drop_column("steps", "held_back_at")
