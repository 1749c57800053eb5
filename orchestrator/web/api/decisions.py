"""Decisions and people's turns: what waits, and the answers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from orchestrator.application.decide import (
    BulkAnswer,
    DecisionRequest,
    TurnAnswer,
    decide,
    decide_all,
    take_turn,
)
from orchestrator.application.listings import WaitingFilter, inbox
from orchestrator.core.discussion.spoken import form_of
from orchestrator.presentation.inbox_json import inbox_json
from orchestrator.presentation.json_rows import decision_json
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Body, Key, RunName, Text
from orchestrator.web.api.replies import done_json, read_json
from orchestrator.web.context import Context
from orchestrator.web.identity import Decider, Viewer
from orchestrator.web.once import OnceRoute
from shared.models.rows import DecisionRow

router = APIRouter(tags=["decisions"], route_class=OnceRoute)
MOST_ANSWER = 200_000


class AnswerBody(Body):
    """An answer, bound to what was shown."""

    choice: Text = Field(description="one of the decision's `options`", examples=["skip"])
    shown_sha256: str = Field(
        pattern="^[0-9a-f]{64}$", description="the decision's: another one means something changed"
    )
    message: Text = Field(default="", max_length=10_000, description="why")
    only: tuple[Text, ...] | None = Field(
        default=None, description="only these findings, of `selectable`"
    )


class BulkBody(Body):
    """One answer to every open decision that offers it and of which nothing is changed for good."""

    choice: Text = Field(examples=["skip"])
    message: Text = Field(default="", max_length=10_000)
    batch: Text | None = Field(default=None, description="only those of this batch")


class TurnBody(Body):
    """What a person says in a turn of their own."""

    text: Text = Field(min_length=1, max_length=MOST_ANSWER)


@router.get("/inbox", summary="What waits for a person", response_model=shapes.InboxShape)
def list_inbox(
    request: Request,
    context: Context,
    _: Viewer,
    repository: Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")] = None,
    batch: Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")] = None,
) -> Response:
    """The open decisions and the turns of people, the oldest first; of one repository, or of a batch."""
    waiting = inbox(context.backend, WaitingFilter(repository, batch))
    return read_json(request, inbox_json(waiting.decisions, waiting.turns, form_of))


@router.post(
    "/runs/{run}/decisions/{key:path}",
    summary="Answer a decision",
    response_model=shapes.AnsweredShape,
)
def answer(
    context: Context, run: RunName, key: Key, body: AnswerBody, identity: Decider
) -> Response:
    """Bound to what was shown. The same answer again changes nothing; another one, or to something else, is 409."""
    request = DecisionRequest(
        run=run,
        key=key,
        choice=body.choice,
        actor=identity.actor,
        channel=identity.channel,
        message=body.message,
        only=body.only,
        shown_sha256=body.shown_sha256,
    )
    row = decide(context.backend, request)
    return done_json({"run": row.run_id, "decision": decision_json(row)})


@router.post(
    "/decisions/bulk", summary="Answer many decisions", response_model=shapes.BulkAnswerShape
)
def bulk(context: Context, body: BulkBody, identity: Decider) -> Response:
    """Every open decision (of a batch) that offers the answer. What changes files is answered one by one: 422."""
    done = answer_all(context, body, identity)
    return done_json(
        {"answered": list(map(_named, done.answered)), "left": list(map(_named, done.left))}
    )


def answer_all(context: Context, body: BulkBody, identity: Decider) -> BulkAnswer:
    """Give every open decision that the body means its answer. Raises UserError."""
    return decide_all(
        context.backend,
        body.choice,
        identity.actor,
        body.message,
        body.batch,
        channel=identity.channel,
    )


def _named(row: DecisionRow) -> dict[str, object]:
    return {"run": row.run_id, "title": row.title, **decision_json(row)}


@router.post(
    "/runs/{run}/turns/{step:path}",
    summary="Take a person's turn",
    response_model=shapes.TurnTakenShape,
)
def take(context: Context, run: RunName, step: Key, body: TurnBody, identity: Decider) -> Response:
    """Answers a turn that waits for a person; one that does not wait (any more) is 409."""
    name, key = take_turn(context.backend, TurnAnswer(run, body.text, identity.actor, step))
    return done_json({"run": name, "step": key})
