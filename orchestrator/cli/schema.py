"""The flows of `quorate db`."""

from __future__ import annotations

import time
from collections.abc import Mapping

from orchestrator.cli.terminal import Terminal
from orchestrator.views.lines import line
from shared.embedded.servers import ensure
from shared.errors import EnvironmentFault
from shared.settings import Settings
from shared.store.database import Database
from shared.store.migrate import HEAD, upgrade
from shared.store.views import schema_revision

PATIENCE_S = 10.0
SCHEMA_PATIENCE_S = 60.0


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


def wait_for_schema(settings: Settings, patience_s: float = SCHEMA_PATIENCE_S) -> None:
    """Return once the database answers and is at this version's schema.

    Services are started beside the servers and load their code while the schema is made. Raises EnvironmentFault
    when `patience_s` is over; the supervisor starts the process again then.
    """
    deadline = time.monotonic() + patience_s
    database = Database(settings.endpoints.database_url, pool_size=1, patience_s=0.0)
    try:
        while (trouble := _trouble(database)) is not None:
            if time.monotonic() > deadline:
                raise trouble
            time.sleep(0.05)
    finally:
        database.close()


def _trouble(database: Database) -> EnvironmentFault | None:
    """Why the database cannot be worked with yet."""
    try:
        found = database.run(schema_revision)
    except EnvironmentFault as fault:
        return fault
    if found == HEAD:
        return None
    return EnvironmentFault(
        f"the database is at schema {found or 'none'} and this version needs {HEAD}: run `quorate db upgrade`."
    )


def _database(environ: Mapping[str, str]) -> Database:
    settings = Settings.from_environment(environ)
    if settings.external is None:
        ensure(settings.instance, environ=environ)
    return Database(settings.endpoints.database_url, pool_size=2, patience_s=PATIENCE_S)
