"""What a request must be before a handler hears of it, and what every response carries.

A page in a browser must not reach the service from another site: the Host header must be ours (DNS rebinding), and an
Origin header too. The head is checked, then who asks is found out, and only then is the body read, up to a limit and a
deadline: a stranger is not buffered. Every request gets an answer, a bug's too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from urllib.parse import unquote_to_bytes

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from orchestrator.web.context import WebContext
from orchestrator.web.identity import Identity
from orchestrator.web.problems import (
    BUG,
    FOREIGN_ORIGIN,
    MALFORMED,
    SLOW,
    TOO_LARGE,
    TOO_MANY,
    UNAUTHENTICATED,
    WRONG_HOST,
    RequestRefused,
    refusal_of,
)
from orchestrator.web.rates import RateLimit
from orchestrator.web.sites import ServedSite
from shared.build import BUILD_HEADER, this_build
from shared.errors import QuorateError
from shared.patterns import regex

STRANGERS_BYTES = 64 * 1024
MOST_BYTES = 8 * 1024 * 1024
BATCH_BYTES = 64 * 1024 * 1024
BATCHES = "/api/v1/batches"
BODY_S = 30.0
"""In what time a body must have arrived, however it drips."""
LINGER_S = 2.0
WRONG_TOKENS_A_MINUTE = 60

_PATH = regex(r"/(?:[A-Za-z0-9/._~!$&'()*+,=:@-]|%[0-9A-Fa-f]{2})*")
_LENGTH = regex(r"[0-9]{1,18}")
_SINGLE = (b"host", b"authorization", b"content-length", b"content-type", b"idempotency-key")

RESPONSE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
    ),
    "Cache-Control": "no-store",
}
"""What a response carries unless its handler says otherwise."""

Identify = Callable[[HTTPConnection], Identity | None]
Refuse = Callable[[HTTPConnection, RequestRefused], Response]


class RequestGuard:
    """The outermost layer of the application."""

    def __init__(
        self,
        app: ASGIApp,
        context: WebContext,
        identify: Identify,
        refuse: Refuse,
        body_s: float = BODY_S,
    ) -> None:
        """`identify` finds out who asks; `refuse` makes the response of a refusal, for a person or for a program."""
        self._app = app
        self._context = context
        self._identify_by = identify
        self._body_s = body_s
        self._refuse = refuse
        self._wrong_tokens = RateLimit(WRONG_TOKENS_A_MINUTE, context.clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        inbound = _Inbound(receive)
        response = _Sender(scope, send)
        try:
            check_head(scope, self._context.site)
            await self._identify(scope, connection)
            body = await _read_body(scope, inbound, _limit(scope), self._body_s)
            scope["state"]["body"] = body
            if scope["method"] == "HEAD":
                scope["method"] = "GET"
            await self._app(scope, _Replayed(body, receive), response)
        except RequestRefused as refusal:
            await _discard_body(scope, inbound)
            await self._refuse(connection, refusal)(scope, receive, response)
        except Exception as bug:  # the outermost place: a request must be answered
            self._context.report_bug(bug)
            if response.started:
                raise
            answer = RequestRefused(
                BUG, "this is a bug: the service's stderr says where its traceback is"
            )
            await self._refuse(connection, answer)(scope, receive, response)

    async def _identify(self, scope: Scope, connection: HTTPConnection) -> None:
        try:
            identity = await run_in_threadpool(self._identify_by, connection)
        except QuorateError as error:
            raise refusal_of(error) from error
        except RequestRefused as refusal:
            if refusal.kind is UNAUTHENTICATED:
                self._count_wrong(connection)
            raise
        scope.setdefault("state", {})["identity"] = identity

    def _count_wrong(self, connection: HTTPConnection) -> None:
        """Whoever guesses is slowed down; who has a valid token never gets here."""
        client = connection.client.host if connection.client else ""
        if (wait_s := self._wrong_tokens.take(client)) is not None:
            raise RequestRefused(
                TOO_MANY,
                "too many wrong tokens from your address",
                headers={"Retry-After": str(wait_s)},
            )


class _Sender:
    """Sends a response with the headers that every response has; the body of HEAD is dropped."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.started = False
        self._head = scope["method"] == "HEAD"
        self._state = scope.setdefault("state", {})
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in RESPONSE_HEADERS.items():
                headers.setdefault(name, value)
            if self._state.get("identity") is not None:
                headers[BUILD_HEADER] = str(this_build())
        elif self._head and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


