"""Run migrations: the only code that needs SQLAlchemy and Alembic, which a database that is up to date does not."""

from __future__ import annotations

from pathlib import Path

import psycopg
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from psycopg.conninfo import make_conninfo

from shared.store.connections import migration_arguments
from shared.store.database import Database, unreachable
from shared.store.database_url import parameters
from shared.store.views import schema_revision

MIGRATIONS = Path(__file__).with_name("migrations")
_LOCK = 0x51554F52  # "QUOR": the advisory lock that serialises migrators


def make_migration_engine(url: str) -> sa.Engine:
    """Connections for migrations: a dead peer is noticed, but nothing ends work that goes on."""
    address = make_conninfo("", **{**parameters(url), **migration_arguments(url)})
    return sa.create_engine(
        "postgresql+psycopg://", poolclass=sa.NullPool, creator=lambda: psycopg.connect(address)
    )


def migrate(database: Database, revision: str) -> bool:
    """Apply what is missing up to a revision, after other migrators; True when something was applied.

    Raises EnvironmentFault.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = make_migration_engine(database.url)
    try:
        with engine.connect() as connection:
            connection.execute(sa.text(f"SELECT pg_advisory_lock({_LOCK})"))
            connection.commit()
            before = database.run(schema_revision)
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
            connection.commit()
            connection.execute(sa.text(f"SELECT pg_advisory_unlock({_LOCK})"))
            connection.commit()
        return before != database.run(schema_revision)
    except (sa.exc.OperationalError, sa.exc.InterfaceError) as error:
        raise unreachable(database.url, error.orig or error) from error
    finally:
        engine.dispose()
