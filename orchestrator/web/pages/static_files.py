"""What pages load: a style sheet, htmx and our few lines of script, each under an address that names its content."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from orchestrator.presentation import formats

router = APIRouter()

_TYPES = {
    "quorate.css": "text/css; charset=utf-8",
    "quorate.js": "text/javascript; charset=utf-8",
    "htmx.min.js": "text/javascript; charset=utf-8",
    "runs.css": "text/css; charset=utf-8",
    "run.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_FOR_EVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class StaticFile:
    """A file as it is sent."""

    content: bytes
    media_type: str
    digest: str


@cache
def static_file(name: str) -> StaticFile:
    """Raises KeyError for a name that is not ours."""
    media_type = _TYPES[name]
    text = resources.files(__package__ or "").joinpath("static", name).read_text(encoding="utf-8")
    if name == "quorate.css":
        # Documents look as in a report: its style sheet, for what stands within `.document`.
        report = resources.files(formats).joinpath("page.css").read_text(encoding="utf-8")
        text = f".document {{\n{report}}}\n{text}"
    content = text.encode("utf-8")
    return StaticFile(content, media_type, hashlib.sha256(content).hexdigest()[:16])


def address_of(name: str) -> str:
    """Where a file is: another address as soon as its content is another one."""
    return f"/static/{name}?v={static_file(name).digest}"


@router.get("/static/{name}", include_in_schema=False)
def serve_file(name: str, request: Request) -> Response:
    """A file of ours; it may be kept for ever under the address that names its content."""
    if name not in _TYPES:
        raise HTTPException(404)
    file = static_file(name)
    current = request.query_params.get("v") == file.digest
    keep = _FOR_EVER if current else "no-cache"
    return Response(file.content, media_type=file.media_type, headers={"Cache-Control": keep})
