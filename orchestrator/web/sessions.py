"""Browsers that are signed in: sessions, and the one-time links that open them. Both end with the service.

Neither a cookie nor a link is kept, only its hash. A session ends some hours after its last use, at the latest after a
week, and with the token that it was opened with.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from shared.models.roles import Role

LINK_S = 600.0
IDLE_S = 12 * 3600.0
LONGEST_S = 7 * 86_400.0
MOST_SESSIONS = 1_000
MOST_LINKS = 100


@dataclass(frozen=True)
class WebSession:
    """Who is signed in. `form_token` is what their forms carry, `token_sha256` the hash of a stored token, if any."""

    actor: str
    role: Role
    form_token: str
    opened_at: datetime
    used_at: datetime
    token: str = ""
    token_sha256: str = ""


@dataclass(frozen=True)
class _Link:
    actor: str
    role: Role
    ends_at: datetime


class SessionStore:
    """The open sessions and links; safe to share between threads."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        """Nobody is signed in."""
        self._now = now
        self._lock = threading.Lock()
        self._sessions: dict[str, WebSession] = {}
        self._links: dict[str, _Link] = {}

    def make_link(self, actor: str, role: Role) -> str:
        """The code of a link that signs `actor` in, once, and soon."""
        code = secrets.token_urlsafe(32)
        ends_at = self._now() + timedelta(seconds=LINK_S)
        with self._lock:
            _make_room(self._links, MOST_LINKS)
            self._links[_hash(code)] = _Link(actor, role, ends_at)
        return code

    def use_link(self, code: str) -> str | None:
        """The cookie of the session that the link opens; None for one that is unknown, used or too old."""
        with self._lock:
            link = self._links.pop(_hash(code), None)
        if link is None or link.ends_at <= self._now():
            return None
        return self.open(link.actor, link.role)

    def open(self, actor: str, role: Role, *, token: str = "", token_sha256: str = "") -> str:
        """The cookie of a new session."""
        cookie = secrets.token_urlsafe(32)
        now = self._now()
        session = WebSession(
            actor, role, secrets.token_urlsafe(32), now, now, token=token, token_sha256=token_sha256
        )
        with self._lock:
            _make_room(self._sessions, MOST_SESSIONS)
            self._sessions[_hash(cookie)] = session
        return cookie

    def find(self, cookie: str) -> WebSession | None:
        """The session of a cookie, which is used by this; None where it is unknown or has ended."""
        name, now = _hash(cookie), self._now()
        with self._lock:
            session = self._sessions.pop(name, None)
            if session is None or not _is_alive(session, now):
                return None
            session = replace(session, used_at=now)
            self._sessions[name] = (
                session  # at the end: the first one is the one that was used longest ago
            )
            return session

    def close(self, cookie: str) -> None:
        """End a session."""
        with self._lock:
            self._sessions.pop(_hash(cookie), None)


def _is_alive(session: WebSession, now: datetime) -> bool:
    idle, whole = now - session.used_at, now - session.opened_at
    return idle.total_seconds() < IDLE_S and whole.total_seconds() < LONGEST_S


def _make_room(kept: dict[str, Any], most: int) -> None:
    while len(kept) >= most:
        del kept[next(iter(kept))]


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
