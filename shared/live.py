"""How far an answer has come, for people who watch a run on a terminal: counts of characters, never a text.

Streaming costs many times the processor time of a plain call, so a turn streams only while somebody watches its run.
Watching is a key with a short life that the watcher renews; what is streamed is one number a turn. Losing either
changes nothing but the picture.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import redis

WATCHED_S = 10
KEPT_S = 60
REPORT_EVERY_S = 0.3


class Live:
    """Both ends: the watcher says that it watches, a worker says how far its turns are."""

    def __init__(self, redis_url: str) -> None:
        """Connects on first use."""
        self._redis = redis.Redis.from_url(
            redis_url, socket_timeout=2, socket_connect_timeout=1, decode_responses=True
        )

    def watch(self, run: str) -> dict[str, int]:
        """Go on watching a run; the characters of its streaming turns, by step. Empty while Redis is away."""
        try:
            self._redis.set(f"quorate:watched:{run}", "1", ex=WATCHED_S)
            counts = self._redis.hgetall(f"quorate:live:{run}")
        except redis.RedisError:
            return {}
        return {str(step): int(count) for step, count in counts.items()}

    def listener(self, run: str, step: str) -> Callable[[str], None] | None:
        """What a provider hands its pieces to, or None when nobody watches the run."""
        try:
            if not self._redis.exists(f"quorate:watched:{run}"):
                return None
        except redis.RedisError:
            return None
        return Counter(self, run, step)

    def report(self, run: str, step: str, characters: int) -> None:
        """Say how far a turn is."""
        name = f"quorate:live:{run}"
        try:
            self._redis.hset(name, step, str(characters))
            self._redis.expire(name, KEPT_S)
        except redis.RedisError:
            return

    def close(self) -> None:
        """Drop the connections."""
        self._redis.close()


class Counter:
    """Counts the characters of one answer and reports them a few times a second."""

    def __init__(self, live: Live, run: str, step: str) -> None:
        """Nothing has come yet."""
        self._live = live
        self._run = run
        self._step = step
        self._characters = 0
        self._reported_at = 0.0

    def __call__(self, piece: str) -> None:
        """Take the next piece of the answer."""
        self._characters += len(piece)
        now = time.monotonic()
        if now - self._reported_at >= REPORT_EVERY_S:
            self._reported_at = now
            self._live.report(self._run, self._step, self._characters)
