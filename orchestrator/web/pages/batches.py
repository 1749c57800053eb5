"""Batches: how they stand, their items, what they came to, and what can be done to them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from orchestrator.application import batch as stored
from orchestrator.application.batch_report import cohort_of
from orchestrator.application.batch_standing import all_batches, batch_status
from orchestrator.evaluation.scoring import ReadingRules
from orchestrator.presentation.cohort import cohort_document
from orchestrator.presentation.formats.html import fragment
from orchestrator.presentation.run_pages.batches_page import batch_view, item_badge, item_lines
from orchestrator.web.context import Context
from orchestrator.web.identity import Role, Submitter, Viewer
from orchestrator.web.pages.rendering import page, words_of
from shared.models.batches import BatchLimits, ItemState

router = APIRouter()

BATCHES = "/batches"
LISTED, ITEMS = 100, 100
FILTERED = tuple(state for state in ItemState if state is not ItemState.MISSING)
Text = Annotated[str, Query(max_length=20)]
Cursor = Annotated[int, Query(ge=-1, le=2**31 - 1)]


@router.get(BATCHES)
def list_batches(request: Request, context: Context, _identity: Viewer) -> Response:
    """The newest ones."""
    words = words_of(request)
    listed = [batch_view(each, words) for each in all_batches(context.backend, LISTED)]
    return page(request, "batches.html", batches=listed)


@router.get(f"{BATCHES}/{{batch}}")
def show_batch(
    request: Request,
    context: Context,
    identity: Viewer,
    batch: str,
    state: Text = "",
    cursor: Cursor = -1,
) -> Response:
    """One of them, with a page of its items in the order of their file."""
    words = words_of(request)
    view = batch_view(batch_status(context.backend, batch), words)
    name = view.status.batch.name
    states = tuple(each for each in ItemState if state in ("", each))
    rows = stored.page_of_items(context.backend, name, after=cursor, limit=ITEMS, states=states)
    return page(
        request,
        "batch.html",
        view=view,
        items=item_lines(rows, words),
        state=state,
        states=[(each.value, item_badge(each, words).text) for each in FILTERED],
        following=rows[-1].position if len(rows) == ITEMS else None,
        begins=cursor < 0,
        may_submit=identity.may(Role.SUBMITTER),
    )


@router.get(f"{BATCHES}/{{batch}}/state")
def show_state(request: Request, context: Context, _identity: Viewer, batch: str) -> Response:
    """How it stands, for a page that is open."""
    status = batch_status(context.backend, batch)
    return page(request, "batch_state.html", view=batch_view(status, words_of(request)))


@router.get(f"{BATCHES}/{{batch}}/report")
def show_report(request: Request, context: Context, _identity: Viewer, batch: str) -> Response:
    """What it came to, as `quorate batch report` has it."""
    words = words_of(request)
    cohort = cohort_of(context.backend, batch, ReadingRules())
    document = fragment(cohort_document(cohort.report, words), words)
    return page(
        request,
        "batch_report.html",
        name=cohort.report.name,
        document=Markup(document),  # noqa: S704 - escaped there
    )


@router.post(f"{BATCHES}/{{batch}}/pause")
def pause(context: Context, _identity: Submitter, batch: str) -> Response:
    """Let nothing more of it begin for now."""
    return _back(stored.pause(context.backend, batch, paused=True).batch.name)


@router.post(f"{BATCHES}/{{batch}}/resume")
def resume(context: Context, _identity: Submitter, batch: str) -> Response:
    """Let it go on."""
    return _back(stored.pause(context.backend, batch, paused=False).batch.name)


@router.post(f"{BATCHES}/{{batch}}/cancel")
def cancel(context: Context, identity: Submitter, batch: str) -> Response:
    """Let nothing more of it begin, for good; what is under way comes to its end."""
    status = stored.cancel(context.backend, batch, identity.actor)
    if not sum(status.counts.values()) - status.counts[ItemState.MISSING]:
        return RedirectResponse(BATCHES, status_code=303)
    return _back(status.batch.name)


@router.post(f"{BATCHES}/{{batch}}/retry")
def retry(
    context: Context,
    _identity: Submitter,
    batch: str,
    max_usd: Annotated[float | None, Form(ge=0, allow_inf_nan=False)] = None,
) -> Response:
    """Ask again for what failed; a higher budget lets a batch go on whose budget is used up."""
    status, _items = stored.retry(context.backend, batch, BatchLimits(max_usd=max_usd))
    return _back(status.batch.name)


def _back(name: str) -> Response:
    return RedirectResponse(f"{BATCHES}/{name}", status_code=303)
