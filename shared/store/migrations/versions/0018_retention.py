"""What is purged, held and imported, and when facts of code were stored.

Revision: 0018, after 0017.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

MOMENT = sa.TIMESTAMP(timezone=True)
NOW = sa.text("now()")


def upgrade() -> None:
    op.create_table(
        "holds",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("batch", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("created_at", MOMENT, server_default=NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_holds_run_id_runs"), ondelete="RESTRICT"
        ),
        sa.CheckConstraint("(run_id IS NULL) <> (batch IS NULL)", name="ck_holds_one"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_holds")),
    )
    op.create_index("uq_holds_run_id", "holds", ["run_id"], unique=True)
    op.create_index("uq_holds_batch", "holds", ["batch"], unique=True)
    op.create_table(
        "purges",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("rules", JSONB(), nullable=False),
        sa.Column("began_at", MOMENT, server_default=NOW, nullable=False),
        sa.Column("seen_at", MOMENT, server_default=NOW, nullable=False),
        sa.Column("ended_at", MOMENT, nullable=True),
        sa.Column("runs", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("batches", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("documents", sa.BigInteger(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_purges")),
    )
    op.create_table(
        "document_uses",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_document_uses_run_id_runs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "sha256", name=op.f("pk_document_uses")),
    )
    op.create_index("ix_document_uses_sha256", "document_uses", ["sha256"])
    op.create_table(
        "imports",
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("redacted", sa.Boolean(), nullable=False),
        sa.Column("exported_at", MOMENT, nullable=False),
        sa.Column("at", MOMENT, server_default=NOW, nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_imports_run_id_runs"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_imports")),
    )
    op.add_column("code_facts", sa.Column("created_at", MOMENT, server_default=NOW, nullable=False))


def downgrade() -> None:
    op.drop_column("code_facts", "created_at")
    op.drop_table("imports")
    op.drop_table("document_uses")
    op.drop_table("purges")
    op.drop_table("holds")
