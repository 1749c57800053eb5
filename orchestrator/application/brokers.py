"""Whether the broker and Redis answer, and what waits there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import redis

from shared.delivery.broker import make_app
from shared.delivery.refusals import Refusals
from shared.settings import ServiceSettings


def look_at_broker(
    settings: ServiceSettings,
) -> tuple[dict[str, int] | None, dict[str, int] | None]:
    """How many messages wait and how many were refused, by queue; None where the broker or Redis is away."""
    refusals = Refusals(settings.endpoints.redis_url)
    app = make_app(settings.endpoints.broker_url)
    waiting = app.depths()
    try:
        refused = refusals.counts()
    except redis.RedisError:
        refused = None
    finally:
        refusals.close()
        app.close()
    return waiting, refused


def missing_servers(facts: Mapping[str, Any]) -> list[str]:
    """Which of the broker and Redis does not answer, as `look_at_broker` found them."""
    names = {"queues": "the broker", "refused": "Redis"}
    return [f"{name} does not answer" for fact, name in names.items() if facts[fact] is None]
