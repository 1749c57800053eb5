"""Passages of documents, searched by full text.

Revision: 0010, after 0009.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "passages",
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.Column("terms", TSVECTOR(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document"],
            ["documents.sha256"],
            name=op.f("fk_passages_document_documents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document", "version", "number", name=op.f("pk_passages")),
    )
    op.create_index("ix_passages_terms", "passages", ["terms"], postgresql_using="gin")


def downgrade() -> None:
    op.drop_index("ix_passages_terms", table_name="passages")
    op.drop_table("passages")
