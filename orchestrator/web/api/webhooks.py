"""Webhooks: where it is reported what happened, and the messages."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from orchestrator.application import webhooks
from orchestrator.web.api import shapes
from orchestrator.web.api.bodies import Body, Name, Text
from orchestrator.web.api.replies import done_json, read_json
from orchestrator.web.context import Context
from orchestrator.web.identity import Operator
from orchestrator.web.once import OnceRoute
from shared.models.webhooks import SUBSCRIBABLE, DeliveryState, WebhookEvent

router = APIRouter(route_class=OnceRoute)


class WebhookBody(Body):
    """Where to report what."""

    url: Text = Field(min_length=1, max_length=2000, examples=["https://ci.example.com/hooks"])
    name: Text | None = Field(default=None, min_length=1, max_length=64)
    events: tuple[WebhookEvent, ...] = Field(
        default=(), description=f"of {', '.join(SUBSCRIBABLE)}; empty: all of them"
    )


class RedeliverBody(Body):
    """Which messages are sent again."""

    messages: tuple[Text, ...] = Field(default=(), max_length=1000)
    dead_of: Text | None = Field(default=None, description="all that this webhook gave up")


@router.get("/webhooks", summary="Webhooks", tags=["webhooks"], response_model=shapes.WebhooksShape)
def list_webhooks(request: Request, context: Context, _: Operator) -> Response:
    """Without their secrets."""
    listed = webhooks.webhooks(context.backend)
    return read_json(request, {"webhooks": [asdict(each) for each in listed]})


@router.post(
    "/webhooks",
    summary="Add a webhook",
    tags=["webhooks"],
    status_code=201,
    response_model=shapes.NewWebhookShape,
)
def add_webhook(request: Request, context: Context, body: WebhookBody, _: Operator) -> Response:
    """Answers with the secret that signs its messages, once. A URL that nothing may be sent to is 422."""
    name, secret = webhooks.add(context.backend, body.url, body.name, body.events)
    content = {"webhook": {"name": name, "secret": secret}}
    return done_json(content, status=201, location=f"{request.url.path}/{name}")


@router.delete(
    "/webhooks/{name}",
    summary="Forget a webhook",
    tags=["webhooks"],
    response_model=shapes.DoneShape,
)
def remove_webhook(context: Context, name: Name, _: Operator) -> Response:
    """With its secret and its messages."""
    webhooks.remove(context.backend, name)
    return done_json({"done": f"{name} is removed"})


@router.post(
    "/webhooks/{name}/resume",
    summary="Let a webhook go on",
    tags=["webhooks"],
    response_model=shapes.DoneShape,
)
def resume_webhook(context: Context, name: Name, _: Operator) -> Response:
    """One that was disabled because its receiver answered 410."""
    waiting = webhooks.resume(context.backend, name)
    return done_json({"done": f"{name} goes on; {waiting} messages wait for it"})


@router.post(
    "/webhooks/{name}/test",
    summary="Send a test message",
    tags=["webhooks"],
    response_model=shapes.DeliveryShape,
)
def try_webhook(context: Context, name: Name, _: Operator) -> Response:
    """Waits up to 30 seconds for what comes of it; 503 where no orchestrator takes it."""
    return done_json({"delivery": asdict(webhooks.send_test(context.backend, name))})


@router.get(
    "/webhook-deliveries",
    summary="The newest messages",
    tags=["webhooks"],
    response_model=shapes.DeliveriesShape,
)
def list_deliveries(
    request: Request,
    context: Context,
    _: Operator,
    webhook: Annotated[str | None, Query(max_length=64, pattern=r"^[^\x00]*$")] = None,
    state: DeliveryState | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 20,
) -> Response:
    """What was sent, and what came of it."""
    listed = webhooks.deliveries(context.backend, webhook, state, limit)
    return read_json(request, {"deliveries": [asdict(each) for each in listed]})


@router.post(
    "/webhook-deliveries/redeliver",
    summary="Send messages again",
    tags=["webhooks"],
    response_model=shapes.DoneShape,
)
def redeliver(context: Context, body: RedeliverBody, _: Operator) -> Response:
    """With the ids that they had: a receiver can tell a repetition."""
    count = webhooks.send_again(context.backend, body.messages, body.dead_of)
    return done_json({"done": f"{count} messages are sent again"})
