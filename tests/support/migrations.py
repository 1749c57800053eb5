"""Take a database back to an earlier version of the schema."""

from pathlib import Path

from alembic import command
from alembic.config import Config

import shared.store
from shared.store.database import Database
from shared.store.migrating import make_migration_engine


def to_revision(database: Database, revision: str) -> None:
    """Downgrade."""
    config = Config()
    config.set_main_option("script_location", str(Path(shared.store.__path__[0]) / "migrations"))
    with make_migration_engine(database.url).connect() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
        connection.commit()
