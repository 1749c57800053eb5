"""Participants: whether they can be asked, how fast, how reliable, how dear and how often right they are."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from orchestrator.application.participants_lately import participants_lately
from orchestrator.application.pausing import pause_participant, resume_participant
from orchestrator.presentation.run_pages.costs_page import AGES_D
from orchestrator.presentation.run_pages.people_page import account_lines, participant_cards
from orchestrator.presentation.run_pages.runs_page import DAY_S
from orchestrator.web.context import Context
from orchestrator.web.identity import Operator, Role, Viewer
from orchestrator.web.pages.rendering import page, words_of

router = APIRouter()

PARTICIPANTS = "/participants"
Name = Annotated[str, Form(min_length=1, max_length=200)]


@router.get(PARTICIPANTS)
def show_participants(
    request: Request,
    context: Context,
    identity: Viewer,
    days: Annotated[int, Query(ge=1, le=366)] = 30,
) -> Response:
    """Everybody who took part lately, and the accounts that they are reached by."""
    words = words_of(request)
    lately = participants_lately(context.backend, days * DAY_S)
    return page(
        request,
        "participants.html",
        days=days,
        ages=AGES_D,
        cards=participant_cards(
            lately.times, lately.spending, lately.history, lately.pauses, words
        ),
        accounts=account_lines(lately.accounts, words),
        others=[pause for pause in lately.pauses if pause.name not in lately.times],
        reached=lately.reached,
        may_pause=identity.may(Role.OPERATOR) and identity.projects is None,
    )


@router.post(f"{PARTICIPANTS}/pause")
def pause(
    context: Context,
    _identity: Operator,
    name: Name,
    reason: Annotated[str, Form(max_length=500)] = "",
) -> Response:
    """Hold somebody's calls."""
    pause_participant(context.backend, name, reason, None, context.directory)
    return RedirectResponse(PARTICIPANTS, status_code=303)


@router.post(f"{PARTICIPANTS}/resume")
def resume(context: Context, _identity: Operator, name: Name) -> Response:
    """Let them go on, or close an account's breaker."""
    resume_participant(context.backend, name)
    return RedirectResponse(PARTICIPANTS, status_code=303)
