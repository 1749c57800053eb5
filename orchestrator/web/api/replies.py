"""How the API answers: JSON with an entity tag, and cursors and locations as headers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import Request, Response

from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.web.problems import PRECONDITION, RequestRefused

MOVING = frozenset({"elapsed_s", "worked_s"})
"""What changes by itself: it is no other version of a resource."""
READ = {"Cache-Control": "private, no-cache"}


def etag_of(content: Mapping[str, Any]) -> str:
    """The entity tag of a resource."""
    text = dumps(_settled(content), indent=None)
    return f'"{hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]}"'


def _settled(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _settled(each) for name, each in value.items() if name not in MOVING}
    if isinstance(value, list | tuple):
        return [_settled(each) for each in value]
    return value


def read_json(
    request: Request, content: Mapping[str, Any], *, cursor: str | None = None
) -> Response:
    """A resource as it stands; 304 where the client has it. `cursor` asks for the page after this one."""
    whole = {"schema_version": SCHEMA_VERSION, **content}
    headers = {"ETag": etag_of(whole), **READ}
    if cursor is not None:
        query = [(name, value) for name, value in request.query_params.multi_items()]
        pairs = [(name, value) for name, value in query if name != "cursor"]
        target = f"{request.url.path}?{urlencode([*pairs, ('cursor', cursor)])}"
        headers["Link"] = f'<{target}>; rel="next"'
    if _names(request.headers.get("if-none-match"), headers["ETag"]):
        return Response(None, 304, headers)
    return _json(whole, 200, headers)


def done_json(content: Mapping[str, Any], *, status: int = 200, location: str = "") -> Response:
    """What came of a change; `location` is where the resource is that it made."""
    headers = {"Location": location} if location else {}
    return _json({"schema_version": SCHEMA_VERSION, **content}, status, headers)


def _json(content: Mapping[str, Any], status: int, headers: Mapping[str, str]) -> Response:
    body = dumps(content).encode("utf-8", "replace")
    return Response(body, status, dict(headers), "application/json")


def require_version(request: Request, content: Mapping[str, Any]) -> None:
    """Raises RequestRefused where `If-Match` names another version of what is to be changed."""
    wanted = request.headers.get("if-match")
    if wanted is None or _names(wanted, etag_of({"schema_version": SCHEMA_VERSION, **content})):
        return
    raise RequestRefused(PRECONDITION, "it has changed since it was read: read it again")


def _names(header: str | None, etag: str) -> bool:
    """Whether a list of entity tags has this one (weakly: proxies may have compressed it)."""
    if header is None:
        return False
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return "*" in tags or etag in tags
