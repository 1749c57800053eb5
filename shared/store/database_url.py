"""The URL of a database as SQLAlchemy writes it, read as libpq's names and values.

Statements run on the driver itself; loading SQLAlchemy to read its URL would cost a command more than all the rest.
https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING

One name is ours: `prepared=off` keeps statements from being prepared, for a pooler that gives each transaction another
session of the server.
"""

from __future__ import annotations

from urllib.parse import unquote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from shared.errors import ConfigurationError
from shared.patterns import regex

_URL = regex(
    r"(?P<scheme>postgresql(?:\+\w+)?)://"
    r"(?:(?P<user>[^:/]*)(?::(?P<password>[^@]*))?@)?(?P<place>.*)",
)

_PREPARED = regex(r"(?P<before>[?&])prepared=(?P<value>on|off)(?P<after>&|$)")


def of_driver(url: str) -> str:
    """The URL without what is ours."""
    found = _PREPARED.search(url)
    if found is None:
        return url
    rest = url[found.end() :]
    return url[: found.start()] + (f"{found['before']}{rest}" if found["after"] else "")


def prepares(url: str) -> bool:
    """Whether statements may be prepared."""
    found = _PREPARED.search(url)
    return found is None or found["value"] == "on"


def parameters(url: str) -> dict[str, str]:
    """What the driver is given for a URL. Raises ConfigurationError where it cannot be read."""
    parts = _URL.fullmatch(of_driver(url))
    if parts is None:
        raise ConfigurationError(
            "QUORATE_DATABASE_URL must look like postgresql+psycopg://user:password@host:5432/database."
        )
    try:
        found = conninfo_to_dict(f"postgresql://{parts['place']}")
    except psycopg.ProgrammingError as error:
        raise ConfigurationError(
            "QUORATE_DATABASE_URL: {error}.", error=str(error).strip()
        ) from None
    login = {"user": parts["user"], "password": parts["password"]}
    given = {name: unquote(value) for name, value in login.items() if value}
    return {**{name: str(value) for name, value in found.items()}, **given}


def without_password(url: str) -> str:
    """The URL as it may be shown."""
    parts = _URL.fullmatch(url)
    if parts is None or not parts["password"]:
        return url
    return f"{parts['scheme']}://{parts['user']}:***@{parts['place']}"
