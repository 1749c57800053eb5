"""Projects of batches and schedules: those that exist get what the runs say that they have started.

Revision: 0024, after 0023.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_LABEL = "(spec -> 'labels'::text) ->> '{}'::text"
_PROJECT = f"COALESCE({_LABEL.format('project')}, {_LABEL.format('repository')}, ''::text)"

_OF_BATCHES = f"""
UPDATE batches b SET projects = found.projects
  FROM (SELECT i.batch, array_agg(DISTINCT {_PROJECT} ORDER BY {_PROJECT}) AS projects
          FROM batch_items i JOIN specs s ON s.run_id = i.run_id GROUP BY i.batch) found
 WHERE found.batch = b.name
"""
_OF_SCHEDULES = f"""
UPDATE schedules c SET project = nullif(found.project, '')
  FROM (SELECT DISTINCT ON (f.schedule) f.schedule, {_PROJECT} AS project
          FROM firings f JOIN specs s ON s.run_id = f.run_id ORDER BY f.schedule, f.due_at DESC) found
 WHERE found.schedule = c.name
"""


def upgrade() -> None:
    op.add_column(
        "batches", sa.Column("projects", ARRAY(sa.Text()), nullable=False, server_default="{}")
    )
    op.add_column("schedules", sa.Column("project", sa.Text(), nullable=True))
    op.execute(_OF_BATCHES)
    op.execute(_OF_SCHEDULES)


def downgrade() -> None:
    op.drop_column("schedules", "project")
    op.drop_column("batches", "projects")
