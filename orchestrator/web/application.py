"""The one application: what guards it, how errors leave it, and which routers it has."""

from __future__ import annotations

from functools import cache, partial
from importlib.metadata import version

from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from orchestrator.application.metrics import MetricsCollector
from orchestrator.application.watched_runs import RunLooks
from orchestrator.web import api, health, pages
from orchestrator.web.context import WebContext
from orchestrator.web.guarding import RequestGuard
from orchestrator.web.identity import identify
from orchestrator.web.openapi import DESCRIPTION, describe, operation_id
from orchestrator.web.pages.forms import require_form_token
from orchestrator.web.problems import (
    INVALID,
    InvalidField,
    Problem,
    RequestRefused,
    as_json,
    is_for_people,
    refusal_of,
    refusal_of_status,
)
from orchestrator.web.scoping import within_projects
from orchestrator.web.streaming import EventHub
from orchestrator.web.watching import OpenRuns
from shared.errors import QuorateError
from shared.sentences import Sentence


def create_app(context: WebContext) -> FastAPI:
    """The application that serves an installation."""
    app = FastAPI(
        title="Quorate",
        version=version("quorate"),
        description=DESCRIPTION,
        openapi_url=f"{api.PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        routes=_routes(),
    )
    app.openapi = partial(describe, app)  # type: ignore[method-assign]  # FastAPI documents this way
    app.state.context = context
    app.state.open_runs = OpenRuns(RunLooks(context.backend))
    app.state.metrics = MetricsCollector(context.backend.settings, context.backend.database)
    app.state.events = EventHub(context.backend)
    app.add_exception_handler(QuorateError, _expected)
    app.add_exception_handler(RequestRefused, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _by_the_framework)
    app.add_middleware(
        RequestGuard, context=context, identify=partial(identify, context), refuse=_response
    )
    return app


@cache
def _routes() -> list[BaseRoute]:
    """Every route, built once: they know no installation and take a tenth of a second of processor."""
    every = APIRouter(
        responses={"default": {"model": Problem, "description": "A problem"}},
        generate_unique_id_function=operation_id,
    )
    scoped = Depends(within_projects)
    every.include_router(health.router, dependencies=[scoped])
    for router in api.ROUTERS:
        every.include_router(router, prefix=api.PREFIX, dependencies=[scoped])
    for router in pages.ROUTERS:
        every.include_router(
            router, include_in_schema=False, dependencies=[scoped, Depends(require_form_token)]
        )
    return every.routes


def _response(connection: HTTPConnection, refusal: RequestRefused) -> Response:
    if is_for_people(connection):
        return pages.problem_page(connection, refusal)
    return as_json(refusal)


def _expected(request: Request, error: Exception) -> Response:
    assert isinstance(error, QuorateError)
    return _response(request, refusal_of(error))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestRefused)
    return _response(request, error)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [
        InvalidField(field=".".join(map(str, each["loc"])), message=str(each["msg"]))
        for each in error.errors()
    ]
    detail = "; ".join(f"{each.field}: {each.message}" for each in errors[:3])
    return _response(request, RequestRefused(INVALID, detail, errors=errors))


def _by_the_framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = error.detail
    if error.status_code == 404:
        detail = Sentence("there is nothing at {path}", path=request.url.path)
    if error.status_code == 405:
        detail = Sentence(
            "{path} does not take {method}", path=request.url.path, method=request.method
        )
    return _response(request, refusal_of_status(error.status_code, detail, error.headers))
