"""The pages: one file a page, each with its `router`."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import HTTPConnection
from starlette.responses import Response

from orchestrator.web.pages import (
    batches,
    code,
    comparison,
    costs,
    decision,
    forks,
    inbox,
    people,
    run,
    runs,
    schedules,
    sign_in,
    start,
    static_files,
    turn,
)
from orchestrator.web.pages.rendering import page, words_of
from orchestrator.web.problems import UNAUTHENTICATED, RequestRefused

ROUTERS: tuple[APIRouter, ...] = (
    static_files.router,
    sign_in.router,
    inbox.router,
    decision.router,
    turn.router,
    runs.router,
    run.router,
    code.router,
    start.router,
    forks.router,
    batches.router,
    schedules.router,
    comparison.router,
    people.router,
    costs.router,
)


def problem_page(connection: HTTPConnection, refusal: RequestRefused) -> Response:
    """A refusal, for a person; who is not signed in is told how."""
    if refusal.kind is UNAUTHENTICATED:
        return sign_in.sign_in_page(connection, status=401)
    title = words_of(connection).word(f"problem_{refusal.kind.code}", refusal.kind.title)
    return page(
        connection,
        "problem.html",
        status=refusal.kind.status,
        headers=refusal.headers,
        title=title,
        detail=words_of(connection).sentence(refusal.detail),
    )
