"""A person's own turn: what is asked, exactly as it would be put to a model, and a field for the answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from orchestrator.application.decide import TurnAnswer, take_turn, waiting_turn
from orchestrator.application.run_details import request_of
from orchestrator.core.discussion.spoken import form_of
from orchestrator.core.lines import plain
from orchestrator.presentation.sent import prompt
from orchestrator.web.api.bodies import Text
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Decider, Identity, Role, Viewer
from orchestrator.web.pages.inbox_view import INBOX, turn_address
from orchestrator.web.pages.rendering import page, words_of
from shared.errors import DecisionConflict, UserError
from shared.store.waiting_turns import WaitingTurn

router = APIRouter()

PATH = "/runs/{run}/turns/{step:path}"
LONGEST_ANSWER = 100_000


@router.get(PATH)
def show_turn(
    request: Request, context: Context, identity: Viewer, run: str, step: str
) -> Response:
    """What is asked."""
    turn = waiting_turn(context.backend, run, step)
    return _shown(request, context, identity, turn)


@router.post(PATH)
def answer_turn(
    request: Request,
    context: Context,
    identity: Decider,
    run: str,
    step: str,
    text: Annotated[Text, Form(max_length=LONGEST_ANSWER)] = "",
) -> Response:
    """Store the answer and wake the run; one that the turn cannot use is shown again with what is missing."""
    given = TurnAnswer(run=run, text=text.replace("\r\n", "\n"), actor=identity.actor, step=step)
    try:
        take_turn(context.backend, given)
    except DecisionConflict as late:
        problem = words_of(request).message("web_turn_over")
        return page(
            request, "turn_over.html", status=409, problem=problem, reason=str(late), text=text
        )
    except UserError as unusable:
        turn = waiting_turn(context.backend, run, step)
        return _shown(request, context, identity, turn, text, str(unusable))
    return RedirectResponse("/inbox?answered=1", status_code=303)


def _shown(
    request: Request,
    context: WebContext,
    identity: Identity,
    turn: WaitingTurn,
    text: str = "",
    problem: str = "",
) -> Response:
    asked = request_of(context.backend, turn.run_id, turn.step)
    return page(
        request,
        "turn.html",
        status=422 if problem else 200,
        turn=turn,
        address=turn_address(turn.run_id, turn.step),
        belongs_to=INBOX,
        asked=plain(prompt(dict(asked.request), "turn", asked.document, leaves=False)),
        form=form_of(turn.reply_model),
        ends=turn.answer_by or turn.deadline_at,
        may_answer=identity.may(Role.DECIDER),
        text=text,
        problem=problem,
    )
