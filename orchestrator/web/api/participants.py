"""Participants: who can take part, and holding their calls."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request, Response
from pydantic import Field

from orchestrator.application.notice_listener import NoticeList
from orchestrator.application.participants import list_participants, listing_json
from orchestrator.application.remote_requests import plain_names
from orchestrator.application.trials import (
    LONGEST_S,
    StoredParticipants,
    Trial,
    TrialRequest,
)
from orchestrator.core.parts import split_names
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Body, Name, Text
from orchestrator.web.api.replies import done_json, read_json
from orchestrator.web.context import Context, WebContext
from orchestrator.web.identity import Operator, Viewer
from orchestrator.web.once import OnceRoute

router = APIRouter(route_class=OnceRoute)


class PauseBody(Body):
    """Why a participant is paused, and for how long."""

    reason: Text = Field(default="", max_length=1000)
    for_s: float | None = Field(
        default=None, gt=0, le=31_536_000, allow_inf_nan=False, description="null: until resumed"
    )


class TrialBody(Body):
    """Who is tried, and how long one answer may take."""

    names: tuple[Text, ...] = Field(
        default=(), max_length=20, description="empty: everybody who would take part"
    )
    timeout_s: float = Field(default=60.0, ge=1, le=LONGEST_S, allow_inf_nan=False)


def desk_of(context: WebContext) -> StoredParticipants:
    """The participants of the installation."""
    reach = context.reach
    return StoredParticipants(context.backend, context.environ, reach.directory, reach.config)


def begin_trial(context: WebContext, body: TrialBody) -> Trial:
    """Ask them. Raises UserError."""
    request = TrialRequest(plain_names(split_names(body.names)), body.timeout_s)
    return desk_of(context).begin_trial(request, NoticeList())


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
    "/participants/test",
    summary="Try participants",
    tags=["participants"],
    status_code=201,
    response_model=shapes.TrialShape,
)
def try_participants(
    request: Request, context: Context, _: Operator, body: TrialBody | None = None
) -> Response:
    """Asks each model one short question, through the workers, as a run of its own: it costs what a short call costs.

    `at_most_usd` says how much that is for each (null: its price is unknown). The run tells who answered.
    """
    trial = begin_trial(context, body or TrialBody())
    prefix = request.url.path.partition("/participants")[0]
    content = {"run": {"id": trial.run}, "participants": [asdict(each) for each in trial.asked]}
    return done_json(content, status=201, location=f"{prefix}/runs/{trial.run}")


@router.post(
    "/participants/{name}/pause",
    summary="Pause a participant",
    tags=["participants"],
    response_model=shapes.DoneShape,
)
def pause(context: Context, name: Name, _: Operator, body: PauseBody | None = None) -> Response:
    """Or a provider, or an account: turns wait and hold nothing, no attempt is lost. An unknown name is 422."""
    wanted = body or PauseBody()
    desk_of(context).pause_participant(name, wanted.reason, wanted.for_s)
    return done_json({"done": f"{name} is paused"})


@router.post(
    "/participants/{name}/resume",
    summary="End a pause",
    tags=["participants"],
    response_model=shapes.DoneShape,
)
def resume(context: Context, name: Name, _: Operator) -> Response:
    """Or close the breaker of an account. Again changes nothing."""
    result = desk_of(context).resume_participant(name)
    done = f"{name} goes on" if result.ended else f"{name} was not paused; nothing was changed"
    return done_json({"done": done})
