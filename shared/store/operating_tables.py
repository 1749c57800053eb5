"""The tables of operation: who is alive, what was counted, and until when (shared/store/counting.py)."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from shared.store.columns import metadata, moment

processes = sa.Table(
    "processes",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("slots", sa.Integer, nullable=False, server_default="0"),
    moment("started_at", nullable=False, now=True),
    moment("seen_at", nullable=False, now=True),
)
sa.Index("ix_processes_seen_at", processes.c.seen_at)

counters = sa.Table(
    "counters",
    metadata,
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("labels", ARRAY(sa.Text), nullable=False),
    sa.Column("value", sa.Double, nullable=False),
    sa.PrimaryKeyConstraint("name", "labels"),
)

# What follows everything that ends, one row a follower: everything before `upto` was dealt with.
followed = sa.Table(
    "followed",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    moment("upto", nullable=False),
)
