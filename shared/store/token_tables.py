"""The tables of the HTTP service: who may use it, who is signed in, and which requests were answered already."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from shared.store.columns import metadata, moment, texts

api_tokens = sa.Table(
    "api_tokens",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    *texts("sha256", "role"),
    moment("created_at", nullable=False, now=True),
    moment("expires_at"),
    moment("last_used_at"),
    # NULL: it sees the runs of all projects.
    sa.Column("projects", ARRAY(sa.Text)),
    sa.UniqueConstraint("sha256"),
)

web_sessions = sa.Table(
    "web_sessions",
    metadata,
    # Of the cookie.
    sa.Column("sha256", sa.Text, primary_key=True),
    *texts("actor", "role", "token", "token_sha256"),
    moment("opened_at", nullable=False),
    moment("used_at", nullable=False),
)

answered_requests = sa.Table(
    "answered_requests",
    metadata,
    *texts("actor", "key", "fingerprint"),
    # NULL while the first request of this key is under way.
    sa.Column("status", sa.Integer),
    sa.Column("body", sa.LargeBinary),
    sa.Column("location", sa.Text),
    moment("created_at", nullable=False, now=True),
    sa.PrimaryKeyConstraint("actor", "key"),
)
sa.Index("ix_answered_requests_created_at", answered_requests.c.created_at)
