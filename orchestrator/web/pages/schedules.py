"""Schedules: what starts runs by itself, when, and what came of it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from orchestrator.application import schedules
from orchestrator.presentation.run_pages.schedules_page import schedule_card
from orchestrator.web.context import Context
from orchestrator.web.identity import Operator, Role, Viewer
from orchestrator.web.pages.rendering import page, words_of

router = APIRouter()

SCHEDULES = "/schedules"
FIRINGS = 20
Name = Annotated[str, Form(min_length=1, max_length=100)]


@router.get(SCHEDULES)
def show_schedules(request: Request, context: Context, identity: Viewer) -> Response:
    """All of them, each with its next times and its history."""
    words = words_of(request)
    cards = [
        schedule_card(each.schedule, schedules.timetable_of(each.schedule), each.firings, words)
        for each in schedules.reports(context.backend, FIRINGS)
    ]
    return page(request, "schedules.html", cards=cards, may_change=identity.may(Role.OPERATOR))


@router.post(f"{SCHEDULES}/run")
def run_now(context: Context, _identity: Operator, name: Name) -> Response:
    """Start it now; its times stay as they are."""
    schedules.fire_now(context.backend, name)
    return RedirectResponse(SCHEDULES, status_code=303)


@router.post(f"{SCHEDULES}/pause")
def pause(context: Context, _identity: Operator, name: Name) -> Response:
    """Start nothing until it is resumed."""
    schedules.pause(context.backend, name, paused=True)
    return RedirectResponse(SCHEDULES, status_code=303)


@router.post(f"{SCHEDULES}/resume")
def resume(context: Context, _identity: Operator, name: Name) -> Response:
    """Let it go on from now."""
    schedules.pause(context.backend, name, paused=False)
    return RedirectResponse(SCHEDULES, status_code=303)
