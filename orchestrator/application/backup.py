"""Back up the embedded database while everything goes on, and restore it where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.embedded import backup
from orchestrator.embedded.servers import ensure
from orchestrator.embedded.supervisor import supervisor_status
from shared.errors import EnvironmentFault, UserError
from shared.faults import failpoint
from shared.instance import Instance
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.migrate import newer_schema
from shared.store.views import count_runs, schema_revision


def back_up(environ: Mapping[str, str], target: Path) -> int:
    """Write the database to a file; how many bytes. Raises UserError for external servers, EnvironmentFault."""
    instance = _embedded(environ, "pg_dump --format=custom --file=FILE $QUORATE_DATABASE_URL")
    ensure(instance, environ=environ)
    return backup.dump(instance, environ, target)


def restore(environ: Mapping[str, str], source: Path) -> int:
    """Put a backup into an instance that has no runs; how many runs it brought.

    Its workers must be stopped. Raises UserError, EnvironmentFault; nothing has changed then.
    """
    instance = _embedded(environ, "pg_restore --dbname=$QUORATE_DATABASE_URL FILE")
    if supervisor_status(instance).running:
        raise UserError(
            "the workers of instance {instance} run: stop them first (`quorate down`), and restore "
            "then",
            instance=instance.name,
        )
    endpoints = ensure(instance, environ=environ)
    if runs := _runs_in(endpoints.database_url):
        raise UserError(
            "instance {instance} has {runs:,} runs already: a backup is restored where there is "
            "none. QUORATE_INSTANCE names another instance",
            instance=instance.name,
            runs=runs,
        )
    backup.load(instance, environ, source)
    failpoint("restore-loaded")
    restored = backup.restored_url(endpoints.database_url)
    try:
        brought = _runs_in(restored)
    except EnvironmentFault:
        backup.forget(instance)
        raise
    backup.take_place(instance)
    return brought


def _embedded(environ: Mapping[str, str], instead: str) -> Instance:
    settings = ServiceSettings.from_environment(environ)
    if settings.external is not None:
        raise UserError(
            "the servers are your own: use Postgres's programs, as in `{instead}` (`quorate docs "
            "data`)",
            instead=instead,
        )
    return settings.instance


def _runs_in(url: str) -> int:
    """How many runs a database holds; 0 without tables. Raises EnvironmentFault for a newer version's tables."""
    database = Database(url, pool_size=1, patience_s=5.0)
    try:
        revision = database.run(schema_revision)
        if newer := newer_schema(revision):
            raise EnvironmentFault(newer)
        return 0 if revision is None else sum(database.run(count_runs).by_status.values())
    finally:
        database.close()
