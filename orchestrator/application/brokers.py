"""Whether the broker and Redis answer, what waits there, and which calls are paused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.embedded.wire import RedisWire
from shared.delivery import queues
from shared.errors import EnvironmentFault
from shared.instance import SIGNALS_DB, Instance
from shared.models.pauses import PAUSED_KEY, Pause
from shared.sentences import Sentence
from shared.settings import ServiceSettings

Counts = dict[str, int]


def broker_counts(settings: ServiceSettings) -> tuple[Counts | None, Counts | None]:
    """How many messages wait and how many were refused, by queue; None where the broker or Redis is away."""
    if settings.external is None:
        return _embedded_counts(settings.instance)
    import redis  # with Celery most of a second, for servers that are not ours

    from shared.delivery.broker import make_app
    from shared.delivery.refusals import Refusals

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


def paused_calls(settings: ServiceSettings) -> list[Pause] | None:
    """The participants, providers and accounts whose calls are paused; None where Redis is away."""
    try:
        if settings.external is None and _is_nothing_paused(settings.instance):
            return []
        from shared.providers.limits import (
            paused,  # the catalogue and redis-py, where something is paused
        )

        return paused(settings.endpoints.redis_url)
    except (OSError, EnvironmentFault):
        return None


def _is_nothing_paused(instance: Instance) -> bool:
    """Asked without redis-py, which takes long to load. Raises OSError or EnvironmentFault."""
    with RedisWire(instance) as server:
        server.ask("SELECT", str(SIGNALS_DB))
        return server.ask("HLEN", PAUSED_KEY) == ":0"


def _embedded_counts(instance: Instance) -> tuple[Counts | None, Counts | None]:
    """The same without Celery and redis-py; a key that is no list counts as empty."""
    try:
        with RedisWire(instance) as server:
            waiting = {
                queue: sum(_number(server.ask("LLEN", key)) for key in queues.list_keys(queue))
                for queue in queues.ALL
            }
            server.ask("SELECT", str(SIGNALS_DB))
            names = (*queues.ALL, queues.OTHER)
            refused = {
                name: _number(server.ask("HGET", queues.REFUSED_KEY, name)) for name in names
            }
    except (OSError, EnvironmentFault):
        return None, None
    return waiting, {name: count for name, count in sorted(refused.items()) if count}


def _number(answer: str) -> int:
    """A reply of Redis as a number; what is none, an error or no such key, counts as 0."""
    digits = answer.removeprefix(":")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else 0


def missing_servers(facts: Mapping[str, Any]) -> list[str]:
    """Which of the broker and Redis does not answer, as `broker_counts` found them."""
    names = {"queues": Sentence("the broker"), "refused": "Redis"}
    return [
        Sentence("{server} does not answer", server=name)
        for fact, name in names.items()
        if facts[fact] is None
    ]
