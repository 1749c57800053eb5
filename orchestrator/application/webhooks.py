"""Webhooks: entered, tried, looked at and sent again. How they are delivered is in orchestrator/webhooks."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from orchestrator.application.backend import Backend
from orchestrator.webhooks.addresses import (
    RefusedAddress,
    addresses_of,
    read_networks,
    read_url,
)
from orchestrator.webhooks.signing import new_secret
from shared.errors import EnvironmentFault, UnknownRun, UserError
from shared.models.webhooks import SUBSCRIBABLE, DeliveryState, WebhookEvent
from shared.sentences import Sentence
from shared.store.database import Connection
from shared.store.webhooks import (
    Webhook,
    WebhookDelivery,
    add_webhook,
    enter_test,
    find_delivery,
    list_deliveries,
    list_webhooks,
    redeliver,
    remove_webhook,
    resume_webhook,
)

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MOST_WEBHOOKS = 50
TEST_WITHIN_S = 30.0
TEST_POLL_S = 0.1


def add(
    backend: Backend, url: str, name: str | None = None, events: Sequence[WebhookEvent] = ()
) -> tuple[str, str]:
    """Store a webhook for these events (all of them without any): its name, and its secret, which nobody shows again.

    Raises UserError for a URL that nothing may be sent to, and for a name that is taken.
    """
    receiver = read_url(url)
    chosen = name or re.sub(r"[^A-Za-z0-9.-]", "-", receiver.host).strip(".-")[:64]
    if NAME.fullmatch(chosen) is None:
        raise UserError(
            "{chosen!r} cannot be a webhook's name: up to 64 letters, digits, '.', '_' and '-', a "
            "letter or digit first (--name)",
            chosen=chosen,
        )
    try:
        addresses_of(receiver, read_networks(backend.settings.webhook_networks))
    except RefusedAddress as refusal:
        raise UserError(
            "Nothing was added: {refusal} (`quorate docs webhooks`).", refusal=refusal.args[0]
        ) from None
    secret = new_secret()
    subscribed = tuple(dict.fromkeys(events)) or SUBSCRIBABLE

    def store(connection: Connection) -> None:
        if len(list_webhooks(connection)) >= MOST_WEBHOOKS:
            raise UserError(
                "there are {most} webhooks already: remove one first",
                most=MOST_WEBHOOKS,
            )
        if not add_webhook(connection, chosen, url, secret, subscribed):
            raise UserError(
                "there is a webhook {chosen} already: choose another name with --name, or remove it with "
                "`quorate webhooks rm {chosen}`",
                chosen=chosen,
            )

    backend.write(store)
    return chosen, secret


def webhooks(backend: Backend) -> list[Webhook]:
    """All of them by name."""
    return backend.read(list_webhooks)


def remove(backend: Backend, name: str) -> None:
    """Forget a webhook with its deliveries. Raises UserError."""

    def drop(connection: Connection) -> None:
        _known(connection, name)
        remove_webhook(connection, name)

    backend.write(drop)


def resume(backend: Backend, name: str) -> int:
    """Let a disabled webhook go on; how many deliveries wait for it. Raises UserError."""

    def change(connection: Connection) -> int:
        _known(connection, name)
        return resume_webhook(connection, name)

    return backend.write(change)


def send_test(backend: Backend, name: str, within_s: float = TEST_WITHIN_S) -> WebhookDelivery:
    """Send a test message the way that all messages go, and wait for what comes of it.

    Raises UserError for an unknown or disabled webhook, EnvironmentFault when no orchestrator took it in time.
    """

    def enter(connection: Connection) -> str:
        webhook = _known(connection, name)
        if webhook.disabled_at is not None:
            raise UserError(
                "the webhook {name} is disabled: `quorate webhooks resume {name}`", name=name
            )
        return enter_test(connection, name)

    message = backend.write(enter)
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        delivery = backend.read(partial(find_delivery, delivery=message))
        if delivery is not None and delivery.state is not DeliveryState.PENDING:
            return delivery
        time.sleep(TEST_POLL_S)
    raise EnvironmentFault(
        "no orchestrator sent the test message within {within_s:g} s: see `quorate status` "
        "whether one runs",
        within_s=within_s,
    )


def deliveries(
    backend: Backend, name: str | None, state: DeliveryState | None, limit: int
) -> list[WebhookDelivery]:
    """The newest deliveries. Raises UserError."""

    def read(connection: Connection) -> list[WebhookDelivery]:
        if name is not None:
            _known(connection, name)
        return list_deliveries(connection, webhook=name, state=state, limit=limit)

    return backend.read(read)


def send_again(backend: Backend, messages: Sequence[str], dead_of: str | None = None) -> int:
    """Send these messages again, and the dead ones of a webhook; how many. Raises UserError, and then sends none."""

    def again(connection: Connection) -> int:
        unknown = [each for each in messages if find_delivery(connection, each) is None]
        if unknown:
            raise UnknownRun(
                "there is no delivery {unknown}: `quorate webhooks deliveries` lists them",
                unknown=", ".join(unknown),
            )
        count = sum(redeliver(connection, delivery=each) for each in dict.fromkeys(messages))
        if dead_of is not None:
            _known(connection, dead_of)
            count += redeliver(connection, webhook=dead_of)
        return count

    return backend.write(again)


def _known(connection: Connection, name: str) -> Webhook:
    listed = list_webhooks(connection)
    with suppress(StopIteration):
        return next(each for each in listed if each.name == name)
    names = ", ".join(each.name for each in listed)
    known = Sentence("; there are {names}", names=names) if names else "; there is none"
    raise UnknownRun("there is no webhook {name}{known}", name=name, known=known)
