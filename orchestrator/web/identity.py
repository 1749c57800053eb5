"""Who asks, and whether they may: a bearer token, or the session of a browser.

A request is identified once, before its body is read (guarding.py). Handlers say which role they need.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import HTTPConnection

from orchestrator.application.api_tokens import hash_of, holder_of, recognise
from orchestrator.web.context import WebContext
from orchestrator.web.problems import FORBIDDEN, UNAUTHENTICATED, RequestRefused
from orchestrator.web.sessions import WebSession
from shared.models.roles import Role

__all__ = [
    "Decider",
    "Identity",
    "Operator",
    "Role",
    "Submitter",
    "Viewer",
    "by_token",
    "identify",
    "of_token",
    "require",
    "role_of",
]

BEARER = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token that `quorate tokens add` printed, or the one that `quorate serve` printed at its start.",
)

FORM_HEADER = "x-form-token"


@dataclass(frozen=True)
class Identity:
    """Who asks: `actor` is the name that answers and cancellations carry, `channel` how they came.

    `token` is the stored token's name and `token_sha256` its hash, empty for the person who started the service.
    `projects` are those whose runs they see; None: all.
    """

    actor: str
    role: Role
    channel: str = "api"
    token: str = ""
    projects: tuple[str, ...] | None = None
    token_sha256: str = ""

    @property
    def holder(self) -> str:
        """Whose idempotency keys theirs are: the token's itself, since a name may be given to another one later."""
        return f"token:{self.token_sha256}" if self.token_sha256 else f"person:{self.actor}"

    def may(self, role: Role) -> bool:
        """Whether they may do what `role` may."""
        return self.role.includes(role)


def identify(context: WebContext, connection: HTTPConnection) -> Identity | None:
    """Who asks, by a token or by the session of a browser. Raises RequestRefused for a token that is not valid."""
    return by_token(context, connection) or by_session(context, connection)


def by_session(context: WebContext, connection: HTTPConnection) -> Identity | None:
    """Who is signed in; None without a session, and once the token is gone that it was opened with.

    At the API what changes something has the form's token in a header besides: a cookie alone proves no intention.
    """
    cookie = connection.cookies.get(cookie_name(context), "")
    session = context.sessions.find(cookie) if cookie else None
    if session is None:
        return None
    role, projects = session.role, None
    if session.token_sha256:
        token = holder_of(context.backend, session.token_sha256)
        if token is None:
            context.sessions.close(cookie)
            return None
        role, projects = token.role, token.projects
    if not _may_be_ours(connection, session):
        return None
    connection.state.session = replace(session, role=role)
    return Identity(
        session.actor,
        role,
        channel="web",
        token=session.token,
        projects=projects,
        token_sha256=session.token_sha256,
    )


def cookie_name(context: WebContext) -> str:
    """A cookie is sent to every port of a machine, so each service has its own."""
    return f"quorate_session_{context.site.port}"


def _may_be_ours(connection: HTTPConnection, session: WebSession) -> bool:
    reads = connection.scope["method"] in ("GET", "HEAD")
    if reads or not connection.url.path.startswith("/api/"):
        return True  # forms of pages carry the token in their body: pages/forms.py
    given = connection.headers.get(FORM_HEADER, "")
    return secrets.compare_digest(given.encode(), session.form_token.encode())


def by_token(context: WebContext, connection: HTTPConnection) -> Identity | None:
    """Who asks, by the token that was sent; None without one. Raises RequestRefused for a token that is not valid."""
    header = connection.headers.get("authorization")
    if header is None:
        return None
    scheme, _, given = header.partition(" ")
    if scheme.lower() != "bearer":
        raise unauthenticated("send the token as `Authorization: Bearer ...`")
    # Headers are read as Latin-1, and the token was UTF-8 bytes when it was sent.
    token = given.strip().encode("latin-1", "replace").decode("utf-8", "replace")
    identity = of_token(context, token)
    if identity is None:
        raise unauthenticated("the token is wrong, expired or withdrawn")
    return identity


def of_token(context: WebContext, token: str) -> Identity | None:
    """Whose token this is; None for one that is not valid."""
    own = context.start_token
    if own and secrets.compare_digest(hash_of(token), hash_of(own)):
        return Identity(context.actor, Role.OPERATOR)
    found = recognise(context.backend, token) if token else None
    if found is None:
        return None
    return Identity(
        found.name,
        found.role,
        token=found.name,
        projects=found.projects,
        token_sha256=hash_of(token),
    )


def unauthenticated(detail: str) -> RequestRefused:
    """The refusal of who is not known."""
    return RequestRefused(UNAUTHENTICATED, detail, headers={"WWW-Authenticate": "Bearer"})


@cache
def require(role: Role) -> Callable[..., Identity]:
    """The dependency of a handler that only `role` and those above it may call; gives the Identity."""

    def checked(
        request: Request,
        _shown: Annotated[HTTPAuthorizationCredentials | None, Security(BEARER)],
    ) -> Identity:
        identity: Identity | None = getattr(request.state, "identity", None)
        if identity is None:
            raise unauthenticated("this needs a token: `Authorization: Bearer ...`")
        if not identity.may(role):
            raise RequestRefused(
                FORBIDDEN,
                f"this needs the role {role.value}; {identity.actor} is {identity.role.value}",
            )
        return identity

    return checked


def role_of(route: APIRoute) -> Role | None:
    """The role that whoever calls a route needs, or one above it; None: nobody is asked who they are."""
    calls = {dependency.call for dependency in route.dependant.dependencies}
    return next((role for role in reversed(Role) if require(role) in calls), None)


Viewer = Annotated[Identity, Depends(require(Role.VIEWER))]
Submitter = Annotated[Identity, Depends(require(Role.SUBMITTER))]
Decider = Annotated[Identity, Depends(require(Role.DECIDER))]
Operator = Annotated[Identity, Depends(require(Role.OPERATOR))]
