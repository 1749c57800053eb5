"""What goes wrong, as problem details (RFC 9457): a table of kinds, and which kind an error of ours is.

Programs read `code`, which never changes its meaning; `detail` is a sentence for people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field
from starlette.requests import HTTPConnection
from starlette.responses import Response

from shared.errors import (
    CredentialsRejected,
    DecisionConflict,
    EnvironmentFault,
    NotAllowed,
    QuorateError,
    UnknownRun,
    UserError,
)

MEDIA_TYPE = "application/problem+json"
_URN = "urn:quorate:problem:"


@dataclass(frozen=True)
class ProblemKind:
    """A kind of problem: its stable code, its status, its title, and when it comes (for the documentation)."""

    code: str
    status: int
    title: str
    when: str

    @property
    def type(self) -> str:
        """The URI that names it."""
        return _URN + self.code


MALFORMED = ProblemKind(
    "malformed-request", 400, "Malformed request", "the path, a header or the body cannot be read"
)
UNAUTHENTICATED = ProblemKind(
    "unauthenticated", 401, "No valid token", "no token, or one that is wrong, expired or withdrawn"
)
FORBIDDEN = ProblemKind(
    "forbidden", 403, "Not allowed", "the token's role may not do this, or a limit of the operator"
)
FOREIGN_ORIGIN = ProblemKind(
    "foreign-origin", 403, "Another site may not ask", "a page of another site sent the request"
)
NOT_FOUND = ProblemKind("not-found", 404, "Not found", "no such address, run, decision, batch, ...")
WRONG_METHOD = ProblemKind(
    "method-not-allowed", 405, "Method not allowed", "`Allow` names the methods of the address"
)
SLOW = ProblemKind("request-timeout", 408, "Too slow", "the request did not arrive in time")
CONFLICT = ProblemKind(
    "conflict", 409, "Conflict", "a decision has another answer or shows something else by now"
)
KEY_IN_USE = ProblemKind(
    "idempotency-key-in-use",
    409,
    "Still being answered",
    "the first request with this Idempotency-Key is under way",
)
PRECONDITION = ProblemKind(
    "precondition-failed", 412, "It has changed", "`If-Match` names another version"
)
TOO_LARGE = ProblemKind("body-too-large", 413, "Body too large", "the body is over the limit")
MEDIA = ProblemKind(
    "unsupported-media-type", 415, "Unsupported media type", "send the type that is documented"
)
WRONG_HOST = ProblemKind(
    "wrong-host", 421, "Not this host", "the Host header names no host of this service"
)
INVALID = ProblemKind(
    "invalid", 422, "Cannot be used", "what was sent can be read, and its content cannot be used"
)
KEY_REUSED = ProblemKind(
    "idempotency-key-reused",
    422,
    "Idempotency-Key used before",
    "the key was sent with another request",
)
TOO_MANY = ProblemKind(
    "too-many-requests", 429, "Too many requests", "wait as long as `Retry-After` says"
)
BUG = ProblemKind("bug", 500, "A bug", "our fault: the service's log has a traceback")
UNAVAILABLE = ProblemKind(
    "unavailable", 503, "Not available", "the database, Redis or the disk stands in the way"
)
NO_CREDENTIALS = ProblemKind(
    "no-credentials",
    424,
    "A provider's key is missing",
    "the installation has no key, or a refused one, for who was asked for",
)

PROBLEMS: tuple[ProblemKind, ...] = (
    *(
        MALFORMED,
        UNAUTHENTICATED,
        FORBIDDEN,
        FOREIGN_ORIGIN,
        NOT_FOUND,
        WRONG_METHOD,
        SLOW,
        CONFLICT,
    ),
    *(KEY_IN_USE, PRECONDITION, TOO_LARGE, MEDIA, WRONG_HOST, INVALID, KEY_REUSED, NO_CREDENTIALS),
    *(TOO_MANY, BUG, UNAVAILABLE),
)

_KIND_OF: tuple[tuple[type[QuorateError], ProblemKind], ...] = (
    (UnknownRun, NOT_FOUND),
    (NotAllowed, FORBIDDEN),
    (DecisionConflict, CONFLICT),
    (UserError, INVALID),
    (CredentialsRejected, NO_CREDENTIALS),
    (EnvironmentFault, UNAVAILABLE),
)
_KIND_OF_STATUS = {
    kind.status: kind
    for kind in (MALFORMED, UNAUTHENTICATED, FORBIDDEN, NOT_FOUND, WRONG_METHOD, TOO_LARGE, MEDIA)
}


class InvalidField(BaseModel):
    """A part of the request that cannot be used."""

    field: str = Field(description="where it stands, like `body.options.rounds`")
    message: str = Field(description="what is wrong with it")


class Problem(BaseModel):
    """Problem details, RFC 9457."""

    type: str = Field(description="a URI that names the kind", examples=[NOT_FOUND.type])
    title: str = Field(description="the kind in a few words")
    status: int = Field(description="the status of the response")
    detail: str = Field(description="what happened, in a sentence for people")
    code: str = Field(description="the kind, for programs", examples=[NOT_FOUND.code])
    errors: list[InvalidField] | None = Field(
        default=None, description="what cannot be used, of an `invalid` request"
    )


class RequestRefused(Exception):
    """A request that ends in a problem of this kind."""

    def __init__(
        self,
        kind: ProblemKind,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        errors: Sequence[InvalidField] = (),
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.headers = dict(headers or {})
        self.errors = tuple(errors)

    @property
    def problem(self) -> Problem:
        """What is sent."""
        return Problem(
            type=self.kind.type,
            title=self.kind.title,
            status=self.kind.status,
            detail=self.detail,
            code=self.kind.code,
            errors=list(self.errors) or None,
        )


def refusal_of(error: QuorateError) -> RequestRefused:
    """The refusal that tells an expected error."""
    kind = next((kind for expected, kind in _KIND_OF if isinstance(error, expected)), BUG)
    headers = {"Retry-After": "5"} if kind is UNAVAILABLE else {}
    return RequestRefused(kind, error.sentence, headers=headers)


def refusal_of_status(
    status: int, detail: str, headers: Mapping[str, str] | None
) -> RequestRefused:
    """The refusal that tells what the framework itself refuses."""
    return RequestRefused(_KIND_OF_STATUS.get(status, MALFORMED), detail, headers=headers)


def as_json(refusal: RequestRefused) -> Response:
    """The refusal for programs."""
    content = refusal.problem.model_dump_json(exclude_none=True)
    return Response(content, refusal.kind.status, refusal.headers, MEDIA_TYPE)


def is_for_people(connection: HTTPConnection) -> bool:
    """Whether a browser asked for a page."""
    if connection.url.path.startswith("/api/"):
        return False
    return "text/html" in connection.headers.get("accept", "")
