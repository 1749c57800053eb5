"""Participants: who can take part, and holding their calls."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import Field

from orchestrator.application.participants import list_participants, listing_json
from orchestrator.application.pausing import pause_participant, resume_participant
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Body, Name, Text
from orchestrator.web.api.replies import done_json, read_json
from orchestrator.web.context import Context
from orchestrator.web.identity import Operator, Viewer
from orchestrator.web.once import OnceRoute

router = APIRouter(route_class=OnceRoute)


class PauseBody(Body):
    """Why a participant is paused, and for how long."""

    reason: Text = Field(default="", max_length=1000)
    for_s: float | None = Field(
        default=None, gt=0, le=31_536_000, allow_inf_nan=False, description="null: until resumed"
    )


@router.get(
    "/participants",
    summary="Participants",
    tags=["participants"],
    response_model=shapes.ParticipantsShape,
)
def participants(request: Request, context: Context, _: Viewer) -> Response:
    """Who can take part here, who does when nobody is named, what is missing, and what holds calls up."""
    reach = context.reach
    listing = list_participants((), reach.config, context.environ, reach.directory)
    with_accounts = context.backend.projects is None
    return read_json(request, listing_json(listing, with_accounts=with_accounts))


@router.post(
    "/participants/{name}/pause",
    summary="Pause a participant",
    tags=["participants"],
    response_model=shapes.DoneShape,
)
def pause(context: Context, name: Name, _: Operator, body: PauseBody | None = None) -> Response:
    """Or a provider, or an account: turns wait and hold nothing, no attempt is lost. An unknown name is 422."""
    wanted = body or PauseBody()
    reach = context.reach
    pause_participant(
        context.backend, name, wanted.reason, reach.config, reach.directory, wanted.for_s
    )
    return done_json({"done": f"{name} is paused"})


@router.post(
    "/participants/{name}/resume",
    summary="End a pause",
    tags=["participants"],
    response_model=shapes.DoneShape,
)
def resume(context: Context, name: Name, _: Operator) -> Response:
    """Or close the breaker of an account. Again changes nothing."""
    result = resume_participant(context.backend, name)
    done = f"{name} goes on" if result.ended else f"{name} was not paused; nothing was changed"
    return done_json({"done": done})
