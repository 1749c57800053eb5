"""Bring a database to this version's schema, once, however many processes ask."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from shared.store.database import Database

HEAD = "0002"
_LOCK = 0x51554F52  # "QUOR": the advisory lock that serialises migrators


def current(database: Database) -> str | None:
    """The revision that the database is at; None for an empty one."""
    with database.connection() as connection:
        known = connection.execute("SELECT to_regclass('public.alembic_version')").fetchone()
        if known is None or known[0] is None:
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        return None if row is None else str(row[0])


def upgrade(database: Database, revision: str = "head") -> bool:
    """Apply what is missing; True when something was applied. Ten at once apply it once."""
    if revision == "head" and current(database) == HEAD:
        return False
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    engine = sa.create_engine(database.url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        connection.execute(sa.text(f"SELECT pg_advisory_lock({_LOCK})"))
        connection.commit()
        before = current(database)
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.commit()
        connection.execute(sa.text(f"SELECT pg_advisory_unlock({_LOCK})"))
        connection.commit()
    engine.dispose()
    return before != current(database)
