"""Tokens of the HTTP service. A token is 256 random bits, so its SHA-256 needs no salt; it is never stored itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared.models.roles import Role
from shared.store.database import Connection

USED_EVERY_S = 60.0
"""How exact `last_used_at` is: a write for every request would cost more than the request."""


@dataclass(frozen=True)
class ApiToken:
    """Who may use the service, as what, until when."""

    name: str
    role: Role
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    expired: bool
    projects: tuple[str, ...] | None = None


_COLUMNS = "name, role, created_at, expires_at, last_used_at, coalesce(expires_at <= now(), false) AS expired, projects"


def add_api_token(
    connection: Connection,
    name: str,
    sha256: str,
    role: Role,
    life_s: float | None,
    projects: Sequence[str] | None = None,
) -> bool:
    """Store a token; False when its name is taken."""
    added = connection.execute(
        "INSERT INTO api_tokens (name, sha256, role, expires_at, projects) "
        "VALUES (%s, %s, %s, now() + make_interval(secs => %s::double precision), %s::text[]) ON CONFLICT DO NOTHING",
        (name, sha256, role.value, life_s, None if projects is None else list(projects)),
    )
    return added.rowcount == 1


def list_api_tokens(connection: Connection) -> list[ApiToken]:
    """All of them by name, expired ones too."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM api_tokens ORDER BY name").fetchall()
    return [_token(row) for row in rows]


def _token(row: Any) -> ApiToken:
    projects = None if row.projects is None else tuple(row.projects)
    return ApiToken(**{**row._asdict(), "role": Role(row.role), "projects": projects})


def remove_api_token(connection: Connection, name: str) -> bool:
    """Forget a token at once; False when there is none of that name."""
    return connection.execute("DELETE FROM api_tokens WHERE name = %s", (name,)).rowcount == 1


def find_api_token(connection: Connection, sha256: str) -> ApiToken | None:
    """The token with this hash, which is used now; None for an unknown or expired one."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM api_tokens WHERE sha256 = %s AND (expires_at IS NULL OR expires_at > now())",
        (sha256,),
    ).fetchone()
    if row is None:
        return None
    connection.execute(
        "UPDATE api_tokens SET last_used_at = now() WHERE sha256 = %s "
        "AND (last_used_at IS NULL OR last_used_at < now() - make_interval(secs => %s))",
        (sha256, USED_EVERY_S),
    )
    return _token(row)
