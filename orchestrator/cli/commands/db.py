"""`quorate db`: the schema."""

from __future__ import annotations

import os
from collections.abc import Mapping

import click

from orchestrator.application.backend import upgrade_embedded
from orchestrator.cli.options import example
from orchestrator.cli.reader import sentence_line
from orchestrator.embedded.servers import ensure
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.terminal import Terminal
from shared.sentences import Sentence
from shared.settings import ServiceSettings
from shared.store import migrate
from shared.store.database import Database
from shared.store.views import schema_revision

PATIENCE_S = 10.0


@click.group(epilog=example("quorate db upgrade"))
def db() -> None:
    """The database's schema. The embedded database is upgraded automatically."""


@db.command(epilog=example("quorate db upgrade        (once a release, before the services)"))
def upgrade() -> int:
    """Bring the database to this version's schema; safe to repeat, or to run several times at once."""
    settings = ServiceSettings.from_environment(os.environ)
    database = _database(os.environ)
    before = database.run(schema_revision)
    if settings.external is None:
        changed = upgrade_embedded(database, settings, os.environ)
    else:
        changed = migrate.upgrade(database)
    after = database.run(schema_revision)
    database.close()
    text = Sentence("at {after} already", after=after)
    if changed:
        text = Sentence(
            "upgraded from {before} to {after}", before=before or Sentence("empty"), after=after
        )
    Terminal.of(os.environ).result([sentence_line(text)])
    return ExitCode.OK


@db.command(epilog=example("quorate db current"))
def current() -> int:
    """The schema version of the database, and the one that this version of Quorate needs."""
    database = _database(os.environ)
    found = database.run(schema_revision)
    database.close()
    text = Sentence(
        "database: {found}, this version: {own}", found=found or Sentence("empty"), own=migrate.HEAD
    )
    Terminal.of(os.environ).result([sentence_line(text)])
    return ExitCode.OK if found == migrate.HEAD else ExitCode.UNREACHABLE


def _database(environ: Mapping[str, str]) -> Database:
    settings = ServiceSettings.from_environment(environ)
    if settings.external is None:
        ensure(settings.instance, environ=environ)
    return Database(settings.endpoints.database_url, pool_size=2, patience_s=PATIENCE_S)
