"""Participants, whole and in our own shapes: for `quorate --server` of the same version."""

from __future__ import annotations

from fastapi import APIRouter, Response

from orchestrator.application.pausing import ResumeResult
from orchestrator.application.trials import Trial
from orchestrator.web.api.bodies import Name
from orchestrator.web.api.participants import TrialBody, begin_trial, desk_of
from orchestrator.web.api.rows import rows_json
from orchestrator.web.context import Context
from orchestrator.web.identity import Operator
from orchestrator.web.once import OnceRoute

router = APIRouter(prefix="/rows/participants", include_in_schema=False, route_class=OnceRoute)


@router.post("/test")
def try_participants(context: Context, _: Operator, body: TrialBody) -> Response:
    """As POST /participants/test."""
    return rows_json(Trial, begin_trial(context, body))


@router.post("/{name}/resume")
def resume(context: Context, name: Name, _: Operator) -> Response:
    """As POST /participants/NAME/resume, and what else is held up."""
    return rows_json(ResumeResult, desk_of(context).resume_participant(name))
