"""Vectors of passages; with pgvector, where the server has it, they are compared in Postgres.

Revision: 0021, after 0020.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, REAL

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

# Without the right to it everything works, and is compared by the worker.
_EXTENSION = """
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
        CREATE EXTENSION IF NOT EXISTS vector;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN NULL;
END $$
"""


def upgrade() -> None:
    op.create_table(
        "passage_vectors",
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.Column("vector", ARRAY(REAL()), nullable=False),
        sa.ForeignKeyConstraint(
            ["document"],
            ["documents.sha256"],
            name=op.f("fk_passage_vectors_document_documents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint(
            "document", "space", "start", "stop", name=op.f("pk_passage_vectors")
        ),
    )
    op.execute(_EXTENSION)


def downgrade() -> None:
    op.drop_table("passage_vectors")
