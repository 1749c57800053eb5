"""The tables of schedules: when runs start by themselves, and what came of each time."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from shared.store.columns import metadata, moment, texts

schedules = sa.Table(
    "schedules",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    *texts("cron", "timezone"),
    sa.Column("command", JSONB, nullable=False),
    *texts("directory"),
    sa.Column("host", sa.Text),
    sa.Column("project", sa.Text),
    sa.Column("jitter_s", sa.Double, nullable=False),
    *texts("missed"),
    sa.Column("paused", sa.Boolean, nullable=False),
    moment("due_at"),
    moment("next_at"),
    moment("created_at", nullable=False, now=True),
)

firings = sa.Table(
    "firings",
    metadata,
    sa.Column(
        "schedule", sa.Text, sa.ForeignKey("schedules.name", ondelete="CASCADE"), nullable=False
    ),
    moment("due_at", nullable=False),
    *texts("state"),
    sa.Column("token", sa.Integer, nullable=False, server_default="0"),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    moment("claimed_until"),
    sa.Column("run_id", sa.Text),
    sa.Column("message", sa.Text),
    moment("ended_at"),
    sa.PrimaryKeyConstraint("schedule", "due_at"),
)
sa.Index("ix_firings_due", firings.c.due_at, postgresql_where=sa.text("state = 'due'"))
