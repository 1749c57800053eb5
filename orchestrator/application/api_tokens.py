"""Tokens of the HTTP service: made, listed, withdrawn, recognised."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from functools import partial

from orchestrator.application.backend import Backend
from shared.errors import UnknownRun, UserError
from shared.models.roles import Role
from shared.patterns import regex
from shared.sentences import Sentence
from shared.store.api_tokens import (
    ApiToken,
    add_api_token,
    find_api_token,
    list_api_tokens,
    remove_api_token,
)
from shared.store.database import Connection

PREFIX = "qrt_"
"""What every token begins with, so that a scanner for secrets finds one that was committed."""
MOST_TOKENS = 500
_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


def hash_of(token: str) -> str:
    """What is stored instead of the token."""
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def new_token() -> str:
    """256 random bits."""
    return PREFIX + secrets.token_urlsafe(32)


def add(
    backend: Backend,
    name: str,
    role: Role,
    life_s: float | None,
    projects: Sequence[str] | None = None,
) -> str:
    """Store a new token; the token, which nobody shows again. Raises UserError for a name that is taken.

    With `projects` it sees the runs of these only.
    """
    if _NAME.fullmatch(name) is None:
        raise UserError(
            "{name!r} cannot be a token's name: up to 64 letters, digits, '.', '_', '@' and '-', a "
            "letter or digit first",
            name=name,
        )
    token = new_token()

    def store(connection: Connection) -> None:
        if len(list_api_tokens(connection)) >= MOST_TOKENS:
            raise UserError("there are {most} tokens already: remove one first", most=MOST_TOKENS)
        if not add_api_token(connection, name, hash_of(token), role, life_s, projects):
            raise UserError(
                "there is a token {name} already: choose another name, or remove it with `quorate tokens "
                "rm {name}`",
                name=name,
            )

    backend.write(store)
    return token


def tokens(backend: Backend) -> list[ApiToken]:
    """All of them by name."""
    return backend.read(list_api_tokens)


def remove(backend: Backend, name: str) -> None:
    """Withdraw a token: the next request with it is refused. Raises UserError."""
    if not backend.write(lambda connection: remove_api_token(connection, name)):
        names = ", ".join(each.name for each in tokens(backend))
        known = Sentence("; there are {names}", names=names) if names else ""
        raise UnknownRun("there is no token {name}{known}", name=name, known=known)


def recognise(backend: Backend, token: str) -> ApiToken | None:
    """Whose token this is; None for one that is unknown, withdrawn or expired."""
    return holder_of(backend, hash_of(token))


def holder_of(backend: Backend, sha256: str) -> ApiToken | None:
    """Whose token has this hash; None for one that is unknown, withdrawn or expired."""
    return backend.read(partial(find_api_token, sha256=sha256))
