"""Runs: the list, one of them and its parts, and its result in every format."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import Field, StringConstraints

from orchestrator.application.listings import MOST_ON_A_PAGE, page_of
from orchestrator.application.report import report_of
from orchestrator.core.formats import FORMATS, format_named
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.locale.translator import Translator
from orchestrator.settings.languages import LANGUAGES
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Body, RunName
from orchestrator.web.api.replies import READ, etag_of, read_json
from orchestrator.web.context import Context
from orchestrator.web.identity import Viewer
from orchestrator.web.once import OnceRoute
from orchestrator.web.streaming import EventHub, event_stream
from orchestrator.web.watching import OpenRuns
from shared.models.outcomes import RunStatus, Verdict
from shared.store.events import list_events
from shared.store.run_filter import RunFilter
from shared.store.views import find_run

router = APIRouter(prefix="/runs", tags=["runs"], route_class=OnceRoute)

Word = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]


class RunQuery(Body):
    """Which runs are listed."""

    status: RunStatus | None = None
    verdict: Verdict | None = None
    workflow: Word | None = None
    repository: Word | None = None
    batch: Word | None = None
    q: Word | None = Field(default=None, description="words of the title, or an id's beginning")
    since_s: float | None = Field(default=None, gt=0, le=1e10, description="at most so old")
    limit: int = Field(default=50, ge=1, le=MOST_ON_A_PAGE)
    cursor: Word | None = Field(default=None, description="`next_cursor` of the page before")


@router.get("", summary="Runs, newest first", response_model=shapes.RunsShape)
def list_(
    request: Request, context: Context, _: Viewer, query: Annotated[RunQuery, Query()]
) -> Response:
    """Those that no other run started, unless a status is asked for. Filters are combined."""
    wanted = RunFilter(
        status=query.status,
        verdict=query.verdict,
        workflow=query.workflow,
        repository=query.repository,
        batch=query.batch,
        words=query.q,
        since_s=query.since_s,
    )
    page = page_of(context.backend, wanted, cursor=query.cursor, limit=query.limit)
    content = {"runs": [asdict(row) for row in page.rows], "next_cursor": page.cursor}
    return read_json(request, content, cursor=page.cursor)


@router.get("/{run}", summary="A run", response_model=shapes.RunShape)
def show(request: Request, context: Context, run: RunName, _: Viewer) -> Response:
    """As `quorate show --json` prints it: result, findings, rounds, open decision, participants, cost, warnings."""
    return read_json(request, as_json(report_of(context.backend, run)))


@router.get("/{run}/findings", summary="Its findings", response_model=shapes.FindingsShape)
def findings(request: Request, context: Context, run: RunName, _: Viewer) -> Response:
    """The most important ones first, with who supports and who opposes them."""
    return read_json(request, {"findings": as_json(report_of(context.backend, run))["findings"]})


@router.get("/{run}/rounds", summary="Its rounds", response_model=shapes.RoundsShape)
def rounds(request: Request, context: Context, run: RunName, _: Viewer) -> Response:
    """The timeline: stages in order, each with its steps, and the figures of a round."""
    return read_json(request, {"rounds": as_json(report_of(context.backend, run))["rounds"]})


@router.get("/{run}/turns", summary="Its turns", response_model=shapes.TurnsShape)
def turns(request: Request, context: Context, run: RunName, _: Viewer) -> Response:
    """Every step in order with its reply or failure, tokens and cost."""
    stages = as_json(report_of(context.backend, run))["rounds"]
    return read_json(request, {"turns": [step for stage in stages for step in stage["steps"]]})


@router.get("/{run}/notices", summary="Its notices", response_model=shapes.NoticesShape)
def notices(request: Request, context: Context, run: RunName, _: Viewer) -> Response:
    """What it has to tell people: limits, absences, cautions."""
    return read_json(request, {"notices": as_json(report_of(context.backend, run))["warnings"]})


@router.get(
    "/{run}/report",
    summary="Its result in a format",
    response_class=Response,
    responses={
        200: {
            "description": "the result",
            "content": {row.media_type: {"schema": {"type": "string"}} for row in FORMATS},
        }
    },
)
def report(
    request: Request,
    context: Context,
    run: RunName,
    _: Viewer,
    format: Annotated[str, Query(description=", ".join(row.name for row in FORMATS))] = "markdown",
    lang: Annotated[str | None, Query(pattern="|".join(LANGUAGES))] = None,
) -> Response:
    """As `quorate show --format` prints it. Markdown and HTML hold what models wrote: show them as data."""
    chosen = format_named(format)
    found = report_of(context.backend, run)
    text = chosen.render(found, Translator(lang or found.spec.language))
    headers = {"ETag": etag_of({"text": text}), **READ, "Content-Disposition": "attachment"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(None, 304, headers)
    return Response(text.encode("utf-8", "replace"), 200, headers, chosen.media_type)


@router.get(
    "/{run}/events",
    summary="Its log, also as it happens",
    response_model=shapes.EventsShape,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
def events(
    request: Request,
    context: Context,
    run: RunName,
    _: Viewer,
    after: Annotated[
        int, Query(ge=0, le=2**31 - 1, description="only those after this number")
    ] = 0,
    last_event_id: Annotated[
        str | None,
        Header(description="the last event received; outranks `after`", pattern=r"^[0-9]{1,9}$"),
    ] = None,
    written: Annotated[
        bool, Query(description="also what turns are writing, as server-sent events `written`")
    ] = False,
) -> Response:
    """JSON; with `Accept: text/event-stream` server-sent events until the run has ended.

    Each event has its number as `id`: a client that reconnects with `Last-Event-ID` misses nothing. The last one is
    `end`. A comment comes every 15 seconds in which nothing happens. `written` events say how far answers have come
    that stream, by step: `{"critique/1/ada": {"characters": 120, "text": "their end"}}`; they are stored nowhere and
    have no number.
    """
    if last_event_id is not None:
        after = int(last_event_id)
    name = context.backend.read(lambda connection: find_run(connection, run)).id
    if "text/event-stream" in request.headers.get("accept", ""):
        hub: EventHub = request.app.state.events
        opened: OpenRuns | None = request.app.state.open_runs if written else None
        return event_stream(hub, name, after, opened)
    rows = context.backend.read(lambda connection: list_events(connection, name, after))
    listed = [{"seq": seq, "type": kind, "body": body} for seq, kind, body in rows]
    return read_json(request, json.loads(json.dumps({"events": listed}, default=str)))
