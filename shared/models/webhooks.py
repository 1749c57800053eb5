"""What webhooks report, and how a delivery stands."""

from __future__ import annotations

from enum import StrEnum


class WebhookEvent(StrEnum):
    """A fact that a webhook can report; `webhook.test` is sent on request only."""

    RUN_FINISHED = "run.finished"
    DECISION_ASKED = "decision.asked"
    DECISION_ANSWERED = "decision.answered"
    BATCH_FINISHED = "batch.finished"
    TEST = "webhook.test"


SUBSCRIBABLE = tuple(event for event in WebhookEvent if event is not WebhookEvent.TEST)


class DeliveryState(StrEnum):
    """How a delivery stands. `dead`: all attempts failed, and only a person sends it again."""

    PENDING = "pending"
    DELIVERED = "delivered"
    DEAD = "dead"
