"""What was refused at the door of a queue: logged once, counted where `quorate status` finds it."""

from __future__ import annotations

from contextlib import suppress

import redis
import structlog

from shared.delivery.contracts import QUEUES
from shared.delivery.queues import OTHER, REFUSED_KEY
from shared.delivery.redis_text import READING, whole_number

_WAIT_S = 2.0

log = structlog.get_logger(__name__)


class Refusals:
    """Counts of refused messages by queue, kept in Redis; losing them loses nothing."""

    def __init__(self, redis_url: str | None = None) -> None:
        """Connects on first use; without an address refusals are only logged."""
        self._client = redis_url and redis.Redis.from_url(
            redis_url, socket_timeout=_WAIT_S, socket_connect_timeout=_WAIT_S, **READING
        )

    def add(self, queue: str, size: int, reason: str) -> None:
        """Log and count one message that nobody will look at again. Its text is told nowhere."""
        queue = queue if queue in QUEUES else OTHER
        log.warning("message.refused", queue=queue, size=size, why=reason)
        if self._client:
            with suppress(redis.RedisError, OSError):
                self._client.hincrby(REFUSED_KEY, queue, 1)

    def counts(self) -> dict[str, int]:
        """How many were refused, by queue. Raises redis.RedisError while the server is away."""
        found = self._client.hgetall(REFUSED_KEY) if self._client else {}
        counts = {q: whole_number(found[q]) for q in (*QUEUES, OTHER) if q in found}
        return {queue: count for queue, count in sorted(counts.items()) if count > 0}

    def close(self) -> None:
        """Drop the connection."""
        if self._client:
            self._client.close()
