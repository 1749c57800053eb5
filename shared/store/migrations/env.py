"""Alembic's entry: the connection comes from `shared.store.migrate`, never from a file."""

from __future__ import annotations

from alembic import context

from shared.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
