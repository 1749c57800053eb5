"""Signing in, by a one-time link of `quorate serve` or by a token; signing out; language and appearance."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response

from orchestrator.application.api_tokens import hash_of
from orchestrator.settings.languages import LANGUAGES
from orchestrator.web.context import Context, WebContext, context_of
from orchestrator.web.identity import cookie_name, of_token
from orchestrator.web.pages.rendering import (
    LANGUAGE_COOKIE,
    THEME_COOKIE,
    THEMES,
    page,
    words_of,
)
from orchestrator.web.problems import TOO_MANY, RequestRefused
from orchestrator.web.sessions import LONGEST_S

router = APIRouter()

PREFERENCE_S = 365 * 86_400


def link_path(code: str) -> str:
    """Where a one-time link leads."""
    return f"/enter/{code}"


@router.get("/")
def start() -> Response:
    """What waits comes first."""
    return _see("/inbox")


@router.get("/enter/{code}")
def show_link(request: Request, code: str) -> Response:
    """A button that uses the link: what only looks at addresses (previews, scanners) does not use it up."""
    return page(request, "enter.html", code=code)


@router.post("/enter")
def use_link(request: Request, context: Context, code: Annotated[str, Form()] = "") -> Response:
    """Open the link's session."""
    _slow_down(request)
    cookie = context.sessions.use_link(code)
    if cookie is None:
        words = words_of(request)
        return sign_in_page(request, status=403, problem=words.message("web_link_used"))
    return _signed_in(request, context, cookie)


@router.get("/sign-in")
def show_sign_in(request: Request) -> Response:
    """How to get in."""
    return sign_in_page(request)


@router.post("/sign-in")
def sign_in(request: Request, context: Context, token: Annotated[str, Form()] = "") -> Response:
    """Open a session for whoever has a token."""
    _slow_down(request)
    identity = of_token(context, token.strip())
    if identity is None:
        words = words_of(request)
        return sign_in_page(request, status=403, problem=words.message("web_token_wrong"))
    stored = hash_of(token.strip()) if identity.token else ""
    cookie = context.sessions.open(
        identity.actor, identity.role, token=identity.token, token_sha256=stored
    )
    return _signed_in(request, context, cookie)


@router.post("/sign-out")
def sign_out(request: Request, context: Context) -> Response:
    """End the session."""
    context.sessions.close(request.cookies.get(cookie_name(context), ""))
    response = _see("/sign-in")
    response.delete_cookie(cookie_name(context), httponly=True, samesite="strict")
    return response


@router.post("/preferences")
def set_preferences(
    request: Request,
    language: Annotated[str, Form()] = "",
    theme: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "/",
) -> Response:
    """Remember a language or an appearance in this browser."""
    response = _see(own_path(back))
    for name, value, known in (
        (LANGUAGE_COOKIE, language, LANGUAGES),
        (THEME_COOKIE, theme, THEMES),
    ):
        if value in known:
            response.set_cookie(
                name,
                value,
                max_age=PREFERENCE_S,
                httponly=True,
                samesite="lax",
                secure=_is_tls(request),
            )
    return response


def own_path(path: str) -> str:
    """A path of this service; the start for anything that a browser could take for another site."""
    plain = path.isascii() and path.isprintable() and "\\" not in path
    return path if plain and path.startswith("/") and not path.startswith("//") else "/"


def sign_in_page(connection: HTTPConnection, *, status: int = 200, problem: str = "") -> Response:
    """How to get in, and what was wrong with the last attempt."""
    return page(connection, "sign_in.html", status=status, problem=problem)


def _slow_down(request: Request) -> None:
    """Raises RequestRefused for whoever tries too often."""
    client = request.client.host if request.client else ""
    if (wait_s := context_of(request).sign_ins.take(client)) is not None:
        raise RequestRefused(
            TOO_MANY, "too many attempts to sign in", headers={"Retry-After": str(wait_s)}
        )


def _signed_in(request: Request, context: WebContext, cookie: str) -> Response:
    response = _see("/inbox")
    response.set_cookie(
        cookie_name(context),
        cookie,
        max_age=int(LONGEST_S),
        httponly=True,
        samesite="strict",
        secure=_is_tls(request),
    )
    return response


def _is_tls(request: Request) -> bool:
    """Whether a browser speaks TLS to us or to a proxy before us, by the Origin of its form."""
    return request.headers.get("origin", "").startswith("https://")


def _see(path: str) -> Response:
    return RedirectResponse(path, status_code=303)
