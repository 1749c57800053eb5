"""The queues, and the lists that each is on Redis. Light: whoever only counts what waits needs no Celery."""

from __future__ import annotations

from shared.models.priority import PRIORITIES

TURNS = "quorate.turns"
TOOLS = "quorate.tools"
APPLY = "quorate.apply"
ORCHESTRATOR = "quorate.orchestrator"
ALL = (TURNS, TOOLS, APPLY, ORCHESTRATOR)

KEY_PREFIX = "quorate:"
REFUSED_KEY = "quorate:refused"
"""How many messages were refused, by queue."""
OTHER = "other"
"""Stands for a queue that is none of ours."""
SEPARATOR = "\x06\x16"
"""Kombu's, between the name of a queue and a priority."""


def list_key(queue: str, priority: int) -> str:
    """The key of the list of a queue's messages of that priority, as kombu names it."""
    return KEY_PREFIX + queue + (f"{SEPARATOR}{priority}" if priority else "")


def list_keys(queue: str) -> list[str]:
    """All lists of a queue."""
    return [list_key(queue, priority) for priority in PRIORITIES]
