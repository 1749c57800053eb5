"""`quorate db`: the schema."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.group(epilog=example("quorate db upgrade"))
def db() -> None:
    """The database's schema. The embedded database is upgraded by itself."""


@db.command(epilog=example("quorate db upgrade        (once a release, before the services)"))
def upgrade() -> int:
    """Bring the database to this version's schema; harmless twice, and ten at once do it once."""
    from orchestrator.cli.schema import upgrade_schema

    return upgrade_schema(os.environ)


@db.command(epilog=example("quorate db current"))
def current() -> int:
    """The schema that the database is at, and the one that this version needs."""
    from orchestrator.cli.schema import show_schema

    return show_schema(os.environ)