class _Inbound:
    """Receives, and knows whether the body has ended."""

    def __init__(self, receive: Receive) -> None:
        self.ended = False
        self._receive = receive

    async def __call__(self) -> Message:
        message = await self._receive()
        self.ended = not message.get("more_body", False)
        return message


class _Replayed:
    """A body that was read already; afterwards, what the client does next."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


def check_head(scope: Scope, site: ServedSite) -> None:
    """Raises RequestRefused for a head that is ambiguous, malformed, or meant for or sent by another site."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    _check_singles(headers)
    values = {name: value.decode("latin-1").strip() for name, value in headers}
    check_length(values)
    if not site.is_host(values.get(b"host", "")):
        raise RequestRefused(
            WRONG_HOST,
            "this is not the host that was asked for (`quorate serve --allow-host NAME` allows another name)",
        )
    origins = [value.decode("latin-1").strip() for name, value in headers if name == b"origin"]
    if not all(site.is_origin(origin) for origin in origins):
        raise RequestRefused(FOREIGN_ORIGIN, "another site may not ask")
    check_path(scope["raw_path"])


def _check_singles(headers: list[tuple[bytes, bytes]]) -> None:
    for name in _SINGLE:
        if len([each for each, _ in headers if each == name]) > 1:
            raise RequestRefused(
                MALFORMED, f"several {name.decode()} headers: who knows which one holds"
            )


def check_length(headers: Mapping[bytes, str]) -> None:
    """Raises RequestRefused where the length of the body is not certain (RFC 9112, 6.3)."""
    length = headers.get(b"content-length")
    if length is None:
        return
    if not _LENGTH.fullmatch(length):
        raise RequestRefused(MALFORMED, "Content-Length is not a number")
    if b"transfer-encoding" in headers:
        raise RequestRefused(
            MALFORMED, "Content-Length beside Transfer-Encoding: who knows which one holds"
        )


def check_path(raw: bytes) -> None:
    """Raises RequestRefused unless the path is decoded in one way only, whoever looks at it."""
    text = raw.decode("latin-1")
    if not _PATH.fullmatch(text):
        raise RequestRefused(MALFORMED, "the path is malformed: send /path, percent-encoded")
    try:
        path = unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError as fault:
        raise RequestRefused(MALFORMED, "the path is not UTF-8") from fault
    parts = path[1:].split("/")
    if any(part in ("", ".", "..") for part in parts[:-1]) or parts[-1] in (".", ".."):
        raise RequestRefused(MALFORMED, "the path holds an empty or relative part")
    if not path.isprintable():
        raise RequestRefused(MALFORMED, "the path holds an unprintable character")


def _limit(scope: Scope) -> int:
    if scope["state"]["identity"] is None:
        return STRANGERS_BYTES
    return BATCH_BYTES if scope["path"].startswith(BATCHES) else MOST_BYTES


async def _read_body(scope: Scope, inbound: _Inbound, limit: int, within_s: float) -> bytes:
    """The whole body. Raises RequestRefused for one that is too large, too slow or broken off."""
    declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if int(declared) > limit:
        raise _too_large(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(within_s):
            while True:
                message = await inbound()
                if message["type"] == "http.disconnect":
                    raise RequestRefused(MALFORMED, "the body ended early")
                body += message.get("body", b"")
                if len(body) > limit:
                    raise _too_large(limit)
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError as late:
        raise RequestRefused(SLOW, "the request took too long") from late


async def _discard_body(scope: Scope, inbound: _Inbound) -> None:
    """Throw away what still comes: closing over unread bytes resets the connection, and the answer with it."""
    if any(name == b"expect" for name, _ in scope["headers"]):
        return  # who asks before sending has sent nothing
    try:
        async with asyncio.timeout(LINGER_S):
            while not inbound.ended:
                await inbound()
    except TimeoutError:
        return


def _too_large(limit: int) -> RequestRefused:
    return RequestRefused(TOO_LARGE, f"a body of at most {limit // 1024} KiB")
