"""Sessions of browsers. A cookie is 256 random bits, so its SHA-256 needs no salt; it is never stored itself.

They stand in the database so that a service that was killed knows its readers again, and several know the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from shared.models.roles import Role
from shared.store.database import Connection

USED_EVERY_S = 60.0
"""How exact `used_at` is: a write for every request would cost more than the request."""


@dataclass(frozen=True)
class SignedIn:
    """Who is signed in; `token_sha256` is the hash of the stored token that they came with, if any."""

    actor: str
    role: Role
    token: str
    token_sha256: str
    opened_at: datetime
    used_at: datetime


@dataclass(frozen=True)
class SessionLife:
    """How long a session lasts without being used, and at the longest."""

    idle_s: float
    longest_s: float


def add_web_session(
    connection: Connection, sha256: str, session: SignedIn, life: SessionLife, most: int
) -> None:
    """Store a session. Those that have ended go, and where there are `most` the one that was used longest ago."""
    now = session.opened_at
    connection.execute(
        "DELETE FROM web_sessions WHERE used_at <= %s OR opened_at <= %s",
        (now - timedelta(seconds=life.idle_s), now - timedelta(seconds=life.longest_s)),
    )
    connection.execute(
        "DELETE FROM web_sessions WHERE sha256 IN "
        "(SELECT sha256 FROM web_sessions ORDER BY used_at DESC, sha256 OFFSET %s)",
        (most - 1,),
    )
    connection.execute(
        "INSERT INTO web_sessions (sha256, actor, role, token, token_sha256, opened_at, used_at) "
        "VALUES (%s, %s, %s, %s, %s, %s, %s)",
        (
            sha256,
            session.actor,
            session.role.value,
            session.token,
            session.token_sha256,
            session.opened_at,
            session.used_at,
        ),
    )


def find_web_session(
    connection: Connection, sha256: str, life: SessionLife, now: datetime
) -> SignedIn | None:
    """The session with this hash, which is used now; None for one that is unknown or has ended, which is forgotten."""
    row = connection.execute(
        "SELECT actor, role, token, token_sha256, opened_at, used_at FROM web_sessions WHERE sha256 = %s",
        (sha256,),
    ).fetchone()
    if row is None:
        return None
    found = SignedIn(**{**row._asdict(), "role": Role(row.role)})
    idle, whole = now - found.used_at, now - found.opened_at
    if idle.total_seconds() >= life.idle_s or whole.total_seconds() >= life.longest_s:
        remove_web_session(connection, sha256)
        return None
    if idle.total_seconds() >= USED_EVERY_S:
        connection.execute("UPDATE web_sessions SET used_at = %s WHERE sha256 = %s", (now, sha256))
    return found


def remove_web_session(connection: Connection, sha256: str) -> None:
    """End a session."""
    connection.execute("DELETE FROM web_sessions WHERE sha256 = %s", (sha256,))


def remove_web_sessions(connection: Connection) -> None:
    """End all of them."""
    connection.execute("DELETE FROM web_sessions")
