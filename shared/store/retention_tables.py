"""The tables of what is kept, purged, exempt from that, and brought from elsewhere."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from shared.store.columns import metadata, moment, run_id, texts

# A run or a batch that no purge removes. The database itself refuses to delete a run that is named here.
holds = sa.Table(
    "holds",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("run_id", sa.Text, sa.ForeignKey("runs.id", ondelete="RESTRICT")),
    sa.Column("batch", sa.Text),
    *texts("reason", "actor"),
    moment("created_at", nullable=False, now=True),
    sa.CheckConstraint("(run_id IS NULL) <> (batch IS NULL)", name="ck_holds_one"),
)
sa.Index("uq_holds_run_id", holds.c.run_id, unique=True)
sa.Index("uq_holds_batch", holds.c.batch, unique=True)

# One row a purge, which counts with every portion; `seen_at` is its lease (shared/store/purging.py).
purges = sa.Table(
    "purges",
    metadata,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    *texts("actor"),
    sa.Column("rules", JSONB, nullable=False),
    moment("began_at", nullable=False, now=True),
    moment("seen_at", nullable=False, now=True),
    moment("ended_at"),
    sa.Column("runs", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("batches", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("documents", sa.BigInteger, nullable=False, server_default="0"),
)

# What the ended runs refer to, written down by the first purge after their end; an empty name says that it was.
document_uses = sa.Table(
    "document_uses",
    metadata,
    run_id(),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.PrimaryKeyConstraint("run_id", "sha256"),
)
sa.Index("ix_document_uses_sha256", document_uses.c.sha256)

# By which keys stored texts are sealed (shared/store/sealing.py).
sealing_keys = sa.Table(
    "sealing_keys",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    moment("created_at", nullable=False, now=True),
)

# Runs that came in a file: history of another instance (shared/store/importing.py).
imports = sa.Table(
    "imports",
    metadata,
    run_id(),
    *texts("digest", "origin", "actor", "status"),
    sa.Column("redacted", sa.Boolean, nullable=False),
    moment("exported_at", nullable=False),
    moment("at", nullable=False, now=True),
    sa.PrimaryKeyConstraint("run_id"),
)
