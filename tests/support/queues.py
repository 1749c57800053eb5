"""What lies in the broker's queues."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from celery import Celery

from shared.delivery.contracts import QUEUES
from shared.models.priority import SOON, WATCHED


@dataclass(frozen=True)
class Lying:
    """A published message; `raw` is all of it as text."""

    queue: str
    task: str
    payload: dict[str, Any]
    embed: dict[str, Any]
    headers: dict[str, Any]
    raw: str


def drain(app: Celery) -> list[Lying]:
    """Take every message out of every queue, the oldest first."""
    found = []
    with app.connection_for_write() as connection:
        channel = connection.default_channel
        for queue in QUEUES:
            for _ in range(channel._size(queue)):
                message = channel._get(queue)
                _args, kwargs, embed = json.loads(base64.b64decode(message["body"]))
                found.append(
                    Lying(
                        queue=queue,
                        task=message["headers"]["task"],
                        payload=kwargs.get("payload", {}),
                        embed=embed,
                        headers=message["headers"],
                        raw=json.dumps([message, kwargs, embed]),
                    )
                )
    return found


def depths(app: Celery) -> dict[str, int]:
    """How many messages lie in each queue."""
    with app.connection_for_write() as connection:
        channel = connection.default_channel
        return {queue: channel._size(queue) for queue in QUEUES}


def redis_lists(queue: str) -> tuple[str, str, str]:
    """The lists that a queue is on Redis: ordinary, soon and watched."""
    return f"quorate:{queue}", *(f"quorate:{queue}\x06\x16{step}" for step in (SOON, WATCHED))
