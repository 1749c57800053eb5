"""Webhooks, and the deliveries of their outbox (what enters it: shared/store/outbox.py).

A delivery is sent under a lease, which is its `due_at`: a process that dies in the middle is followed by another once
that has come. The message's id stays the same for as long as it is tried, so a receiver can tell a repetition.
The database's clock counts unless `now` is given.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from shared.models.webhooks import DeliveryState, WebhookEvent
from shared.store.database import Connection

LEASE_S = 90.0
KEPT_DELIVERED_S = 7 * 86_400.0
KEPT_DEAD_S = 30 * 86_400.0

_NOW = "coalesce(%(now)s::timestamptz, now())"


@dataclass(frozen=True)
class Webhook:
    """Where to report what. `waiting` and `dead` are numbers of its deliveries."""

    name: str
    url: str
    events: tuple[WebhookEvent, ...]
    created_at: datetime
    disabled_at: datetime | None
    disabled_reason: str | None
    waiting: int
    dead: int


@dataclass(frozen=True)
class WebhookDelivery:
    """A message and how it stands; `due_at` is the next attempt of one that is pending."""

    id: str
    webhook: str
    event: WebhookEvent
    state: DeliveryState
    attempts: int
    due_at: datetime
    last_status: int | None
    last_error: str | None
    created_at: datetime
    ended_at: datetime | None
    body: str


@dataclass(frozen=True)
class DeliveryClaim:
    """A delivery that this process sends now."""

    id: str
    webhook: str
    event: WebhookEvent
    url: str
    secret: str
    body: str
    attempts: int
    token: int


@dataclass(frozen=True)
class DeliveryAttempt:
    """What came of an attempt. `retry_in_s` None: it was delivered, or there is no further attempt."""

    delivered: bool
    status: int | None
    error: str | None
    retry_in_s: float | None = None
    gone: bool = False


def add_webhook(
    connection: Connection, name: str, url: str, secret: str, events: Sequence[WebhookEvent]
) -> bool:
    """Store a webhook; False when its name is taken."""
    added = connection.execute(
        "INSERT INTO webhooks (name, url, secret, events) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
        (name, url, secret, [event.value for event in events]),
    )
    return added.rowcount == 1


def list_webhooks(connection: Connection) -> list[Webhook]:
    """All of them by name, without their secrets."""
    rows = connection.execute(
        "SELECT w.name, w.url, w.events, w.created_at, w.disabled_at, w.disabled_reason, "
        "(SELECT count(*) FROM webhook_deliveries d WHERE d.webhook = w.name AND d.state = 'pending')::int AS waiting, "
        "(SELECT count(*) FROM webhook_deliveries d WHERE d.webhook = w.name AND d.state = 'dead')::int AS dead "
        "FROM webhooks w ORDER BY w.name"
    ).fetchall()
    return [
        Webhook(row[0], row[1], tuple(WebhookEvent(event) for event in row[2]), *row[3:])
        for row in rows
    ]


def remove_webhook(connection: Connection, name: str) -> bool:
    """Forget a webhook and its deliveries; False when there is none of that name."""
    return connection.execute("DELETE FROM webhooks WHERE name = %s", (name,)).rowcount == 1


def disable_webhook(connection: Connection, name: str, reason: str) -> None:
    """Send and enter nothing more until somebody resumes it."""
    connection.execute(
        "UPDATE webhooks SET disabled_at = now(), disabled_reason = %s WHERE name = %s AND disabled_at IS NULL",
        (reason, name),
    )


def resume_webhook(connection: Connection, name: str) -> int:
    """Let it go on, at once with what waits; how many deliveries do."""
    connection.execute(
        "UPDATE webhooks SET disabled_at = NULL, disabled_reason = NULL WHERE name = %s", (name,)
    )
    return connection.execute(
        "UPDATE webhook_deliveries SET due_at = least(due_at, now()) WHERE webhook = %s AND state = 'pending'",
        (name,),
    ).rowcount


def enter_test(connection: Connection, name: str) -> str:
    """Enter a test message for a webhook; its id."""
    row = connection.execute(
        "INSERT INTO webhook_deliveries (id, webhook, event, body) "
        "VALUES ('msg_' || replace(gen_random_uuid()::text, '-', ''), %s, %s, %s) RETURNING id",
        (name, WebhookEvent.TEST.value, json.dumps({"type": WebhookEvent.TEST.value, "data": {}})),
    ).fetchone()
    assert row is not None
    return str(row.id)


def due_webhooks(connection: Connection, now: datetime | None = None) -> list[str]:
    """Those for which something can be sent."""
    rows = connection.execute(
        "SELECT w.name FROM webhooks w WHERE w.disabled_at IS NULL AND EXISTS ("
        "SELECT FROM webhook_deliveries d WHERE d.webhook = w.name AND d.state = 'pending' "
        f"AND d.due_at <= {_NOW})",
        {"now": now},
    ).fetchall()
    return [row.name for row in rows]


_CLAIM = f"""
UPDATE webhook_deliveries d SET token = d.token + 1, attempts = d.attempts + 1,
       due_at = {_NOW} + make_interval(secs => %(lease)s)
  FROM webhooks w
 WHERE d.id = (SELECT n.id FROM webhook_deliveries n
                WHERE n.webhook = %(webhook)s AND n.state = 'pending' AND n.due_at <= {_NOW}
                ORDER BY n.due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
   AND w.name = d.webhook AND w.disabled_at IS NULL
RETURNING d.id, d.webhook, d.event, w.url, w.secret, d.body, d.attempts, d.token
"""


def claim_delivery(
    connection: Connection, webhook: str, now: datetime | None = None
) -> DeliveryClaim | None:
    """Take the delivery of a webhook that has been due for longest; None when there is none."""
    row = connection.execute(_CLAIM, {"webhook": webhook, "lease": LEASE_S, "now": now}).fetchone()
    if row is None:
        return None
    return DeliveryClaim(**{**row._asdict(), "event": WebhookEvent(row.event)})


_END = f"""
UPDATE webhook_deliveries SET last_status = %(status)s, last_error = %(error)s, state = %(state)s,
       due_at = {_NOW} + make_interval(secs => %(retry)s::float8),
       ended_at = CASE WHEN %(state)s = 'pending' THEN NULL ELSE {_NOW} END
 WHERE id = %(id)s AND token = %(token)s AND state = 'pending'
"""


def end_attempt(
    connection: Connection,
    claim: DeliveryClaim,
    attempt: DeliveryAttempt,
    now: datetime | None = None,
) -> bool:
    """Write what came of an attempt; False when somebody else has the delivery by now."""
    state = DeliveryState.PENDING
    if attempt.delivered or attempt.retry_in_s is None:
        state = DeliveryState.DELIVERED if attempt.delivered else DeliveryState.DEAD
    names = {
        "id": claim.id,
        "token": claim.token,
        "state": state.value,
        "status": attempt.status,
        "error": attempt.error,
        "retry": attempt.retry_in_s or 0.0,
        "now": now,
    }
    if attempt.gone:
        disable_webhook(connection, claim.webhook, "the receiver answered 410 Gone")
    return connection.execute(_END, names).rowcount == 1


_DELIVERY = "id, webhook, event, state, attempts, due_at, last_status, last_error, created_at, ended_at, body"


def list_deliveries(
    connection: Connection,
    *,
    webhook: str | None = None,
    state: DeliveryState | None = None,
    limit: int = 50,
) -> list[WebhookDelivery]:
    """The newest deliveries, of one webhook or in one state."""
    wanted = {"webhook = %(webhook)s": webhook, "state = %(state)s": state and state.value}
    where = " AND ".join(["true", *(text for text, value in wanted.items() if value is not None)])
    rows = connection.execute(
        f"SELECT {_DELIVERY} FROM webhook_deliveries WHERE {where} ORDER BY created_at DESC, id LIMIT %(limit)s",
        {"webhook": webhook, "state": state and state.value, "limit": limit},
    ).fetchall()
    return [_delivery(row) for row in rows]


def find_delivery(connection: Connection, delivery: str) -> WebhookDelivery | None:
    """The delivery of that id."""
    row = connection.execute(
        f"SELECT {_DELIVERY} FROM webhook_deliveries WHERE id = %s", (delivery,)
    ).fetchone()
    return None if row is None else _delivery(row)


def redeliver(
    connection: Connection, *, delivery: str | None = None, webhook: str | None = None
) -> int:
    """Send one delivery again, or all dead ones of a webhook, as if for the first time; how many.

    What is being sent at this moment is fenced off by the token: its result does not count any more.
    """
    wanted = "id = %s" if delivery is not None else "state = 'dead' AND webhook = %s"
    return connection.execute(
        "UPDATE webhook_deliveries SET state = 'pending', attempts = 0, token = token + 1, due_at = now(), "
        f"ended_at = NULL WHERE {wanted}",
        (delivery if delivery is not None else webhook,),
    ).rowcount


def forget_deliveries(connection: Connection) -> int:
    """Drop what ended long ago; how many."""
    return connection.execute(
        "DELETE FROM webhook_deliveries WHERE ended_at < now() - make_interval(secs => "
        "CASE WHEN state = 'dead' THEN %(dead)s::float8 ELSE %(delivered)s::float8 END) "
        "AND ended_at < now() - make_interval(secs => %(delivered)s::float8)",
        {"dead": KEPT_DEAD_S, "delivered": KEPT_DELIVERED_S},
    ).rowcount


def _delivery(row: Any) -> WebhookDelivery:
    values = row._asdict()
    return WebhookDelivery(
        **{**values, "event": WebhookEvent(row.event), "state": DeliveryState(row.state)}
    )
