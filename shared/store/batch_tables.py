"""The tables of batches (shared/store/batches.py)."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from shared.store.columns import metadata, moment, run_id, texts

batches = sa.Table(
    "batches",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    *texts("source", "fingerprint"),
    # Those that its items' runs belong to.
    sa.Column("projects", ARRAY(sa.Text), nullable=False, server_default="{}"),
    sa.Column("total", sa.Integer, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("max_usd", sa.Double),
    sa.Column("max_running", sa.Integer),
    sa.Column("paused", sa.Boolean, nullable=False, server_default=sa.false()),
    # What the runs of its settled items cost; those of the others are looked up.
    sa.Column("settled_usd", sa.Double, nullable=False, server_default="0"),
    moment("exhausted_at"),
    moment("created_at", nullable=False, now=True),
    moment("opened_at"),
    # No item is under way any more, and webhooks were told (shared/store/outbox.py).
    moment("finished_at"),
)

batch_items = sa.Table(
    "batch_items",
    metadata,
    sa.Column("batch", sa.Text, sa.ForeignKey("batches.name", ondelete="CASCADE"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    *texts("custom_id", "key"),
    run_id(),
    # The runs of attempts that failed.
    sa.Column("earlier", ARRAY(sa.Text), nullable=False, server_default="{}"),
    sa.Column("body", JSONB, nullable=False),
    # Its run was admitted, and what that cost is not in `settled_usd` yet.
    sa.Column("unsettled", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.PrimaryKeyConstraint("batch", "position"),
)
sa.Index("uq_batch_items_custom_id", batch_items.c.batch, batch_items.c.custom_id, unique=True)
sa.Index("ix_batch_items_run_id", batch_items.c.run_id)
sa.Index("ix_batch_items_unsettled", batch_items.c.batch, postgresql_where=sa.text("unsettled"))
