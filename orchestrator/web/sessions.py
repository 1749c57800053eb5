"""Browsers that are signed in: sessions, which outlive the service, and the one-time links that open them.

Neither a cookie nor a link is kept, only its hash: sessions in the database, links in memory. A session ends some hours
after its last use, at the latest after a week, and with the token that it was opened with.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from orchestrator.application.backend import Backend
from shared.errors import EnvironmentFault
from shared.models.roles import Role
from shared.store.web_sessions import (
    SessionLife,
    SignedIn,
    add_web_session,
    find_web_session,
    remove_web_session,
    remove_web_sessions,
)

LINK_S = 600.0
IDLE_S = 12 * 3600.0
LONGEST_S = 7 * 86_400.0
LIFE = SessionLife(idle_s=IDLE_S, longest_s=LONGEST_S)
MOST_SESSIONS = 1_000
MOST_LINKS = 100


@dataclass(frozen=True)
class WebSession:
    """Who is signed in. `form_token` is what their forms carry, `token_sha256` the hash of a stored token, if any."""

    actor: str
    role: Role
    form_token: str
    token: str = ""
    token_sha256: str = ""


@dataclass(frozen=True)
class _Link:
    actor: str
    role: Role
    ends_at: datetime


class SessionStore:
    """The open sessions and links; safe to share between threads."""

    def __init__(self, backend: Backend, now: Callable[[], datetime]) -> None:
        """Sessions are those of the installation; no link is open."""
        self._backend = backend
        self._now = now
        self._lock = threading.Lock()
        self._links: dict[str, _Link] = {}

    def make_link(self, actor: str, role: Role) -> str:
        """The code of a link that signs `actor` in, once, and soon."""
        code = secrets.token_urlsafe(32)
        ends_at = self._now() + timedelta(seconds=LINK_S)
        with self._lock:
            while len(self._links) >= MOST_LINKS:
                del self._links[next(iter(self._links))]
            self._links[_hash(code)] = _Link(actor, role, ends_at)
        return code

    def use_link(self, code: str) -> str | None:
        """The cookie of the session that the link opens; None for one that is unknown, used or too old."""
        with self._lock:
            link = self._links.pop(_hash(code), None)
        if link is None or link.ends_at <= self._now():
            return None
        try:
            return self.open(link.actor, link.role)
        except EnvironmentFault:  # nothing was opened, so it is not used up
            with self._lock:
                self._links[_hash(code)] = link
            raise

    def open(self, actor: str, role: Role, *, token: str = "", token_sha256: str = "") -> str:
        """The cookie of a new session."""
        cookie, now = secrets.token_urlsafe(32), self._now()
        session = SignedIn(actor, role, token, token_sha256, opened_at=now, used_at=now)
        self._backend.write(
            partial(
                add_web_session,
                sha256=_hash(cookie),
                session=session,
                life=LIFE,
                most=MOST_SESSIONS,
            )
        )
        return cookie

    def find(self, cookie: str) -> WebSession | None:
        """The session of a cookie, which is used by this; None where it is unknown or has ended."""
        look = partial(find_web_session, sha256=_hash(cookie), life=LIFE, now=self._now())
        found = self._backend.read(look)
        if found is None:
            return None
        form_token = _form_token(cookie)
        return WebSession(found.actor, found.role, form_token, found.token, found.token_sha256)

    def close(self, cookie: str) -> None:
        """End a session."""
        self._backend.write(partial(remove_web_session, sha256=_hash(cookie)))

    def close_all(self) -> None:
        """End every session of the installation."""
        self._backend.write(remove_web_sessions)


def _form_token(cookie: str) -> str:
    """What only the holder of the cookie can compute: a copy of the database does not have it."""
    return hmac.new(cookie.encode("utf-8", "surrogateescape"), b"form", hashlib.sha256).hexdigest()


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()
