"""The inbox: what waits for people, followed while it is open, and answered at once where that is harmless."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qsl, urlencode, urlsplit

from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from orchestrator.application.decide import decide_listed
from orchestrator.application.listings import WaitingFilter, asking, count_waiting, inbox
from orchestrator.presentation.locale.translator import Translator
from orchestrator.web.api.bodies import Text
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Decider, Role, Viewer
from orchestrator.web.pages.inbox_view import INBOX, InboxView, inbox_view, listed_name
from orchestrator.web.pages.rendering import page, words_of
from shared.models.decision import DecisionAnswer

router = APIRouter()

LISTED = 200
LONGEST_MESSAGE = 10_000
Chosen = Annotated[Text, Query(max_length=500)]
Counted = Annotated[int, Query(ge=0, le=LISTED)]


def wanted_of(workflow: Chosen = "", repository: Chosen = "", batch: Chosen = "") -> WaitingFilter:
    """What the address asks for."""
    return WaitingFilter(repository or None, batch or None, workflow or None)


Wanted = Annotated[WaitingFilter, Depends(wanted_of)]


@router.get(INBOX)
def show_inbox(
    request: Request,
    context: Context,
    identity: Viewer,
    wanted: Wanted,
    answered: Counted = 0,
    settled: Counted = 0,
) -> Response:
    """What waits."""
    words = words_of(request)
    return page(
        request,
        "inbox.html",
        view=_view(context, wanted, words),
        may_decide=identity.may(Role.DECIDER),
        told=[words.message("web_answered", n=answered)] if answered else [],
        warned=[words.message("web_settled", n=settled)] if settled else [],
    )


@router.get(f"{INBOX}/list")
def show_list(request: Request, context: Context, _identity: Viewer, wanted: Wanted) -> Response:
    """The list alone, for a page that is open."""
    return page(request, "inbox_list.html", view=_view(context, wanted, words_of(request)))


@router.get(f"{INBOX}/count")
def show_count(request: Request, context: Context, _identity: Viewer) -> Response:
    """How much waits, for the navigation of every page."""
    return page(request, "inbox_count.html", total=count_waiting(context.backend))


@router.post(f"{INBOX}/answers")
def answer_listed(
    context: Context,
    identity: Decider,
    choice: Annotated[Text, Form()],
    decision: Annotated[list[str], Form(max_length=LISTED)],
    message: Annotated[Text, Form(max_length=LONGEST_MESSAGE)] = "",
    back: Annotated[str, Form()] = INBOX,
) -> Response:
    """Give all decisions that were listed the same answer, as far as they still ask what they asked."""
    named = set(decision)
    rows = [row for row in inbox(context.backend).decisions if listed_name(row) in named]
    answer = DecisionAnswer(
        choice=choice,
        actor=identity.actor,
        channel=identity.channel,
        message=message.replace("\r\n", "\n"),
    )
    bulk = decide_listed(context.backend, answer, rows)
    settled = len(named) - len(bulk.answered) - len(bulk.left)
    filters = dict(parse_qsl(urlsplit(back).query))
    query = urlencode({**filters, "answered": len(bulk.answered), "settled": settled})
    return RedirectResponse(f"{INBOX}?{query}", status_code=303)


def _view(context: WebContext, wanted: WaitingFilter, words: Translator) -> InboxView:
    waiting = inbox(context.backend, wanted, limit=LISTED)
    return inbox_view(waiting, wanted, asking(context.backend), context.now(), words)
