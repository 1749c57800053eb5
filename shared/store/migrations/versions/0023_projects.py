"""Projects of runs, and tokens that see some of them only.

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

_LABEL = "(spec -> 'labels'::text) ->> '{}'::text"
_PROJECT = f"COALESCE({_LABEL.format('project')}, {_LABEL.format('repository')}, ''::text)"


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("projects", ARRAY(sa.Text()), nullable=True))
    op.create_index("ix_specs_project", "specs", [sa.text(_PROJECT)])


def downgrade() -> None:
    op.drop_index("ix_specs_project", "specs")
    op.drop_column("api_tokens", "projects")
