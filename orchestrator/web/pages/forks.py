"""A fork of a run: where it leaves the run, what is copied and asked then, and its submission."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from orchestrator.application.fork import ForkRequest, PlannedFork, plan_run_fork, submit_fork
from orchestrator.application.report import report_of
from orchestrator.core.lines import plain
from orchestrator.presentation.forks import plan_lines
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.run_pages.fork_page import fork_points
from orchestrator.presentation.run_pages.run_page import RunPageView
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Submitter
from orchestrator.web.pages.rendering import page, words_of
from shared.errors import UserError
from shared.models.notices import Notice

router = APIRouter()

WATCHED_S = 10
"""How long a fork streams before its page is open."""
Place = Annotated[str, Query(max_length=300)]
Limit = Annotated[str, Query(max_length=20)]


class _ToldLater:
    """What a fork warns of stands in the run that is made."""

    def inform(self, notice: Notice) -> None:
        """Nothing is said here."""

    warn = inform


@router.get("/runs/{run}/fork")
def show_fork(
    request: Request,
    context: Context,
    _identity: Submitter,
    run: str,
    at: Place = "",
    max_cost: Limit = "",
) -> Response:
    """Where it can be forked and, once a place is chosen, what would be copied and asked."""
    words = words_of(request)
    report = report_of(context.backend, run)
    plan, refused = [], ""
    if at:
        try:
            plan = plain(
                plan_lines(_planned(context, report, at, max_cost).plan, words)
            ).splitlines()
        except UserError as fault:
            refused = str(fault)
    return page(
        request,
        "fork.html",
        status=422 if refused else 200,
        shown=RunPageView(report, words),
        points=fork_points(report, words),
        at=at,
        max_cost=max_cost,
        plan=plan,
        refused=refused,
    )


@router.post("/runs/{run}/fork")
def fork(
    context: Context,
    _identity: Submitter,
    run: str,
    at: Annotated[str, Form(max_length=300)],
    max_cost: Annotated[str, Form(max_length=20)] = "",
) -> Response:
    """Begin it."""
    report = report_of(context.backend, run)
    planned = _planned(context, report, at, max_cost)
    forked = submit_fork(context.backend, planned, _ToldLater(), watched_for_s=WATCHED_S)
    return RedirectResponse(f"/runs/{forked}", status_code=303)


def _planned(context: WebContext, report: RunReport, at: str, max_cost: str) -> PlannedFork:
    request = ForkRequest(
        run=report.run.id,
        at=at,
        directory=context.directory,
        rules={},
        max_cost=_amount(max_cost),
    )
    return plan_run_fork(context.backend, request, _ToldLater())


def _amount(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise UserError("{text!r} is no amount of dollars", text=text)
    return amount
