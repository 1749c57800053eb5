"""Bring a database to this version's schema, once, however many processes ask."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from shared.errors import EnvironmentFault
from shared.sentences import Sentence
from shared.store.database import Database
from shared.store.sealing import Sealer, require_keys
from shared.store.views import schema_revision

_VERSIONS = Path(__file__).parent / "migrations" / "versions"
HEAD = max(path.name[:4] for path in _VERSIONS.glob("[0-9]*.py"))
"""The newest revision; a migration's file begins with its own."""
SCHEMA_PATIENCE_S = 60.0


def current(database: Database) -> str | None:
    """The revision that the database is at; None for an empty one. Raises EnvironmentFault."""
    return database.run(schema_revision)


def newer_schema(found: str | None) -> str:
    """What to say of a database that this version is too old for; empty for any other."""
    if found is None or found <= HEAD:
        return ""
    return Sentence(
        "the database is at schema {found}, which a newer version of Quorate made, and this version knows {own}: "
        "use the newer version (`quorate docs upgrading`).",
        found=found,
        own=HEAD,
    )


def older_schema(found: str | None) -> str:
    """What to say of a database that lacks this version's schema."""
    return Sentence(
        "the database is at schema {found} and this version needs {own}: run `quorate db upgrade`.",
        found=found or "none",
        own=HEAD,
    )


def upgrade(database: Database, revision: str = "head") -> bool:
    """Apply what is missing; True when something was applied. Ten at once apply it once. Raises EnvironmentFault."""
    if revision == "head":
        found = current(database)
        if found == HEAD:
            return False
        if newer := newer_schema(found):
            raise EnvironmentFault(newer)
    from shared.store.migrating import migrate  # loads SQLAlchemy and Alembic

    return migrate(database, revision)


def wait_for_schema(
    database_url: str, patience_s: float = SCHEMA_PATIENCE_S, keys: Sequence[bytes] = ()
) -> None:
    """Return once the database answers and is at this version's schema.

    Services are started alongside the servers and load their code while the schema is made. Raises EnvironmentFault
    when `patience_s` is over, and at once when a newer version made the schema, or when stored texts need other `keys`;
    the supervisor then starts it again.
    """
    deadline = time.monotonic() + patience_s
    database = Database(database_url, pool_size=1, patience_s=0.0)
    try:
        while (trouble := _trouble(database)) is not None:
            if time.monotonic() > deadline:
                raise trouble
            time.sleep(0.05)
        database.run(lambda connection: require_keys(connection, Sealer(keys)))
    finally:
        database.close()


def _trouble(database: Database) -> EnvironmentFault | None:
    """Why the database cannot be worked with yet."""
    try:
        found = current(database)
    except EnvironmentFault as fault:
        return fault
    if newer := newer_schema(found):
        raise EnvironmentFault(newer)
    return None if found == HEAD else EnvironmentFault(older_schema(found))
