"""Tokens that see the runs of some projects only.

Revision: 0023, after 0022.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("projects", ARRAY(sa.Text()), nullable=True))


def downgrade() -> None:
    op.drop_column("api_tokens", "projects")
