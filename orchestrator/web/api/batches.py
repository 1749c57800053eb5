"""Batches: many runs from one file of JSON lines."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from orchestrator.application import batch as batches
from orchestrator.application.batch_desk import StoredBatches
from orchestrator.application.batch_file import (
    BatchFile,
    FileCheck,
    LineFault,
    check_file,
    opened,
    read_items,
)
from orchestrator.application.batch_standing import all_batches, batch_status
from orchestrator.application.batch_submit import BatchFaults, BatchRequest, submit_batch
from orchestrator.application.notice_listener import NoticeList
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.application.remote_requests import faults_of
from orchestrator.application.subject_input import STDIN
from orchestrator.presentation.batches import status_json
from orchestrator.presentation.cohort_formats import COHORT_FORMATS
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.settings.loading import load_configuration
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Body, Name
from orchestrator.web.api.replies import done_json, read_json
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Submitter, Viewer
from orchestrator.web.once import OnceRoute
from orchestrator.web.problems import INVALID, MEDIA, InvalidField, RequestRefused
from shared.models.batches import BatchLimits, BatchStatus

router = APIRouter(prefix="/batches", tags=["batches"], route_class=OnceRoute)
JSON_LINES = "application/x-ndjson"
LISTED = 100
PAGE = 200
_LINES = {
    "requestBody": {
        "required": True,
        "content": {
            JSON_LINES: {
                "schema": {"type": "string"},
                "example": '{"custom_id": "a", "workflow": "ask", "input": {"text": "Is it?"}}\n',
            }
        },
    }
}


class RetriedBatch(shapes.BatchAnswer):
    """One batch, and how many of its items are asked again."""

    retried: int


class RetryBody(Body):
    """What is asked again, and what the batch may take from now on."""

    cancelled: bool = Field(default=False, description="also what was cancelled")
    max_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    max_running: int | None = Field(default=None, ge=1, le=2**31 - 1)


class CancelBody(Body):
    """How a batch ends."""

    at_once: bool = Field(default=False, description="end what is under way, too")


@dataclass
class _Silent:
    """Nobody looks on while a batch is stored."""

    stored: int = 0

    def captured(self, stored: int, total: int) -> None:  # noqa: ARG002 - the Protocol's signature
        """So many items are stored."""
        self.stored = stored


def _checked(context: WebContext, file: BatchFile) -> FileCheck:
    """What is in the file. Raises RequestRefused with every line that cannot be used, or not from here."""
    check = check_file(file)
    reach = context.reach
    settings = load_configuration(reach.directory, context.environ, explicit=reach.config).settings
    faults = [*check.faults]
    for item in read_items(file):
        faults += (LineFault(item.number, text) for text in faults_of(item, reach, settings))
        if len(faults) >= PAGE:
            break
    if faults:
        raise _refused(faults, max(check.wrong, len(faults)))
    return check


def _refused(faults: list[LineFault], wrong: int) -> RequestRefused:
    shown = [InvalidField(field=f"line {fault.line}", message=fault.reason) for fault in faults]
    return RequestRefused(
        INVALID,
        f"{wrong} faults; nothing was queued. {shown[0].field}: {shown[0].message}",
        errors=shown[:PAGE],
    )


def _require_lines(request: Request) -> None:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in (JSON_LINES, "application/jsonl", "application/x-jsonlines"):
        raise RequestRefused(MEDIA, f"send {JSON_LINES}: one JSON object a line")


@router.get("", summary="Batches, newest first", response_model=shapes.BatchesShape)
def list_(
    request: Request,
    context: Context,
    _: Viewer,
    limit: Annotated[int, Query(ge=1, le=LISTED)] = 20,
) -> Response:
    """How each of them stands; counts add up to the total."""
    listed = all_batches(context.backend, limit)
    return read_json(request, {"batches": [status_json(each) for each in listed]})


@router.post(
    "/validate",
    summary="Check a file",
    response_model=shapes.CheckedFileShape,
    openapi_extra=_LINES,
)
def validate(request: Request, context: Context, _: Submitter) -> Response:
    """Every line that cannot be used, with its number: 422. Nothing is stored or started."""
    _require_lines(request)
    with opened(STDIN, context.reach.directory, io.BytesIO(request.state.body)) as file:
        check = _checked(context, file)
    content = {"items": check.total, "workflows": check.workflows, "wrong": 0, "errors": []}
    return done_json(content)


@router.post(
    "",
    summary="Submit a batch",
    status_code=201,
    response_model=shapes.BatchAnswer,
    openapi_extra=_LINES,
)
def submit(
    request: Request,
    context: Context,
    identity: Submitter,
    name: Annotated[
        str | None, Query(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$", description="call it so")
    ] = None,
    max_usd: Annotated[float | None, Query(ge=0, allow_inf_nan=False)] = None,
    max_running: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
) -> Response:
    """Checks the whole file, captures every item and queues them below the work that people wait for.

    The same file again is the same batch. A name that stands for another file is 409. A batch of a token with projects
    belongs to the first of them, and is called PROJECT:NAME.
    """
    _require_lines(request)
    reach = context.reach
    context.backend.revive()
    with opened(STDIN, reach.directory, io.BytesIO(request.state.body)) as file:
        common = SubmissionRequest(directory=reach.directory, config=reach.config, unattended=True)
        limits = BatchLimits(max_usd, max_running)
        project = None if identity.projects is None else identity.projects[0]
        wanted = BatchRequest(file, common, _checked(context, file), limits, name, project)
        try:
            row = submit_batch(context.backend, wanted, NoticeList(), _Silent())
        except BatchFaults as faults:
            raise _refused([*faults.faults], faults.wrong) from faults
    status = batch_status(context.backend, row.name)
    location = f"{request.url.path}/{quote(row.name)}"
    return done_json({"batch": status_json(status)}, status=201, location=location)


@router.get("/{batch}", summary="How a batch stands", response_model=shapes.BatchAnswer)
def show(request: Request, context: Context, batch: Name, _: Viewer) -> Response:
    """Its counts, its costs and its limits; `last` is the newest."""
    return read_json(request, {"batch": status_json(batch_status(context.backend, batch))})


@router.get("/{batch}/items", summary="Its items", response_model=shapes.BatchItemsShape)
def items(
    request: Request,
    context: Context,
    batch: Name,
    _: Viewer,
    limit: Annotated[int, Query(ge=1, le=PAGE)] = 100,
    cursor: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
) -> Response:
    """In the order of its file: `custom_id`, its run and where it stands."""
    page = batches.page_of_items(context.backend, batch, after=cursor, limit=limit)
    listed = [
        {
            "custom_id": row.custom_id,
            "run": row.run,
            "state": row.state,
            "attempts": row.attempt + 1,
        }
        for row in page
    ]
    following = str(page[-1].position) if len(page) == limit else None
    return read_json(request, {"items": listed, "next_cursor": following}, cursor=following)


@router.get(
    "/{batch}/results",
    summary="Its results",
    response_class=Response,
    responses={200: {"content": {JSON_LINES: {"schema": {"type": "string"}}}}},
)
def results(
    context: Context,
    batch: Name,
    _: Viewer,
    errors: Annotated[bool, Query(description="only what failed or was cancelled")] = False,
) -> Response:
    """A JSON object a line for each item that has ended, as `quorate batch results` writes it."""
    name = batch_status(context.backend, batch, costs=False).batch.name
    lines = StoredBatches(context.backend).result_lines(name, errors=errors)
    return StreamingResponse((f"{line}\n" for line in lines), media_type=JSON_LINES)


@router.get(
    "/{batch}/report",
    summary="What it came to",
    response_class=Response,
    responses={200: {"model": shapes.BatchReportShape}},
)
def report(
    request: Request,
    context: Context,
    batch: Name,
    _: Viewer,
    format: Annotated[str, Query(pattern="^(json|md|html|csv|jsonl)$")] = "json",
) -> Response:
    """Verdicts, findings, agreement, time and cost by participant; with labels precision and recall."""
    cohort = StoredBatches(context.backend).cohort(batch)
    if format == "json":
        return read_json(request, {"report": json.loads(cohort.report.model_dump_json())})
    written = COHORT_FORMATS[f".{format}"]
    text = written.render(cohort.report, cohort.rows, ENGLISH)
    return Response(text.encode("utf-8", "replace"), media_type=written.media_type)


@router.post("/{batch}/cancel", summary="End a batch", response_model=shapes.BatchAnswer)
def cancel(
    context: Context, batch: Name, identity: Submitter, body: CancelBody | None = None
) -> Response:
    """Nothing more of it begins; what is under way comes to its end, or ends at once."""
    at_once = body is not None and body.at_once
    return _done(batches.cancel(context.backend, batch, identity.actor, at_once=at_once))


@router.post("/{batch}/pause", summary="Pause a batch", response_model=shapes.BatchAnswer)
def pause(context: Context, batch: Name, _: Submitter) -> Response:
    """Nothing more of it begins for now; one that is paused already is 422."""
    return _done(batches.pause(context.backend, batch, paused=True))


@router.post("/{batch}/resume", summary="Let a batch go on", response_model=shapes.BatchAnswer)
def resume(context: Context, batch: Name, _: Submitter) -> Response:
    """One that is not paused is 422."""
    return _done(batches.pause(context.backend, batch, paused=False))


@router.post("/{batch}/retry", summary="Ask again", response_model=RetriedBatch)
def retry(context: Context, batch: Name, _: Submitter, body: RetryBody | None = None) -> Response:
    """A new run for each item that failed; blocked ones go on where they stopped."""
    wanted = body or RetryBody()
    limits = BatchLimits(wanted.max_usd, wanted.max_running)
    status, items = batches.retry(context.backend, batch, limits, cancelled=wanted.cancelled)
    return done_json({"batch": status_json(status), "retried": items})


def _done(status: BatchStatus) -> Response:
    return done_json({"batch": status_json(status)})
