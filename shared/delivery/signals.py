"""The Redis stream that wakes paused runs. It carries no decision: a forged signal can only make somebody look.

Documented for everybody: after the decision's row is committed,

    XADD quorate:signals MAXLEN ~ 10000 * v 1 run <run id>

resumes the run. Losing it costs a second: the sweeper looks for answered decisions by itself.
"""

from __future__ import annotations

from typing import Any

import redis

from shared.delivery.contracts import SIGNAL_GROUP, SIGNAL_STREAM
from shared.delivery.redis_text import READING

MAX_LENGTH = 10_000
FORGOTTEN_AFTER_MS = 60_000


class Signals:
    """Both ends of the stream."""

    def __init__(self, redis_url: str, *, forgotten_after_ms: int = FORGOTTEN_AFTER_MS) -> None:
        """Connects on first use. A listener that was silent for `forgotten_after_ms` is forgotten."""
        self._forgotten_after_ms = forgotten_after_ms
        self._redis = redis.Redis.from_url(
            redis_url, socket_timeout=10, socket_connect_timeout=2, **READING
        )

    def send(self, run: str) -> bool:
        """Ask whoever listens to look at a run; False when Redis does not answer."""
        try:
            self._redis.xadd(
                SIGNAL_STREAM, {"v": "1", "run": run}, maxlen=MAX_LENGTH, approximate=True
            )
        except redis.RedisError:
            return False
        return True

    def prepare(self) -> None:
        """Create the stream and its group, forget listeners of processes that ended; harmless at any time."""
        try:
            self._redis.xgroup_create(SIGNAL_STREAM, SIGNAL_GROUP, id="0", mkstream=True)
        except redis.ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise
        consumers: Any = self._redis.xinfo_consumers(SIGNAL_STREAM, SIGNAL_GROUP)
        for consumer in consumers:
            # What it read and never acknowledged is claimed by the others first. One that lives asks every few
            # seconds, and one that slept is recreated when it asks again.
            if consumer["idle"] > self._forgotten_after_ms and not consumer["pending"]:
                self._redis.xgroup_delconsumer(SIGNAL_STREAM, SIGNAL_GROUP, consumer["name"])

    def receive(
        self, consumer: str, *, block_ms: int, idle_ms: int | None = None
    ) -> list[tuple[str, str]]:
        """(message id, run) of new signals; waits `block_ms` for one when there is nothing to return.

        With `idle_ms` also of those that a dead listener read so long ago and never acknowledged. Raises
        redis.RedisError while the server is away.
        """
        claimed = [] if idle_ms is None else self._take_over(consumer, idle_ms)
        streams: Any = self._redis.xreadgroup(
            SIGNAL_GROUP,
            consumer,
            {SIGNAL_STREAM: ">"},
            count=100,
            block=None if claimed else block_ms,
        )
        fresh = streams[0][1] if streams else []
        return [(name, (fields or {}).get("run", "")) for name, fields in [*claimed, *fresh]]

    def _take_over(self, consumer: str, idle_ms: int) -> list[tuple[str, dict[str, str]]]:
        answer: Any = self._redis.xautoclaim(
            SIGNAL_STREAM, SIGNAL_GROUP, consumer, min_idle_time=idle_ms, start_id="0-0", count=100
        )
        claimed: list[tuple[str, dict[str, str]]] = answer[1]
        return claimed

    def acknowledge(self, *message_ids: str) -> None:
        """These signals have been acted upon."""
        self._redis.xack(SIGNAL_STREAM, SIGNAL_GROUP, *message_ids)

    def close(self) -> None:
        """Drop the connections."""
        self._redis.close()
