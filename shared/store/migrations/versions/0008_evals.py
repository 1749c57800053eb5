"""Evaluations by name; what people decided, the newest first.

Revision: 0008, after 0007.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "evals",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("body", JSONB(), nullable=False),
        sa.Column(
            "created_at",
            sa.TIMESTAMP(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_evals")),
    )
    op.create_index(
        "ix_decisions_answered",
        "decisions",
        [sa.text("answered_at DESC")],
        postgresql_where=sa.text("state = 'answered'"),
    )


def downgrade() -> None:
    op.drop_index("ix_decisions_answered", table_name="decisions")
    op.drop_table("evals")
