"""What operators count, kept beyond the runs that it was counted in.

Revision: 0020, after 0019.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

FOLLOWED = (("runs", "finished_at"), ("steps", "finished_at"), ("decisions", "answered_at"))


def upgrade() -> None:
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("labels", ARRAY(sa.Text()), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", "labels", name=op.f("pk_counters")),
    )
    op.create_table(
        "followed",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("upto", sa.TIMESTAMP(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_followed")),
    )
    # Counters begin with the upgrade: nobody reads years of runs in a statement that others wait for.
    op.execute("INSERT INTO followed (name, upto) VALUES ('counters', now())")
    for table, column in FOLLOWED:
        op.create_index(f"ix_{table}_ended", table, [column], postgresql_using="brin")


def downgrade() -> None:
    for table, _ in FOLLOWED:
        op.drop_index(f"ix_{table}_ended", table)
    op.drop_table("followed")
    op.drop_table("counters")
