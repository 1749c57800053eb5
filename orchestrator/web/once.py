"""`Idempotency-Key`: a POST that is sent again gets the answer of the first time, and does nothing again.

As draft-ietf-httpapi-idempotency-key-header has it: a key belongs to one request of one token; the same key with
another request is an error, and so is a second request while the first is under way. What failed may be sent again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from orchestrator.web.context import context_of
from orchestrator.web.identity import Identity
from orchestrator.web.problems import KEY_IN_USE, KEY_REUSED, MALFORMED, RequestRefused
from shared.patterns import regex
from shared.store.answered_requests import begin_request, give_up_request, keep_answer

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
_KEY = regex(r'"?[\x21\x23-\x7e]{1,200}"?')
_PARAMETER = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Any text of your own, once for each thing to be done: sent again, the first answer comes again.",
    "schema": {"type": "string", "pattern": "^[!#-~]{1,200}$"},
}

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class OnceRoute(APIRoute):
    """A route whose POST takes an Idempotency-Key."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """As for APIRoute; the header is described."""
        if "POST" in (options.get("methods") or ()):
            extra = dict(options.get("openapi_extra") or {})
            extra["parameters"] = [*extra.get("parameters", []), _PARAMETER]
            options["openapi_extra"] = extra
        super().__init__(path, endpoint, **options)

    def get_route_handler(self) -> Handler:
        """The handler, which is called once for each key."""
        handler = super().get_route_handler()

        async def once(request: Request) -> Response:
            key = request.headers.get(HEADER)
            identity: Identity | None = getattr(request.state, "identity", None)
            if key is None or identity is None or request.method != "POST":
                return await handler(request)
            if _KEY.fullmatch(key) is None:
                raise RequestRefused(MALFORMED, f"{HEADER}: up to 200 visible ASCII characters")
            return await _answered_once(request, identity.holder, key.strip('"'), handler)

        return once


async def _answered_once(request: Request, holder: str, key: str, handler: Handler) -> Response:
    backend = context_of(request).backend
    fingerprint = await _fingerprint(request)
    before = await run_in_threadpool(
        backend.write, partial(begin_request, actor=holder, key=key, fingerprint=fingerprint)
    )
    if before is not None:
        if before.fingerprint != fingerprint:
            raise RequestRefused(
                KEY_REUSED, f"the {HEADER} {key!r} was sent with another request: choose another"
            )
        if before.status is None:
            raise RequestRefused(
                KEY_IN_USE,
                f"the first request with the {HEADER} {key!r} is under way",
                headers={"Retry-After": "1"},
            )
        return _again(before.status, before.body, before.location)
    try:
        response = await handler(request)
    except BaseException:
        await run_in_threadpool(backend.write, partial(give_up_request, actor=holder, key=key))
        raise
    kept = partial(
        keep_answer,
        actor=holder,
        key=key,
        status=response.status_code,
        body=bytes(response.body),
        location=response.headers.get("location"),
    )
    await run_in_threadpool(backend.write, kept)
    return response


async def _fingerprint(request: Request) -> str:
    target = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return hashlib.sha256(target + await request.body()).hexdigest()


def _again(status: int, body: bytes, location: str | None) -> Response:
    headers = {REPLAYED: "true", **({"Location": location} if location else {})}
    return Response(body, status, headers, "application/json")
