"""The pages: one file a page, each with its `router`."""

from __future__ import annotations

from html import escape

from fastapi import APIRouter
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, Response

from orchestrator.web.pages import static_files
from orchestrator.web.problems import RequestRefused

ROUTERS: tuple[APIRouter, ...] = (static_files.router,)


def problem_page(connection: HTTPConnection, refusal: RequestRefused) -> Response:  # noqa: ARG001 - language and session come
    """A refusal, for a person."""
    title, detail = escape(refusal.kind.title), escape(refusal.detail)
    page = f"<!doctype html><title>{title}</title><h1>{title}</h1><p>{detail}</p>"
    return HTMLResponse(page, refusal.kind.status, refusal.headers)
