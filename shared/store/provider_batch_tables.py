"""The tables of calls that are made through a provider's batch API (docs/design/provider-batches.md)."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from shared.store.columns import metadata, moment, run_id, texts

# `id` is the call's `custom_id`. `body` is the request, until the provider has it.
batched_calls = sa.Table(
    "batched_calls",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    run_id(),
    *texts("step"),
    sa.Column("token", sa.BigInteger, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("participant", JSONB, nullable=False),
    *texts("lane", "request_sha", "status"),
    sa.Column("body", sa.LargeBinary),
    sa.Column("batch", sa.Text),
    sa.Column("failure", JSONB),
    moment("created_at", nullable=False, now=True),
    # When its step was made ready again; until then the run's clock stands still.
    moment("released_at"),
)
sa.Index("ix_batched_calls_run_id", batched_calls.c.run_id, batched_calls.c.step)
sa.Index("ix_batched_calls_batch", batched_calls.c.batch)
sa.Index(
    "ix_batched_calls_queued",
    batched_calls.c.lane,
    batched_calls.c.created_at,
    postgresql_where=sa.text("status = 'queued'"),
)
sa.Index(
    "ix_batched_calls_open",
    batched_calls.c.run_id,
    postgresql_where=sa.text("released_at IS NULL"),
)

# `due_at` is when somebody looks at it next: the lease of whoever sends it, then the pace of asking.
provider_batches = sa.Table(
    "provider_batches",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    *texts("lane", "status"),
    sa.Column("participant", JSONB, nullable=False),
    sa.Column("calls", sa.Integer, nullable=False),
    sa.Column("remote", sa.Text),
    sa.Column("refusals", sa.Integer, nullable=False, server_default="0"),
    sa.Column("cancelled", sa.Boolean, nullable=False, server_default=sa.false()),
    moment("created_at", nullable=False, now=True),
    moment("due_at", nullable=False, now=True),
)
sa.Index(
    "ix_provider_batches_due",
    provider_batches.c.due_at,
    postgresql_where=sa.text("status <> 'ended'"),
)
sa.Index(
    "uq_provider_batches_remote", provider_batches.c.lane, provider_batches.c.remote, unique=True
)
