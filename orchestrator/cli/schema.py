"""The flows of `quorate db`."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import line
from orchestrator.embedded.servers import ensure
from shared.settings import Settings
from shared.store.database import Database
from shared.store.migrate import HEAD, upgrade
from shared.store.views import schema_revision

PATIENCE_S = 10.0


def upgrade_schema(environ: Mapping[str, str]) -> int:
    """Apply what is missing; the exit code."""
    database = _database(environ)
    before = database.run(schema_revision)
    changed = upgrade(database)
    after = database.run(schema_revision)
    database.close()
    text = f"upgraded from {before or 'empty'} to {after}" if changed else f"at {after} already"
    Terminal.of(environ).result([line(text)])
    return 0


def show_schema(environ: Mapping[str, str]) -> int:
    """Print both revisions; the exit code: 0 when they agree, else 5."""
    database = _database(environ)
    found = database.run(schema_revision)
    database.close()
    Terminal.of(environ).result([line(f"database: {found or 'empty'}, this version: {HEAD}")])
    return 0 if found == HEAD else 5


def _database(environ: Mapping[str, str]) -> Database:
    settings = Settings.from_environment(environ)
    if settings.external is None:
        ensure(settings.instance, environ=environ)
    return Database(settings.endpoints.database_url, pool_size=2, patience_s=PATIENCE_S)
