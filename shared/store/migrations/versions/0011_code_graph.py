"""Facts of files of code, and the graphs of trees.

Revision: 0011, after 0010.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "code_facts",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("facts", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_code_facts")),
    )
    op.create_table(
        "code_graphs",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document"],
            ["documents.sha256"],
            name=op.f("fk_code_graphs_document_documents"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_code_graphs")),
    )


def downgrade() -> None:
    op.drop_table("code_graphs")
    op.drop_table("code_facts")
