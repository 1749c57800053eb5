"""Decisions: the answers that people give to what runs ask."""

from __future__ import annotations

from fastapi import APIRouter, Response
from pydantic import Field

from orchestrator.application.decide import DecisionRequest, decide
from orchestrator.presentation.json_rows import SCHEMA_VERSION, decision_json, dumps
from orchestrator.web.api.bodies import Body, Text
from orchestrator.web.context import Context
from orchestrator.web.identity import Decider

router = APIRouter(tags=["decisions"])


class AnswerBody(Body):
    """An answer, bound to what was shown."""

    choice: Text
    shown_sha256: str = Field(pattern="^[0-9a-f]{64}$")
    message: Text = Field(default="", max_length=10_000)
    only: tuple[Text, ...] | None = None


@router.post("/runs/{run}/decisions/{key:path}", summary="Answer a decision")
def answer(context: Context, run: str, key: str, body: AnswerBody, identity: Decider) -> Response:
    """The same answer again changes nothing; another one is a conflict."""
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
    content = {"run": row.run_id, "decision": decision_json(row)}
    return Response(
        dumps({"schema_version": SCHEMA_VERSION, **content}), media_type="application/json"
    )
