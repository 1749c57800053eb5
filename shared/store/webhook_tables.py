"""The tables of webhooks: where to report, and the outbox of what is reported."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from shared.store.columns import metadata, moment, texts

webhooks = sa.Table(
    "webhooks",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    *texts("url", "secret"),
    sa.Column("events", ARRAY(sa.Text), nullable=False),
    moment("created_at", nullable=False, now=True),
    moment("disabled_at"),
    sa.Column("disabled_reason", sa.Text),
)

webhook_deliveries = sa.Table(
    "webhook_deliveries",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column(
        "webhook", sa.Text, sa.ForeignKey("webhooks.name", ondelete="CASCADE"), nullable=False
    ),
    *texts("event", "body"),
    sa.Column("state", sa.Text, nullable=False, server_default="pending"),
    sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
    sa.Column("token", sa.Integer, nullable=False, server_default="0"),
    # The next attempt; of a delivery that is being sent: when its lease ends.
    moment("due_at", nullable=False, now=True),
    sa.Column("last_status", sa.Integer),
    sa.Column("last_error", sa.Text),
    moment("created_at", nullable=False, now=True),
    moment("ended_at"),
)
sa.Index(
    "ix_webhook_deliveries_due",
    webhook_deliveries.c.webhook,
    webhook_deliveries.c.due_at,
    postgresql_where=sa.text("state = 'pending'"),
)
sa.Index(
    "ix_webhook_deliveries_webhook", webhook_deliveries.c.webhook, webhook_deliveries.c.created_at
)
sa.Index(
    "ix_webhook_deliveries_ended_at",
    webhook_deliveries.c.ended_at,
    postgresql_where=sa.text("ended_at IS NOT NULL"),
)
